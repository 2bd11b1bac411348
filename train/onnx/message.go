package onnx

import (
	"encoding/binary"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/tensor"
)

// The field numbers of onnx.proto of https://github.com/onnx/onnx, which is licensed under Apache-2.0. Only the fields
// that this package writes are here.
const (
	modelIRVersion = 1  // int64
	modelProducer  = 2  // string
	modelVersion   = 3  // string, the producer's
	modelGraph     = 7  // GraphProto
	modelOpset     = 8  // OperatorSetIdProto
	modelMetadata  = 14 // StringStringEntryProto, repeated

	opsetVersion = 2 // int64; the domain, field 1, is empty for the standard operators

	entryKey   = 1 // string
	entryValue = 2 // string

	graphNode        = 1  // NodeProto, repeated
	graphName        = 2  // string
	graphInitializer = 5  // TensorProto, repeated
	graphDoc         = 10 // string
	graphInput       = 11 // ValueInfoProto, repeated
	graphOutput      = 12 // ValueInfoProto, repeated

	nodeInput     = 1 // string, repeated
	nodeOutput    = 2 // string, repeated
	nodeName      = 3 // string
	nodeOp        = 4 // string
	nodeAttribute = 5 // AttributeProto, repeated

	attributeName = 1  // string
	attributeInt  = 3  // int64
	attributeInts = 8  // int64, repeated
	attributeType = 20 // enum

	tensorDims = 1 // int64, repeated
	tensorType = 2 // int32, a TensorProto.DataType
	tensorText = 6 // bytes, repeated
	tensorName = 8 // string
	tensorRaw  = 9 // bytes, little endian

	valueName = 1 // string
	valueType = 2 // TypeProto
	valueDoc  = 3 // string

	typeTensor = 1 // TypeProto.Tensor
	typeElem   = 1 // int32
	typeShape  = 2 // TensorShapeProto
	shapeDim   = 1 // TensorShapeProto.Dimension, repeated
	dimValue   = 1 // int64
	dimParam   = 2 // string
)

// Values of TensorProto.DataType and of AttributeProto.AttributeType.
const (
	elemFloat  = 1
	elemInt64  = 7
	elemString = 8
	elemDouble = 11

	attributeIsInt  = 2
	attributeIsInts = 7
)

// message is the wire form of a protobuf message.
type message []byte

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

func (m *message) put(field protowire.Number, b message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

// numbers writes a packed list, the form of repeated numbers that every reader of proto2 and proto3 accepts.
func (m *message) numbers(field protowire.Number, list []int) {
	var packed message
	for _, v := range list {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	m.put(field, packed)
}

// element is the DataType of an element type.
func element(dt tensor.Dtype) int64 {
	if dt == tensor.Float64 {
		return elemDouble
	}
	return elemFloat
}

// rawNumbers are the bytes of numbers, rounded to the element type.
func rawNumbers(elem int64, v []float64) []byte {
	if elem == elemDouble {
		return rawBytes(v)
	}
	narrow := make([]float32, len(v))
	for i, x := range v {
		narrow[i] = float32(x)
	}
	return rawBytes(narrow)
}

// rawBytes are the bytes of numbers.
func rawBytes[T int64 | float32 | float64](v []T) []byte {
	raw, err := binary.Append(make([]byte, 0, binary.Size(v)), binary.LittleEndian, v)
	if err != nil {
		panic(err) // numbers of a fixed size have bytes
	}
	return raw
}

// attribute is an attribute of a node: an integer, or a list of integers.
type attribute struct {
	name string
	one  int64
	list []int
}

func (a attribute) message() message {
	var m message
	m.text(attributeName, a.name)
	if a.list != nil {
		m.numbers(attributeInts, a.list)
		m.number(attributeType, attributeIsInts)
		return m
	}
	m.number(attributeInt, a.one)
	m.number(attributeType, attributeIsInt)
	return m
}

// valueMessage is a ValueInfoProto of a tensor whose first dimension is the batch. If columns is 0, it has no other
// dimension.
func valueMessage(name string, elem int64, columns int, doc string) message {
	var batch, shape, of, kind, m message
	batch.text(dimParam, "N")
	shape.put(shapeDim, batch)
	if columns > 0 {
		var d message
		d.number(dimValue, int64(columns))
		shape.put(shapeDim, d)
	}
	of.number(typeElem, elem)
	of.put(typeShape, shape)
	kind.put(typeTensor, of)
	m.text(valueName, name)
	m.put(valueType, kind)
	m.text(valueDoc, doc)
	return m
}

// modelMessage is a ModelProto.
func modelMessage(version string, graph message, metadata map[string]string) message {
	var opset, m message
	m.number(modelIRVersion, irVersion)
	m.text(modelProducer, "bochner")
	m.text(modelVersion, version)
	m.put(modelGraph, graph)
	opset.number(opsetVersion, Opset)
	m.put(modelOpset, opset)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		var entry message
		entry.text(entryKey, key)
		entry.text(entryValue, metadata[key])
		m.put(modelMetadata, entry)
	}
	return m
}
