package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// TestMaxWindow: zstd data that ask for a larger window than is allowed are refused before it is made, with the remedy;
// others are read.
func TestMaxWindow(t *testing.T) {
	file := npy(npyDictOf("<f8", "False", "(1000, 3)"), nil, nil)
	file = append(file, make([]byte, 8*3000)...)
	// A frame of RFC 8878 by hand: an encoder announces no more than it needs.
	pack := func(log int) []byte {
		b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3} // no content size; the window is 2^log bytes
		size := len(file)<<3 | 1                                  // one block, the last, as it is
		return append(append(b, byte(size), byte(size>>8), byte(size>>16)), file...)
	}
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write(file)
	z.Close()
	for name, tc := range map[string]struct {
		body  []byte
		most  int
		wrong bool
	}{
		"default": {pack(26), 0, false}, "at the limit": {pack(20), 1 << 20, false}, "beyond": {pack(21), 1 << 20,
			true}, "gzip": {gz.Bytes(), 1 << 10, false},
	} {
		s, err := ReadNPY(bytes.NewReader(tc.body), "f.npy", Options{Label: LabelNone, MaxWindow: tc.most})
		switch {
		case tc.wrong && (!errors.Is(err, ErrFormat) || !strings.Contains(err.Error(),
			"larger window than is allowed; pack them without --long")):
			t.Errorf("%s: %v", name, err)
		case !tc.wrong && (err != nil || s.Rows() != 1000):
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, most := range []int{-1, 1, 1<<28 + 1} {
		if _, err := ReadNPY(bytes.NewReader(file), "f.npy", Options{MaxWindow: most}); !errors.Is(err,
			domain.ErrParam) || !strings.Contains(err.Error(), "MaxWindow") {
			t.Errorf("MaxWindow %d: %v", most, err)
		}
	}
}
