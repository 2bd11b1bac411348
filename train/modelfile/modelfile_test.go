package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
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

func encode(t testing.TB, meta map[string]string, tensors map[string]*tensor.Dense) []byte {
	t.Helper()
	data := must(Encode(meta, tensors))
	return data
}

func TestRoundTrip(t *testing.T) {
	meta, tensors := sample()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := Write(path, meta, tensors); err != nil {
		t.Fatal(err)
	}
	gotMeta, got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(gotMeta) != len(meta) || len(got) != len(tensors) {
		t.Fatalf("got %d strings and %d tensors, want %d and %d", len(gotMeta), len(got), len(meta), len(tensors))
	}
	for k, v := range meta {
		if gotMeta[k] != v {
			t.Errorf("metadata %q = %q, want %q", k, gotMeta[k], v)
		}
	}
	for k, want := range tensors {
		g := got[k]
		if g == nil || g.Dtype() != want.Dtype() || !g.Shape().Eq(want.Shape()) || g.Shape().IsScalar() != want.Shape().IsScalar() {
			t.Errorf("%s: got %v, want %v %v", k, g, want.Dtype(), want.Shape())
			continue
		}
		if !bytes.Equal(appendTensor(nil, g), appendTensor(nil, want)) {
			t.Errorf("%s: bits differ", k)
		}
	}
	first, _ := os.ReadFile(path)
	if again := encode(t, gotMeta, got); !bytes.Equal(first, again) {
		t.Error("writing what was read gives other bytes")
	}
	meta, tensors, err = Decode(encode(t, nil, nil))
	if err != nil || len(meta) != 0 || len(tensors) != 0 {
		t.Errorf("empty model: %v %v %v", meta, tensors, err)
	}
}

// TestViews: a view and a transpose are written in the order of their own rows; a column-major tensor is refused.
func TestViews(t *testing.T) {
	base := func() *tensor.Dense { return dense([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 5, 3) }
	transposed := base()
	if err := transposed.T(); err != nil {
		t.Fatal(err)
	}
	cut := func(s ...tensor.Slice) *tensor.Dense {
		v := must(base().Slice(s...))
		return v.(*tensor.Dense)
	}
	for _, c := range []struct {
		name string
		in   *tensor.Dense
		want []float64
	}{
		{"transpose", transposed, []float64{0, 3, 6, 9, 12, 1, 4, 7, 10, 13, 2, 5, 8, 11, 14}},
		{"rows", cut(tensor.S(1, 3)), []float64{3, 4, 5, 6, 7, 8}},
		{"columns", cut(nil, tensor.S(1, 3)), []float64{1, 2, 4, 5, 7, 8, 10, 11, 13, 14}},
		{"column", cut(nil, tensor.S(1)), []float64{1, 4, 7, 10, 13}},
		{"cell", cut(tensor.S(2), tensor.S(1)), []float64{7}},
	} {
		shape := c.in.Shape().Clone()
		_, got, err := Decode(encode(t, nil, map[string]*tensor.Dense{"x": c.in}))
		if err != nil {
			t.Fatal(c.name, err)
		}
		if x := got["x"]; !x.Shape().Eq(shape) || fmt.Sprint(x.Float64s()) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v %v, want %v %v", c.name, x.Shape(), x.Float64s(), shape, c.want)
		}
	}
	fortran := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6}))
	if _, err := Encode(nil, map[string]*tensor.Dense{"f": fortran}); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), `"f"`) {
		t.Errorf("column-major: %v", err)
	}
}

// TestLayout reads a file by the words of the safetensors format, without any code of this package.
func TestLayout(t *testing.T) {
	file := encode(t, map[string]string{"a": "b"}, map[string]*tensor.Dense{
		"x": dense([]float64{1, -2}, 1, 2), "w": dense([]float32{0.5, 3, 4}, 3)})
	n := binary.LittleEndian.Uint64(file)
	header := file[8 : 8+n]
	if n%8 != 0 || header[0] != '{' || strings.TrimRight(string(header), " ")[0] != '{' {
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
	if err := json.Unmarshal(header, &h); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(h.W, h.X, len(h.Metadata["a"]), len(h.Metadata["sha256"])); got != "{F32 [3] [0 12]} {F64 [1 2] [12 28]} 1 64" {
		t.Errorf("header says %s", got)
	}
	var body struct {
		W [3]float32
		X [2]float64
	}
	if err := binary.Read(bytes.NewReader(file[8+n:]), binary.LittleEndian, &body); err != nil || len(file) != int(8+n+28) {
		t.Fatal(len(file), err)
	}
	if fmt.Sprint(body) != "{[0.5 3 4] [1 -2]}" {
		t.Errorf("tensors are %v", body)
	}
}

// TestEveryFlip changes one byte at a time, in several ways: none passes, and each is called damage.
func TestEveryFlip(t *testing.T) {
	file := encode(t, map[string]string{"a": "b"}, map[string]*tensor.Dense{"w": dense([]float32{0.5, 3, 4}, 3)})
	for i := range file {
		for _, flip := range []byte{1, 2, 0x20, 0x80, 0xff} {
			bad := bytes.Clone(file)
			bad[i] ^= flip
			if _, _, err := Decode(bad); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "damaged; copy it again") {
				t.Fatalf("byte %d ^ %#x: %v", i, flip, err)
			}
		}
	}
	for n := range file {
		if _, _, err := Decode(file[:n]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if _, _, err := Decode(append(bytes.Clone(file), 0)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestOtherKinds(t *testing.T) {
	foreign := `{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}   `
	for _, data := range []string{
		"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False}", "label,x1,x2\n1,0.5,0.25\n",
		string(binary.LittleEndian.AppendUint64(nil, uint64(len(foreign)))) + foreign,
	} {
		if _, _, err := Decode([]byte(data)); !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) {
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
	sum, err := checksum(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		panic(err)
	}
	copy(out[digitsAt:], sum[:])
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
		_, _, err := Decode(file(c.tensors, c.body))
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	x := dense([]float64{1}, 1)
	ints := tensor.New(tensor.WithShape(2), tensor.WithBacking([]int{1, 2}))
	for _, c := range []struct {
		name    string
		meta    map[string]string
		tensors map[string]*tensor.Dense
		is      error
	}{
		{"hash key", map[string]string{"sha256": "x"}, nil, domain.ErrParam},
		{"\\xff", map[string]string{"k": "\xff"}, nil, domain.ErrParam},
		{"\\xfe", map[string]string{"\xfe": ""}, nil, domain.ErrParam},
		{`""`, nil, map[string]*tensor.Dense{"": x}, domain.ErrParam},
		{`"__metadata__"`, nil, map[string]*tensor.Dense{"__metadata__": x}, domain.ErrParam},
		{`"\xff"`, nil, map[string]*tensor.Dense{"\xff": x}, domain.ErrParam},
		{`"gone"`, nil, map[string]*tensor.Dense{"gone": nil}, domain.ErrShape},
		{`"ints"`, nil, map[string]*tensor.Dense{"ints": ints}, domain.ErrDtype},
		{"limit", map[string]string{"k": strings.Repeat("x", MaxHeader)}, nil, domain.ErrParam},
	} {
		_, err := Encode(c.meta, c.tensors)
		if !errors.Is(err, c.is) || (c.name != "hash key" && !strings.Contains(err.Error(), c.name)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestWriteFails: when the file cannot be put in place, the old one stays whole and nothing else is left behind.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	x := map[string]*tensor.Dense{"x": dense([]float64{1}, 1)}
	target := filepath.Join(dir, "full") // a folder that is not empty cannot be replaced by a file
	if err := os.MkdirAll(filepath.Join(target, "kept"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(target, nil, x); err == nil || !strings.Contains(err.Error(), target) {
		t.Errorf("over a folder: %v", err)
	}
	if err := Write(filepath.Join(dir, "none", "m"), nil, x); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
	if _, _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	path := filepath.Join(dir, "m")
	if err := Write(path, nil, x); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, map[string]string{"sha256": ""}, x); err == nil {
		t.Error("a wrong key was written")
	}
	if _, got, err := Read(path); err != nil || got["x"].Float64s()[0] != 1 {
		t.Errorf("the old file: %v %v", got, err)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 2 {
		t.Errorf("the folder holds %v, want full and m", left)
	}
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
