package onnx

import (
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// value is the name of a tensor of the graph.
type value string

// graph is a GraphProto under construction. An error ends it; see fail.
type graph struct {
	dt    tensor.Dtype
	elem  int64 // of new numbers: element(dt), or elemDouble within double
	scope []string

	nodes, tensors message
	size           int
	names          map[string]int
	shared         map[string]value // existing small tensors, by their content
}

func newGraph(dt tensor.Dtype) *graph {
	return &graph{dt: dt, elem: element(dt), names: map[string]int{}, shared: map[string]value{}}
}

// failure is what ends the construction of a graph.
type failure struct{ error }

// fail ends the construction with an error, which file returns. The value is for functions that return one.
func fail(err error, format string, args ...any) value {
	panic(failure{fmt.Errorf("train: onnx: "+format+": %w", append(args, err)...)})
}

// caught sets err to the failure that is under way.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case failure:
		*err = f.error
	default:
		panic(f)
	}
}

// within runs f with names that start with word.
func (g *graph) within(word string, f func() value) value {
	g.scope = append(g.scope, word)
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	return f()
}

// name returns a new unique name.
func (g *graph) name(word string) string {
	name := g.at(word)
	g.names[name]++
	if n := g.names[name]; n > 1 {
		name = fmt.Sprintf("%s_%d", name, n)
	}
	return name
}

// op adds a node with one output.
func (g *graph) op(kind string, in ...value) value { return g.opWith(kind, nil, in...) }

func (g *graph) opWith(kind string, attributes []attribute, in ...value) value {
	out := g.name(kind)
	g.node(kind, out, attributes, in...)
	return value(out)
}

// node adds a node whose output has a given name.
func (g *graph) node(kind, out string, attributes []attribute, in ...value) {
	var m message
	for _, v := range in {
		m.text(nodeInput, string(v))
	}
	m.text(nodeOutput, out)
	m.text(nodeName, out)
	m.text(nodeOp, kind)
	for _, a := range attributes {
		m.put(nodeAttribute, a.message())
	}
	g.nodes.put(graphNode, m)
}

// add adds a tensor to the file. Equal small tensors are stored once.
func (g *graph) add(name string, elem int64, shape []int, raw []byte) value {
	key := ""
	if len(raw) <= 64 {
		key = fmt.Sprint(elem, shape, raw)
		if v, ok := g.shared[key]; ok {
			return v
		}
	}
	if g.size += len(raw); g.size > mostBytes {
		return fail(domain.ErrShape,
			"the weights take more than %d bytes, the most that an ONNX file holds; use fewer features", mostBytes)
	}
	v := value(g.name(name))
	var m message
	m.numbers(tensorDims, shape)
	m.number(tensorType, elem)
	m.text(tensorName, string(v))
	m.put(tensorRaw, raw)
	g.tensors.put(graphInitializer, m)
	if key != "" {
		g.shared[key] = v
	}
	return v
}

// weights adds numbers to the file, with the given shape. A number that the element type cannot hold is an error.
func (g *graph) weights(name string, v []float64, shape ...int) value {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(v) {
		return fail(domain.ErrShape,
			"%s: %d numbers are there, and the shape is %v; give the model the parameters that its map has", g.at(name), len(v),
			shape)
	}
	for i, x := range v {
		switch {
		case x-x != 0:
			return fail(domain.ErrDomain, "%s: number %d is %v; fit the model again", g.at(name), i, x)
		case g.elem == elemFloat && math.Abs(x) > math.MaxFloat32:
			return fail(domain.ErrDomain, "%s: number %d is %v, which float32 cannot hold; use float64", g.at(name), i, x)
		}
	}
	return g.add(name, g.elem, shape, rawNumbers(g.elem, v))
}

// at is a name for an error.
func (g *graph) at(name string) string {
	return strings.Join(append(g.scope[:len(g.scope):len(g.scope)], name), ".")
}

// scalar adds a single number without dimensions.
func (g *graph) scalar(v float64) value { return g.weights("number", []float64{v}) }

// row adds a list of numbers, one for each column, or one for all.
func (g *graph) row(name string, v []float64) value {
	if len(v) == 1 {
		return g.weights(name, v)
	}
	return g.weights(name, v, 1, len(v))
}

// ints adds integers to the file.
func (g *graph) ints(name string, v ...int) value {
	wide := make([]int64, len(v))
	for i, u := range v {
		wide[i] = int64(u)
	}
	return g.add(name, elemInt64, []int{len(v)}, rawBytes(wide))
}

// words adds texts to the file.
func (g *graph) words(name string, v []string) value {
	name = g.name(name)
	var m message
	m.numbers(tensorDims, []int{len(v)})
	m.number(tensorType, elemString)
	for _, s := range v {
		m.text(tensorText, s)
	}
	m.text(tensorName, name)
	g.tensors.put(graphInitializer, m)
	return value(name)
}

// double runs f on x in float64, whatever the element type is, and rounds the result once.
func (g *graph) double(x value, f func(x value) value) value {
	if g.elem == elemDouble {
		return f(x)
	}
	wide := g.cast(x, elemDouble)
	g.elem = elemDouble
	y := f(wide)
	g.elem = elemFloat
	return g.cast(y, elemFloat)
}

func (g *graph) cast(x value, elem int64) value {
	return g.opWith("Cast", []attribute{{name: "to", one: elem}}, x)
}

// The operators with arguments, and formulas of several operators.

func (g *graph) sumColumns(x value, keep int64) value {
	return g.opWith("ReduceSum", []attribute{{name: "keepdims", one: keep}}, x, g.ints("axes", -1))
}

func (g *graph) largest(x value) value {
	return g.opWith("ReduceMax", []attribute{{name: "axes", list: []int{-1}}, {name: "keepdims", one: 1}}, x)
}

func (g *graph) concat(axis int64, parts ...value) value {
	if len(parts) == 1 {
		return parts[0]
	}
	return g.opWith("Concat", []attribute{{name: "axis", one: axis}}, parts...)
}

func (g *graph) slice(x value, axis, from, to int) value {
	return g.op("Slice", x, g.ints("from", from), g.ints("to", to), g.ints("axes", axis))
}

func (g *graph) unsqueeze(x value, axis int) value {
	return g.op("Unsqueeze", x, g.ints("axes", axis))
}

// reshape keeps the rows and gives each the given shape.
func (g *graph) reshape(x value, shape ...int) value {
	return g.op("Reshape", x, g.ints("shape", append([]int{0}, shape...)...))
}

func (g *graph) transpose(x value, axes ...int) value {
	return g.opWith("Transpose", []attribute{{name: "perm", list: axes}}, x)
}

func (g *graph) times(x value, factor float64) value {
	if factor == 1 {
		return x
	}
	return g.op("Mul", x, g.scalar(factor))
}

// cos is the cosine. In float64 it uses the sine, for runtimes that have only a float32 cosine.
func (g *graph) cos(x value) value {
	if g.elem == elemDouble {
		return g.op("Sin", g.op("Add", x, g.scalar(math.Pi/2)))
	}
	return g.op("Cos", x)
}

func (g *graph) square(x value) value { return g.op("Mul", x, x) }

// zero is true where x is 0.
func (g *graph) zero(x value) value { return g.op("Equal", x, g.scalar(0)) }

// normalise is x/‖x‖ for each row, in the l1 or l2 norm, and 0 for a row of zeros. It divides by the largest number
// first, so that no square overflows.
func (g *graph) normalise(x value, l2 bool) value {
	top := g.largest(g.op("Abs", x))
	x = g.op("Div", x, g.op("Where", g.zero(top), g.scalar(1), top))
	var length value
	if l2 {
		length = g.op("Sqrt", g.sumColumns(g.square(x), 1))
	} else {
		length = g.sumColumns(g.op("Abs", x), 1)
	}
	return g.op("Div", x, g.op("Max", length, g.scalar(1))) // length is at least 1, except for a row of zeros
}
