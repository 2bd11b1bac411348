package data

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// realFile is a file of the real data beside the repository; the test is skipped where they are absent.
func realFile(t testing.TB, name string) string {
	path := filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data absent: %v", err)
	}
	return path
}

func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		file          string
		o             Options
		rows, dims, k int
		sum           float64 // of the first row
		first         string
	}{
		{"letter/letter.train.libsvm.gz", Options{}, 16000, 16, 26, 86, "20"},
		{"letter/letter.test.libsvm.gz", Options{Dims: 16}, 4000, 16, 26, -1, ""},
		{"scene15-spm/scene15-spm.train.libsvm.gz", Options{}, 1500, 4200, 15, -1, "1"},
		{"adult/adult.train.libsvm.gz", Options{Dims: 123}, 32561, 123, 2, 14, "-1"},
		{"adult/adult.test.libsvm.gz", Options{Dims: 123}, 16281, 123, 2, -1, "-1"},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := must(Read(realFile(t, c.file), c.o))
			if s.Rows() != c.rows || s.Dims() != c.dims || len(NewClasses(s.Labels)) != c.k {
				t.Errorf("%d x %d, %d classes; want %d x %d, %d", s.Rows(), s.Dims(), len(NewClasses(s.Labels)), c.rows, c.dims, c.k)
			}
			sum := 0.0
			for _, v := range cells(s)[:c.dims] {
				sum += v
			}
			if c.sum >= 0 && sum != c.sum {
				t.Errorf("the first row sums to %v, want %v", sum, c.sum)
			}
			if classes := NewClasses(s.Labels); c.k == 26 && (classes[0] != "1" || classes[1] != "2" || classes[25] != "26") {
				t.Errorf("classes in the order %v", classes)
			}
			if c.first != "" && s.Labels[0] != c.first {
				t.Errorf("first class %q, want %q", s.Labels[0], c.first)
			}
		})
	}
	// Of adult's training rows only later ones name column 123.
	fails(t, failed(Read(realFile(t, "adult/adult.train.libsvm.gz"), Options{Dims: 122})), domain.ErrShape)
}

func TestRealHousing(t *testing.T) {
	s := must(Read(realFile(t, "housing/housing.all.csv.gz"), Options{Task: Regression}))
	mean := 0.0
	for _, y := range s.Y {
		mean += y / 506
	}
	if s.Rows() != 506 || s.Dims() != 13 || s.LabelNames[0] != "MEDV" || len(s.Names) != 13 || s.Names[0] != "CRIM" || s.Names[12] != "LSTAT" || s.Labels != nil {
		t.Errorf("names %q, label %q", s.Names, s.LabelNames[0])
	}
	if mean < 22.53275 || mean > 22.53285 { // 22.5328 is published
		t.Errorf("mean target %v", mean)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{
		"letter/letter.train.libsvm.gz", "scene15-spm/scene15-spm.train.libsvm.gz", "kin8nm/kin8nm.all.csv.gz",
	} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			path := realFile(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(path, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
