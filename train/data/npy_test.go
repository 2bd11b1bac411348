package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// npy is an array file with the given dictionary and elements, which are big-endian if the dictionary says so.
func npy(dict string, elements any) string {
	b := bytes.NewBufferString("\x93NUMPY\x01\x00")
	mustDo(binary.Write(b, binary.LittleEndian, uint16(len(dict)+1)))
	b.WriteString(dict + "\n")
	if strings.Contains(dict, "'>") {
		mustDo(binary.Write(b, binary.BigEndian, elements))
	} else if elements != nil {
		mustDo(binary.Write(b, binary.LittleEndian, elements))
	}
	return b.String()
}

func arrayOf(descr, fortran, shape string, elements any) string {
	return npy(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape), elements)
}

func TestReadNPYTypesAndOrders(t *testing.T) {
	for descr, v := range map[string]any{
		"<f8": six, ">f8": six,
		"<f4": []float32{1, 2, 3, 4, 5, 6}, ">f4": []float32{1, 2, 3, 4, 5, 6},
		"|i1": []int8{1, 2, 3, 4, 5, 6}, "|u1": []uint8{1, 2, 3, 4, 5, 6},
		"<i2": []int16{1, 2, 3, 4, 5, 6}, ">u2": []uint16{1, 2, 3, 4, 5, 6},
		"<i4": []int32{1, 2, 3, 4, 5, 6}, ">u4": []uint32{1, 2, 3, 4, 5, 6},
		"<i8": []int64{1, 2, 3, 4, 5, 6}, ">u8": []uint64{1, 2, 3, 4, 5, 6},
	} {
		for fortran, want := range map[string]map[Label]string{
			"False": {LabelNone: "| 1 2 3 | 4 5 6", LabelLast: "| 1 2 >3 | 4 5 >6", LabelFirst: "| 2 3 >1 | 5 6 >4"},
			"True":  {LabelNone: "| 1 3 5 | 2 4 6", LabelLast: "| 1 3 >5 | 2 4 >6", LabelFirst: "| 3 5 >1 | 4 6 >2"},
		} {
			for label, rows := range want {
				s := must(ReadNPY(strings.NewReader(arrayOf(descr, fortran, "(2, 3)", v)), "f.npy", Options{Label: label}))
				if consistent(t, s, Options{Label: label}); shown(s) != rows {
					t.Errorf("%s, fortran %s, label %v: %s, want %s", descr, fortran, label, shown(s), rows)
				}
			}
		}
	}
}

// More elements than one decoding buffer.
func TestReadNPYManyElements(t *testing.T) {
	const n, d = 5003, 7
	v := make([]float32, n*d)
	for i := range v {
		v[i] = float32(i)
	}
	s := must(ReadNPY(strings.NewReader(arrayOf("<f4", "False", "(5003, 7)", v)), "f", Options{Task: Regression}))
	if s.Dims() != d-1 || cells(s)[n*(d-1)-1] != n*d-2 || s.Y[n-1] != n*d-1 {
		t.Errorf("dims %d, last cell %v, last target %v", s.Dims(), cells(s)[n*(d-1)-1], s.Y[n-1])
	}
}

func TestReadNPYErrors(t *testing.T) {
	good := arrayOf("<f8", "False", "(2, 3)", six)
	of := func(descr, shape string, v any) string { return arrayOf(descr, "False", shape, v) }
	none := Options{Label: LabelNone}
	refuses(t, ReadNPY, "f.npy", []badFile{
		{"text", "1,2,3\n4,5,6\n", none, ErrFormat, []string{"mark of an .npy"}},
		{"cut in the mark", good[:5], none, ErrFormat, []string{"truncated"}},
		{"cut in the length", good[:9], none, ErrFormat, []string{"truncated"}},
		{"cut in the header", good[:30], none, ErrFormat, []string{"in the header", "truncated"}},
		{"cut before the elements", good[:len(good)-48], none, ErrFormat, []string{"2 x 3", "truncated"}},
		{"cut between elements", good[:len(good)-8], none, ErrFormat, []string{"2 x 3", "truncated"}},
		{"cut in an element", good[:len(good)-3], none, ErrFormat, []string{"truncated"}},
		{"trailing", good + "\x00", none, ErrFormat, []string{"2 x 3", "trailing"}},
		{"version", "\x93NUMPY\x09\x00" + good[8:], none, ErrFormat, []string{"version 9"}},
		{"header of 4 GiB", "\x93NUMPY\x02\x00\xff\xff\xff\xff", none, ErrFormat, []string{"4294967295"}},
		{"no dictionary", npy("hello", nil), none, ErrFormat, []string{"dictionary"}},
		{"nothing in the header", npy("", nil), none, ErrFormat, []string{"dictionary"}},
		{"keys missing", npy("{'descr': '<f8'}", nil), none, ErrFormat, []string{"lacks"}},
		{"structured", npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", nil), none, ErrFormat, []string{"structured"}},
		{"strings", of("<U5", "(2, 3)", nil), none, ErrFormat, []string{`"<U5"`, "astype"}},
		{"objects", of("|O", "(2, 3)", nil), none, ErrFormat, []string{`"|O"`, "astype"}},
		{"half", of("<f2", "(2, 3)", nil), none, ErrFormat, []string{`"<f2"`}},
		{"complex", of("<c16", "(2, 3)", nil), none, ErrFormat, []string{`"<c16"`}},
		{"scalar", of("<f8", "()", six[:1]), none, ErrFormat, []string{"0 dimensions, want 2"}},
		{"vector", of("<f8", "(6,)", six), none, ErrFormat, []string{"1 dimensions, want 2", "reshape"}},
		{"cube", of("<f8", "(1, 2, 3)", six), none, ErrFormat, []string{"3 dimensions, want 2"}},
		{"negative shape", of("<f8", "(-2, 3)", six), none, ErrFormat, []string{"lacks"}},
		{"no rows", of("<f8", "(0, 3)", nil), none, ErrFormat, []string{"0 x 3"}},
		{"no columns", of("<f8", "(3, 0)", nil), none, ErrFormat, []string{"3 x 0"}},
		{"huge shape", of("<f8", "(2000000000, 2000000000)", six), none, ErrFormat, []string{"2000000000 columns"}},
		{"shape beyond int64", of("<f8", "(99999999999999999999, 3)", six), none, ErrFormat, []string{"too large"}},
		{"product beyond int64", of("<f8", "(9000000000000000000, 3)", six), none, ErrFormat, []string{"too large"}},
		{"label and nothing else", of("<f8", "(6, 1)", six), Options{}, ErrFormat, []string{"no features"}},
		{"dims", good, Options{Dims: 3}, domain.ErrShape, []string{"2 features, want 3"}},
		{"MaxCells", good, Options{Label: LabelNone, MaxCells: 5}, ErrTooLarge, []string{"2 rows of 3", "5 cells"}},
		{"NaN", of("<f8", "(2, 3)", []float64{1, 2, 3, 4, math.NaN(), 6}), none, domain.ErrDomain, []string{"x[1,1] = NaN", "drop the row"}},
		{"Inf beside a label", of("<f4", "(2, 3)", []float32{1, 2, 3, 4, 5, float32(math.Inf(1))}), Options{Label: LabelFirst}, domain.ErrDomain, []string{"column 3", "x[1,1] = +Inf"}},
		{"class NaN", of("<f8", "(2, 3)", []float64{1, 2, 3, 4, 5, math.NaN()}), Options{}, domain.ErrDomain, []string{"row 1", `"NaN"`}},
		{"target NaN", of("<f8", "(1, 2)", []float64{1, math.NaN()}), Options{Task: Regression}, domain.ErrDomain, []string{"row 0"}},
		{"target Inf", of("<f8", "(2, 3)", []float64{math.Inf(-1), 2, 3, 4, 5, 6}), Options{Label: LabelFirst, Task: Regression}, domain.ErrDomain, []string{"row 0", `"-Inf"`}},
		{"int64 too long", of("<i8", "(2, 1)", []int64{1, -1<<53 - 1}), none, domain.ErrDomain, []string{"-9007199254740993", "row 1, column 0"}},
		{"int64 too long, Fortran", arrayOf("<i8", "True", "(3, 2)", []int64{1, 2, 3, 4, 1 << 53, 6}), none, domain.ErrDomain, []string{"9007199254740992", "row 1, column 1"}},
		{"uint64 too long", of("<u8", "(1, 2)", []uint64{1, math.MaxUint64}), none, domain.ErrDomain, []string{"18446744073709551615", "row 0, column 1"}},
	})
}

// TestArrayTargets: the targets of an array are its numbers, to the bit, from the least to the largest.
func TestArrayTargets(t *testing.T) {
	want := []float64{math.Copysign(0, -1), 5e-324, -math.MaxFloat64, 1e22, 1<<53 + 2, .1, -3}
	var cells []float64
	for _, v := range want {
		cells = append(cells, 1, v)
	}
	for _, descr := range []string{"<f8", ">f8"} {
		set := must(ReadNPY(strings.NewReader(arrayOf(descr, "False", "(7, 2)", cells)), "f.npy", Options{Task: Regression}))
		for i, y := range set.Y {
			if math.Float64bits(y) != math.Float64bits(want[i]) {
				t.Errorf("%s: target %d is %v, want %v", descr, i, y, want[i])
			}
			text := strconv.FormatFloat(want[i], 'g', -1, 64)
			if v, f := number(text); f != sound || math.Float64bits(v) != math.Float64bits(y) {
				t.Errorf("as text it would be %v", v)
			}
		}
	}
}
