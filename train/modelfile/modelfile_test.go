package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

func dense[T float32 | float64](v []T, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
}

// sample holds both element types, extreme values, a scalar, empty tensors and tensors of one element.
func sample() (map[string]string, map[string]*tensor.Dense) {
	meta := map[string]string{"spec": `{"map":"gaussian","sigma":2}`, "note": "σ < 1 & \"quoted\"\n", "": "empty key"}
	return meta, map[string]*tensor.Dense{
		"W":       dense([]float64{0, 1e-300, 1e300, math.Inf(1), math.NaN(), math.Copysign(0, -1)}, 2, 3),
		"b":       dense([]float32{1.5, -2.25, math.MaxFloat32, math.SmallestNonzeroFloat32, 7}, 5),
		"scalar":  tensor.New(tensor.FromScalar(3.25)),
		"scalar4": tensor.New(tensor.FromScalar(float32(-3))),
		"empty":   dense([]float64{}, 0, 3),
		"empty4":  dense([]float32{}, 0),
		"one":     dense([]float64{9}, 1, 1, 1),
		"σ":       dense([]float64{4, 5}, 2, 1),
	}
}

// of is a model with one tensor.
func of(name string, t *tensor.Dense) map[string]*tensor.Dense {
	return map[string]*tensor.Dense{name: t}
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	mustDo(err)
	return v
}

func mustDo(err error) {
	if err != nil {
		panic(err)
	}
}

// fails wants an error that wraps the sentinel and says the text.
func fails(t *testing.T, what string, err, sentinel error, says string) {
	t.Helper()
	if !errors.Is(err, sentinel) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %v that says %q", what, err, sentinel, says)
	}
}

// refused is the error of bytes that Decode refuses.
func refused(data []byte) error {
	_, _, err := Decode(data)
	return err
}

func TestRoundTrip(t *testing.T) {
	meta, tensors := sample()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	mustDo(Write(path, meta, tensors))
	gotMeta, got, err := Read(path)
	mustDo(err)
	if !maps.Equal(gotMeta, meta) || len(got) != len(tensors) {
		t.Fatalf("got %q and %d tensors, want %q and %d", gotMeta, len(got), meta, len(tensors))
	}
	for k, want := range tensors {
		g := got[k]
		if g == nil || g.Dtype() != want.Dtype() || !g.Shape().Eq(want.Shape()) || g.Shape().IsScalar() != want.Shape().IsScalar() {
			t.Errorf("%s: got %v, want %v %v", k, g, want.Dtype(), want.Shape())
		} else if !bytes.Equal(appendTensor(nil, g), appendTensor(nil, want)) {
			t.Errorf("%s: bits differ", k)
		}
	}
	if first := must(os.ReadFile(path)); !bytes.Equal(first, must(Encode(gotMeta, got))) {
		t.Error("writing what was read gives other bytes")
	}
	meta, tensors, err = Decode(must(Encode(nil, nil)))
	if err != nil || len(meta) != 0 || len(tensors) != 0 {
		t.Errorf("empty model: %v %v %v", meta, tensors, err)
	}
}

// TestViews: a view and a transpose are written in the order of their own rows.
func TestViews(t *testing.T) {
	base := func() *tensor.Dense { return dense([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 5, 3) }
	transposed := base()
	mustDo(transposed.T())
	cut := func(s ...tensor.Slice) *tensor.Dense { return must(base().Slice(s...)).(*tensor.Dense) }
	cube := dense([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 2, 3, 2)
	mustDo(cube.T(1, 0, 2))
	for _, c := range []struct {
		name string
		in   *tensor.Dense
		want []float64
	}{
		{"transpose", transposed, []float64{0, 3, 6, 9, 12, 1, 4, 7, 10, 13, 2, 5, 8, 11, 14}},
		{"column-major", tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6})),
			[]float64{1, 2, 3, 4, 5, 6}},
		{"three axes", cube, []float64{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}},
		{"rows", cut(tensor.S(1, 3)), []float64{3, 4, 5, 6, 7, 8}},
		{"columns", cut(nil, tensor.S(1, 3)), []float64{1, 2, 4, 5, 7, 8, 10, 11, 13, 14}},
		{"column", cut(nil, tensor.S(1)), []float64{1, 4, 7, 10, 13}},
		{"cell", cut(tensor.S(2), tensor.S(1)), []float64{7}},
	} {
		shape := c.in.Shape().Clone()
		_, got, err := Decode(must(Encode(nil, of("x", c.in))))
		mustDo(err)
		if x := got["x"]; !x.Shape().Eq(shape) || fmt.Sprint(x.Float64s()) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v %v, want %v %v", c.name, x.Shape(), x.Float64s(), shape, c.want)
		}
	}
}

// TestLayout reads a file by the words of the safetensors format, without any code of this package.
func TestLayout(t *testing.T) {
	file := must(Encode(map[string]string{"a": "b"}, map[string]*tensor.Dense{
		"x": dense([]float64{1, -2}, 1, 2), "w": dense([]float32{0.5, 3, 4}, 3)}))
	n := binary.LittleEndian.Uint64(file)
	header := file[8 : 8+n]
	if n%8 != 0 || header[0] != '{' {
		t.Fatalf("header %q of %d bytes", header, n)
	}
	var h struct {
		Metadata map[string]string `json:"__metadata__"`
		W, X     struct {
			Dtype       string
			Shape       []int
			DataOffsets []int `json:"data_offsets"`
		}
	}
	mustDo(json.Unmarshal(header, &h))
	if got := fmt.Sprint(h.W, h.X, len(h.Metadata["a"]), len(h.Metadata["sha256"])); got != "{F32 [3] [0 12]} {F64 [1 2] [12 28]} 1 64" {
		t.Errorf("header says %s", got)
	}
	var body struct {
		W [3]float32
		X [2]float64
	}
	mustDo(binary.Read(bytes.NewReader(file[8+n:]), binary.LittleEndian, &body))
	if fmt.Sprint(body) != "{[0.5 3 4] [1 -2]}" || len(file) != int(8+n+28) {
		t.Errorf("tensors are %v, in a file of %d bytes", body, len(file))
	}
}

// TestEveryFlip changes one byte at a time, in several ways, and cuts the file anywhere: none passes, and each is called
// damage.
func TestEveryFlip(t *testing.T) {
	file := must(Encode(map[string]string{"a": "b"}, of("w", dense([]float32{0.5, 3, 4}, 3))))
	for i := range file {
		for _, flip := range []byte{1, 2, 0x20, 0x80, 0xff} {
			bad := bytes.Clone(file)
			bad[i] ^= flip
			fails(t, fmt.Sprintf("byte %d ^ %#x", i, flip), refused(bad), ErrCorrupt, "damaged; copy it again")
		}
		fails(t, fmt.Sprintf("cut to %d bytes", i), refused(file[:i]), ErrCorrupt, "")
	}
	fails(t, "one byte more", refused(append(bytes.Clone(file), 0)), ErrCorrupt, "")
}

func TestOtherKinds(t *testing.T) {
	foreign := `{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}   `
	for _, data := range []string{
		"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False}", "label,x1,x2\n1,0.5,0.25\n",
		string(binary.LittleEndian.AppendUint64(nil, uint64(len(foreign)))) + foreign,
	} {
		if err := refused([]byte(data)); !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) {
			t.Errorf("%.12q: %v", data, err)
		}
	}
}

// file wraps a header and a body into a file whose checksum is right, so that the inner checks are what refuses it.
func file(tensors string, body int) []byte {
	h := signature + strings.Repeat("0", digitsLen) + `"}` + tensors + "}"
	h += strings.Repeat(" ", (8-len(h)%8)%8)
	out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...)
	out = append(out, make([]byte, body)...)
	copy(out[digitsAt:], must(checksum(bytes.NewReader(out), int64(len(out)))))
	return out
}

func TestInnerChecks(t *testing.T) {
	const big = "9223372036854775807"
	for _, c := range []struct {
		name, tensors string
		body          int
		want          string // "" when the file is right
	}{
		{"right", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}`, 12, ""},
		{"order of data", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[4,12]},"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}`, 12, "not in the form"},
		{"hole", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}`, 16, "not in the form"},
		{"rest", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, 16, "the file holds 16"},
		{"overlap", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[1],"data_offsets":[4,12]}`, 12, "not in the form"},
		{"same bytes", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, 8, "not in the form"},
		{"beyond", `,"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, 8, "the file holds 8"},
		{"backwards", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,-8]}`, 8, "not in the form"},
		{"dtype", `,"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}`, 8, `"BF16"`},
		{"shape", `,"a":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}`, 8, "not in the form"},
		{"negative", `,"a":{"dtype":"F64","shape":[-1,-1],"data_offsets":[0,8]}`, 8, "impossible"},
		{"overflow", `,"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}`, 0, "impossible"},
		{"overflow beside 0", `,"a":{"dtype":"F64","shape":[0,` + big + `],"data_offsets":[0,0]}`, 0, "impossible"},
		{"no int", `,"a":{"dtype":"F64","shape":[1e3],"data_offsets":[0,8]}`, 8, "cannot be read"},
		{"null shape", `,"a":{"dtype":"F64","shape":null,"data_offsets":[0,8]}`, 8, "no shape"},
		{"no name", `,"":{"dtype":"F64","shape":[],"data_offsets":[0,8]}`, 8, "no name"},
		{"duplicate", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, 8, "not in the form"},
		{"duplicate field", `,"a":{"dtype":"F64","dtype":"F64","shape":[1],"data_offsets":[0,8]}`, 8, "not in the form"},
		{"more fields", `,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8],"x":1}`, 8, "not in the form"},
		{"second metadata", `,"__metadata__":{"sha256":"` + strings.Repeat("0", 64) + `"}`, 0, "not in the form"},
		{"not JSON", `,"a"`, 0, "no JSON"},
	} {
		if err := refused(file(c.tensors, c.body)); c.want != "" {
			fails(t, c.name, err, ErrCorrupt, c.want)
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	x, ints := dense([]float64{1}, 1), tensor.New(tensor.WithShape(2), tensor.WithBacking([]int{1, 2}))
	for says, c := range map[string]struct {
		meta    map[string]string
		tensors map[string]*tensor.Dense
		is      error
	}{
		`"sha256" is the checksum's`: {map[string]string{"sha256": "x"}, nil, domain.ErrParam},
		"\\xff":                      {map[string]string{"k": "\xff"}, nil, domain.ErrParam},
		"\\xfe":                      {map[string]string{"\xfe": ""}, nil, domain.ErrParam},
		`""`:                         {nil, of("", x), domain.ErrParam},
		`"__metadata__"`:             {nil, of("__metadata__", x), domain.ErrParam},
		`"\xfd"`:                     {nil, of("\xfd", x), domain.ErrParam},
		`"gone"`:                     {nil, of("gone", nil), domain.ErrShape},
		`"ints"`:                     {nil, of("ints", ints), domain.ErrDtype},
		"limit":                      {map[string]string{"k": strings.Repeat("x", MaxHeader)}, nil, domain.ErrParam},
	} {
		_, err := Encode(c.meta, c.tensors)
		fails(t, says, err, c.is, says)
	}
}

// TestFileErrors: errors of the file system keep their kind, and name the path.
func TestFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "m")
	_, _, err := Read(path)
	fails(t, "read", err, os.ErrNotExist, path)
	fails(t, "write", Write(path, nil, nil), os.ErrNotExist, path)
	fails(t, "encode", Write(path, map[string]string{HashKey: ""}, nil), domain.ErrParam, HashKey)
}
