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

// fields are those of a message, each with its number or its bytes.
func fields(t *testing.T, b []byte, each func(field protowire.Number, number uint64, bytes []byte)) {
	t.Helper()
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var number uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("field %d has the wire type %d", field, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		each(field, number, bytes)
	}
}

func packed(t *testing.T, b []byte) (list []int64) {
	t.Helper()
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		list, b = append(list, int64(v)), b[n:]
	}
	return list
}

// parse reads a file, by the field numbers of onnx.proto.
func parse(t *testing.T, b []byte) *onnxFile {
	t.Helper()
	f := &onnxFile{tensors: map[string]array{}, inputs: map[string]valueInfo{}, outputs: map[string]valueInfo{}, metadata: map[string]string{}}
	fields(t, b, func(field protowire.Number, number uint64, bytes []byte) {
		switch field {
		case 1:
			f.ir = int64(number)
		case 7:
			fields(t, bytes, func(field protowire.Number, _ uint64, bytes []byte) {
				switch field {
				case 1:
					f.nodes = append(f.nodes, parseNode(t, bytes))
				case 5:
					name, a := parseTensor(t, bytes)
					if _, twice := f.tensors[name]; twice {
						t.Fatalf("two tensors are called %q", name)
					}
					f.tensors[name] = a
				case 11:
					name, v := parseValue(t, bytes)
					f.inputs[name] = v
				case 12:
					name, v := parseValue(t, bytes)
					f.outputs[name], f.order = v, append(f.order, name)
				}
			})
		case 8:
			fields(t, bytes, func(field protowire.Number, number uint64, _ []byte) {
				if field == 2 {
					f.opset = int64(number)
				}
			})
		case 14:
			var key, value string
			fields(t, bytes, func(field protowire.Number, _ uint64, bytes []byte) {
				if field == 1 {
					key = string(bytes)
				} else {
					value = string(bytes)
				}
			})
			f.metadata[key] = value
		}
	})
	return f
}

func parseNode(t *testing.T, b []byte) node {
	n := node{ones: map[string]int64{}, lists: map[string][]int64{}}
	fields(t, b, func(field protowire.Number, _ uint64, bytes []byte) {
		switch field {
		case 1:
			n.in = append(n.in, string(bytes))
		case 2:
			n.out = string(bytes)
		case 3:
			n.name = string(bytes)
		case 4:
			n.kind = string(bytes)
		case 5:
			var name string
			var one int64
			var list []int64
			var kind uint64
			fields(t, bytes, func(field protowire.Number, number uint64, bytes []byte) {
				switch field {
				case 1:
					name = string(bytes)
				case 3:
					one = int64(number)
				case 8:
					list = packed(t, bytes)
				case 20:
					kind = number
				}
			})
			switch kind {
			case 2:
				n.ones[name] = one
			case 7:
				n.lists[name] = list
			default:
				t.Fatalf("attribute %s has the type %d", name, kind)
			}
		}
	})
	return n
}

func parseTensor(t *testing.T, b []byte) (name string, a array) {
	size, raw := 1, []byte(nil)
	fields(t, b, func(field protowire.Number, number uint64, bytes []byte) {
		switch field {
		case 1:
			for _, d := range packed(t, bytes) {
				a.shape, size = append(a.shape, int(d)), size*int(d)
			}
		case 2:
			a.elem = int64(number)
		case 6:
			a.texts = append(a.texts, string(bytes))
		case 8:
			name = string(bytes)
		case 9:
			raw = bytes
		}
	})
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

func parseValue(t *testing.T, b []byte) (name string, v valueInfo) {
	fields(t, b, func(field protowire.Number, _ uint64, bytes []byte) {
		switch field {
		case 1:
			name = string(bytes)
		case 2:
			fields(t, bytes, func(_ protowire.Number, _ uint64, bytes []byte) { // tensor_type
				fields(t, bytes, func(field protowire.Number, number uint64, bytes []byte) {
					if field == 1 {
						v.elem = int64(number)
						return
					}
					fields(t, bytes, func(_ protowire.Number, _ uint64, bytes []byte) { // dim
						fields(t, bytes, func(field protowire.Number, number uint64, bytes []byte) {
							switch field {
							case 1:
								v.dims = append(v.dims, int64(number))
							case 2:
								if string(bytes) != "N" {
									t.Errorf("dimension %q", bytes)
								}
								v.dims = append(v.dims, -1)
							}
						})
					})
				})
			})
		}
	})
	return name, v
}
