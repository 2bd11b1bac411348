package onnx

import (
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// node is a NodeProto.
type node struct {
	kind, name, out string
	in              []string
	ones            map[string]int64
	lists           map[string][]int64
}

// onnxFile is what the tests read of a file.
type onnxFile struct {
	ir, opset       int64
	nodes           []node
	tensors         map[string]array
	inputs, outputs map[string]valueInfo
	order           []string // of the outputs
	metadata        map[string]string
}

// valueInfo is the type of an input or output; -1 stands for N.
type valueInfo struct {
	elem int64
	dims []int64
}

// fields are the fields of a message by their numbers, each a number or bytes, as often as they stand there.
type fields map[protowire.Number][]field

type field struct {
	number int64
	bytes  []byte
}

func (f field) text() string { return string(f.bytes) }

// fields are the fields of a message in a field.
func (f field) fields(t *testing.T) fields {
	t.Helper()
	all, b := fields{}, f.bytes
	consumed := func(n int) {
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
	}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		consumed(n)
		var next field
		switch kind {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			next.number = int64(v)
			consumed(n)
		case protowire.BytesType:
			next.bytes, n = protowire.ConsumeBytes(b)
			consumed(n)
		default:
			t.Fatalf("field %d has the wire type %d", number, kind)
		}
		all[number] = append(all[number], next)
	}
	return all
}

// packed are the numbers of a packed list.
func (f field) packed(t *testing.T) (list []int64) {
	t.Helper()
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		list, b = append(list, int64(v)), b[n:]
	}
	return list
}

// one is the last field of a number, or one of 0 and no bytes.
func (f fields) one(number protowire.Number) field {
	if all := f[number]; len(all) > 0 {
		return all[len(all)-1]
	}
	return field{}
}

// parse reads a file, by the field numbers of onnx.proto.
func parse(t *testing.T, b []byte) *onnxFile {
	t.Helper()
	model := field{bytes: b}.fields(t)
	f := &onnxFile{ir: model.one(1).number, tensors: map[string]array{}, inputs: map[string]valueInfo{},
		outputs: map[string]valueInfo{}, metadata: map[string]string{}}
	f.opset = model.one(8).fields(t).one(2).number
	for _, entry := range model[14] {
		e := entry.fields(t)
		f.metadata[e.one(1).text()] = e.one(2).text()
	}
	graph := model.one(7).fields(t)
	for _, n := range graph[1] {
		f.nodes = append(f.nodes, parseNode(t, n))
	}
	for _, each := range graph[5] {
		name, a := parseTensor(t, each)
		if _, twice := f.tensors[name]; twice {
			t.Fatalf("two tensors are called %q", name)
		}
		f.tensors[name] = a
	}
	for _, v := range graph[11] {
		name, info := parseValue(t, v)
		f.inputs[name] = info
	}
	for _, v := range graph[12] {
		name, info := parseValue(t, v)
		f.outputs[name], f.order = info, append(f.order, name)
	}
	return f
}

func parseNode(t *testing.T, of field) node {
	f := of.fields(t)
	n := node{kind: f.one(4).text(), name: f.one(3).text(), out: f.one(2).text(), ones: map[string]int64{},
		lists: map[string][]int64{}}
	for _, in := range f[1] {
		n.in = append(n.in, in.text())
	}
	for _, attribute := range f[5] {
		a := attribute.fields(t)
		switch name := a.one(1).text(); a.one(20).number {
		case 2:
			n.ones[name] = a.one(3).number
		case 7:
			n.lists[name] = a.one(8).packed(t)
		default:
			t.Fatalf("attribute %s has the type %d", name, a.one(20).number)
		}
	}
	return n
}

func parseTensor(t *testing.T, of field) (name string, a array) {
	f := of.fields(t)
	name, a.elem = f.one(8).text(), f.one(2).number
	size, raw := 1, f.one(9).bytes
	for _, d := range f.one(1).packed(t) {
		a.shape, size = append(a.shape, int(d)), size*int(d)
	}
	for _, s := range f[6] {
		a.texts = append(a.texts, s.text())
	}
	switch a.elem {
	case elemFloat:
		for ; len(raw) > 0; raw = raw[4:] {
			a.v = append(a.v, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	case elemDouble:
		for ; len(raw) > 0; raw = raw[8:] {
			a.v = append(a.v, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
	case elemInt64:
		for ; len(raw) > 0; raw = raw[8:] {
			a.v = append(a.v, float64(int64(binary.LittleEndian.Uint64(raw))))
		}
	}
	if len(a.v)+len(a.texts) != size {
		t.Fatalf("tensor %s of shape %v has %d numbers and %d texts", name, a.shape, len(a.v), len(a.texts))
	}
	return name, a
}

func parseValue(t *testing.T, of field) (name string, v valueInfo) {
	f := of.fields(t)
	kind := f.one(2).fields(t).one(1).fields(t) // the tensor of a type
	v.elem = kind.one(1).number
	for _, dim := range kind.one(2).fields(t)[1] {
		d := dim.fields(t)
		if d[1] != nil {
			v.dims = append(v.dims, d.one(1).number)
			continue
		}
		if d.one(2).text() != "N" {
			t.Errorf("dimension %q", d.one(2).text())
		}
		v.dims = append(v.dims, -1)
	}
	return f.one(1).text(), v
}
