package data

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// fails checks that err wraps the sentinel and that its message has each of the parts.
func fails(t *testing.T, err, sentinel error, parts ...string) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Fatalf("error %v does not wrap %q", err, sentinel)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

// badFile is a text that a reader refuses.
type badFile struct {
	name, text string
	o          Options
	sentinel   error
	says       []string
}

// refuses wants one short error for each file, which names it.
func refuses(t *testing.T, read func(io.Reader, string, Options) (*Set, error), name string, files []badFile) {
	t.Helper()
	for _, c := range files {
		t.Run(c.name, func(t *testing.T) {
			err := failed(read(strings.NewReader(c.text), name, c.o))
			fails(t, err, c.sentinel, append(c.says, name)...)
			if len(err.Error()) > 400 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

// failed is the error of a call that must return nothing beside it.
func failed[T any](v T, err error) error {
	if err != nil && !reflect.ValueOf(&v).Elem().IsZero() {
		panic(fmt.Sprintf("%v beside the error %v", v, err))
	}
	return err
}

func must[T any](v T, err error) T {
	mustDo(err)
	return v
}

func mustDo(err error) {
	if err != nil {
		panic(err)
	}
}

// fileOf is the path of a new file with that text.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	mustDo(os.WriteFile(path, []byte(text), 0o644))
	return path
}

func dense64(rows, cols int, v ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(v))
}

func dense32(rows, cols int, v ...float32) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(v))
}

// near compares to a relative tolerance, absolute below 1.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tol*max(1, math.Abs(w))) {
			t.Errorf("%s: [%d] = %v, want %v", what, i, got[i], w)
		}
	}
}

// consistent checks what every successful read promises.
func consistent(t *testing.T, s *Set, o Options) {
	t.Helper()
	n, d := s.Rows(), s.Dims()
	var x []float64
	if bags, ok := s.X.(*ops.Bags); ok {
		x = bags.Samples().Float64s()
		if _, err := ops.NewBags(bags.Samples(), bags.Offsets()); err != nil || len(s.IDs) != n || slices.Contains(s.IDs, "") || len(x) != d*bags.Samples().Shape()[0] || len(s.Names) != d {
			t.Fatalf("%v called %q, %d cells, %v", bags, s.IDs, len(x), err)
		}
	} else if sparse, ok := s.X.(*ops.CSR); ok {
		if x = sparse.Float64s(); o.Form == FormDense || n < 1 || d < 1 || slices.Contains(x, 0) {
			t.Fatalf("%v", sparse)
		}
		must(ops.NewCSR(n, d, sparse.Pointers(), sparse.Columns(), x))
	} else if x = cells(s); o.Form == FormSparse || n < 1 || d < 1 || len(x) != n*d || cap(x) != n*d {
		t.Fatalf("%d x %d with %d cells, capacity %d", n, d, len(x), cap(x))
	}
	if o.Dims > 0 && d != o.Dims {
		t.Fatalf("%d features, want %d", d, o.Dims)
	}
	if notFiniteAt(x) >= 0 || notFiniteAt(s.Y) >= 0 {
		t.Fatal("a value is not finite")
	}
	labels, targets := 0, 0
	if o.Label != LabelNone && o.Task == Classification {
		labels = n
	} else if o.Label != LabelNone {
		targets = n * max(1, len(o.LabelNames))
	}
	if len(s.Labels) != labels || len(s.Y) != targets {
		t.Fatalf("%d rows, %d labels, %d targets", n, len(s.Labels), len(s.Y))
	}
	for _, l := range s.Labels {
		if again, f := canonical(l); f != sound || again != l {
			t.Fatalf("class %q is not canonical", l)
		}
	}
	if s.Names != nil && (len(s.Names) != d || slices.Contains(s.Names, "")) {
		t.Fatalf("names %q for %d features", s.Names, d)
	}
}

// cells are the cells of a set, dense or not.
func cells(s *Set) []float64 {
	x, err := s.Dense()
	if err != nil {
		panic(err)
	}
	return x.Float64s()
}

// eachRow are the numbers of each row of x, or of each bag.
func eachRow(x ops.Matrix) (rows [][]float64) {
	bags, ok := x.(*ops.Bags)
	if !ok {
		return slices.Collect(slices.Chunk(numbers(x), x.Shape()[1]))
	}
	for i := range bags.Len() {
		rows = append(rows, numbers(bags.Bag(i)))
	}
	return rows
}
