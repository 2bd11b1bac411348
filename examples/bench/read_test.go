package bench

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train/data"
)

var (
	rows  = flag.String("rows", "100000x16", "rows x columns of the files to read")
	files = flag.String("files", "", "folder for the files, which stay there (default a temporary one)")
)

// BenchmarkRead reads files with every cell filled, whole: CSV without a label and LIBSVM text with a target, of normal
// variates with 17 digits, which tell all numbers of float64 apart, or of numbers of up to six.
func BenchmarkRead(b *testing.B) {
	if *files == "" {
		*files = b.TempDir()
	}
	var n, d int
	if _, err := fmt.Sscanf(*rows, "%dx%d", &n, &d); err != nil || n < 1 || d < 1 {
		b.Fatalf("-rows %q: want rows x columns, such as 1000000x16", *rows)
	}
	for format, o := range map[string]data.Options{"csv": {Label: data.LabelNone}, "libsvm": {Task: data.Regression}} {
		for _, digits := range []int{17, 6} {
			name := fmt.Sprintf("file=%s/rows=%s/digits=%d", format, *rows, digits)
			path := filepath.Join(*files, fmt.Sprintf("%s.%d.%s", *rows, digits, format))
			b.Run(name, func(b *testing.B) {
				info, err := os.Stat(path)
				if err != nil {
					clitest.OK(b, write(path, format == "libsvm", n, d, digits))
					info, err = os.Stat(path)
					clitest.OK(b, err)
				}
				for b.Loop() {
					set, err := data.Read(path, o)
					clitest.OK(b, err)
					if set.Rows() != n || set.Dims() != d {
						b.Fatalf("%d x %d were read", set.Rows(), set.Dims())
					}
					b.StopTimer() // each read starts without the memory of the one before, as in peers.py
					b.SetBytes(info.Size())
					debug.FreeOSMemory()
					b.StartTimer()
				}
			})
		}
	}
}

// write makes a file: CSV with a header, or LIBSVM text with all features in each row.
func write(path string, libsvm bool, n, d, digits int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w, rng := bufio.NewWriterSize(f, 1<<16), rand.New(rand.NewPCG(1, 4))
	var line []byte
	if !libsvm {
		line = []byte("x1")
		for j := 1; j < d; j++ {
			line = fmt.Appendf(line, ",x%d", j+1)
		}
		line = append(line, '\n')
	}
	for i := range n {
		if libsvm {
			line = strconv.AppendInt(line, int64(i%2), 10)
		}
		for j := range d {
			switch {
			case libsvm:
				line = append(strconv.AppendInt(append(line, ' '), int64(j+1), 10), ':')
			case j > 0:
				line = append(line, ',')
			}
			if digits == 17 {
				line = strconv.AppendFloat(line, rng.NormFloat64(), 'g', 17, 64)
			} else {
				scale := []float64{10, 100, 1000, 1e4, 1e5}[rng.IntN(5)]
				line = strconv.AppendFloat(line, float64(rng.IntN(1999999)-999999)/scale, 'f', -1, 64)
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		line = line[:0]
	}
	return w.Flush()
}
