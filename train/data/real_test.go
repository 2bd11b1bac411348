package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// realFile is a file of the real data beside the repository; the test is skipped where they are absent.
func realFile(t *testing.T, name string) string {
	path := filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data absent: %v", err)
	}
	return path
}

// TestRealFiles: the sizes, the classes and the mean targets that are published, and the first rows.
func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		file string
		o    Options
		want string
	}{
		{"letter/letter.train.libsvm.gz", Options{}, "16000 x 16, 26 classes from 1 to 26, first 20 of sum 86"},
		{"letter/letter.test.libsvm.gz", Options{Dims: 16}, "4000 x 16, 26 classes from 1 to 26, "},
		{"scene15-spm/scene15-spm.train.libsvm.gz", Options{}, "1500 x 4200, 15 classes from 1 to 15, first 1 of sum "},
		{"adult/adult.train.libsvm.gz", Options{Dims: 123}, "32561 x 123, 2 classes from -1 to 1, first -1 of sum 14"},
		{"adult/adult.test.libsvm.gz", Options{Dims: 123}, "16281 x 123, 2 classes from -1 to 1, first -1 of sum "},
		{"housing/housing.all.csv.gz", Options{Task: Regression}, "506 x 13, CRIM to LSTAT, mean MEDV 22.5328"},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := must(Read(realFile(t, c.file), c.o))
			got := fmt.Sprintf("%d x %d, ", s.Rows(), s.Dims())
			if s.Y != nil {
				mean := sum(s.Y) / float64(len(s.Y))
				got += fmt.Sprintf("%s to %s, mean %s %.4f", s.Names[0], s.Names[12], s.LabelNames[0], mean)
			} else {
				classes := NewClasses(s.Labels)
				got += fmt.Sprintf("%d classes from %s to %s, first %s of sum %g", len(classes), classes[0], classes[len(classes)-1],
					s.Labels[0], sum(cells(s)[:s.Dims()]))
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	// Of adult's training rows only later ones name column 123.
	fails(t, failed(Read(realFile(t, "adult/adult.train.libsvm.gz"), Options{Dims: 122})), domain.ErrShape)
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// TestRealBags: the counts that are published for Musk 1.
func TestRealBags(t *testing.T) {
	s := must(ReadBags(realFile(t, "bags/musk1.csv.gz"), Options{}))
	positive := strings.Count(strings.Join(s.Labels, ""), "1")
	if s.Rows() != 92 || s.X.(*ops.Bags).Samples().Shape()[0] != 476 || s.Dims() != 166 || positive != 47 || len(s.Labels) != 92 {
		t.Errorf("%v, %d positive", s.X, positive)
	}
}

// TestRealImages: the cats and dogs come in turn.
func TestRealImages(t *testing.T) {
	set := must(ReadImageBags(realFile(t, "cifar10-cats-dogs/cifar10-cats-dogs.test.bin.gz"), true, 10))
	if strings.Join(set.Labels, "") != "3535353535" || set.Rows() != 10 {
		t.Errorf("labels %v", set.Labels)
	}
}
