package data

import (
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// TestMaxWindow: zstd data that ask for a larger window than is allowed are refused before it is made, with the remedy;
// others are read.
func TestMaxWindow(t *testing.T) {
	file := arrayOf("<f8", "False", "(1000, 3)", make([]float64, 3000))
	read := func(packed string, most int) (*Set, error) {
		return ReadNPY(strings.NewReader(packed), "f.npy", Options{Label: LabelNone, MaxWindow: most})
	}
	for name, s := range map[string]*Set{
		"default": must(read(packedBytes(26, file), 0)), "at the limit": must(read(packedBytes(20, file), 1<<20)),
		"gzip": must(read(zip(file), 1<<10)),
	} {
		if s.Rows() != 1000 {
			t.Errorf("%s: %d rows", name, s.Rows())
		}
	}
	fails(t, failed(read(packedBytes(21, file), 1<<20)),
		ErrFormat, "larger window than is allowed; pack them without --long")
	for _, most := range []int{-1, 1, 1<<28 + 1} {
		fails(t, failed(read(file, most)), domain.ErrParam, "MaxWindow")
	}
}
