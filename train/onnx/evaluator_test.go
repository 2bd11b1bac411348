package onnx

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// array is a tensor of the evaluator. Whole numbers and truth values are numbers.
type array struct {
	elem  int64
	shape []int
	v     []float64
	texts []string
}

func (a array) at(axis int64) int { return int(axis+int64(len(a.shape))) % len(a.shape) }

// cell is the number at an index. An axis of one number has it everywhere, and an index with more axes has them first.
func (a array) cell(at []int) float64 {
	i := 0
	for k, d := range a.shape {
		if i *= d; d > 1 {
			i += at[len(at)-len(a.shape)+k]
		}
	}
	return a.v[i]
}

// build makes an array of what f says of the index of each cell. f must not keep the index.
func build(elem int64, shape []int, f func(at []int) float64) array {
	size, at := 1, make([]int, len(shape))
	for _, d := range shape {
		size *= d
	}
	out := array{elem: elem, shape: shape, v: make([]float64, size)}
	for i := range out.v {
		for k, rest := len(shape)-1, i; k >= 0; k-- {
			at[k], rest = rest%shape[k], rest/shape[k]
		}
		out.v[i] = f(at)
	}
	return out
}

// slice is the i-th array along the first axis.
func (a array) slice(i int) array {
	size := len(a.v) / a.shape[0]
	return array{elem: a.elem, shape: a.shape[1:], v: a.v[i*size : (i+1)*size]}
}

// evaluate runs a graph, as the documentation of the operators says, on rows x: a plain one, for the operators of this
// package. Each operator of float32 rounds once.
func evaluate(t *testing.T, f *onnxFile, x array) map[string]array {
	t.Helper()
	known := map[string]array{Input: x}
	for name, a := range f.tensors {
		known[name] = a
	}
	for _, n := range f.nodes {
		var in []array
		for _, name := range n.in {
			a, ok := known[name]
			if !ok {
				t.Fatalf("node %s takes %q, which nothing made before", n.name, name)
			}
			in = append(in, a)
		}
		if _, twice := known[n.out]; twice {
			t.Fatalf("node %s makes %q, which is there", n.name, n.out)
		}
		out, err := apply(n, in)
		if err != nil {
			t.Fatalf("node %s: %v", n.name, err)
		}
		if out.elem == elemFloat {
			for i, v := range out.v {
				out.v[i] = float64(float32(v))
			}
		}
		known[n.out] = out
	}
	return known
}

var ofOne = map[string]func(float64) float64{
	"Abs": math.Abs, "Neg": func(v float64) float64 { return -v }, "Exp": math.Exp, "Log": math.Log, "Sqrt": math.Sqrt,
	"Sin": math.Sin, "Cos": math.Cos, "Relu": func(v float64) float64 { return max(v, 0) }, "Tanh": math.Tanh,
	"Sigmoid": func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }, "Identity": func(v float64) float64 { return v },
	"Floor": math.Floor,
	"Sign": func(v float64) float64 {
		if v == 0 {
			return 0
		}
		return math.Copysign(1, v)
	},
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var ofTwo = map[string]func(a, b float64) float64{
	"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
	"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
	"Max": math.Max, "Min": math.Min, "Pow": math.Pow,
	"Equal":          func(a, b float64) float64 { return truth(a == b) },
	"Greater":        func(a, b float64) float64 { return truth(a > b) },
	"GreaterOrEqual": func(a, b float64) float64 { return truth(a >= b) },
}

const elemBool = 9

func apply(n node, in []array) (array, error) {
	if f := ofOne[n.kind]; f != nil && len(in[0].texts) == 0 {
		return broadcast(in[0].elem, func(v ...float64) float64 { return f(v[0]) }, in[0]), nil
	}
	if f := ofTwo[n.kind]; f != nil {
		if in[0].elem != in[1].elem {
			return array{}, fmt.Errorf("element types %d and %d", in[0].elem, in[1].elem)
		}
		elem := in[0].elem
		if n.kind == "Equal" || n.kind == "Greater" || n.kind == "GreaterOrEqual" {
			elem = elemBool
		}
		return broadcast(elem, func(v ...float64) float64 { return f(v[0], v[1]) }, in[0], in[1]), nil
	}
	a := in[0]
	switch n.kind {
	case "Identity":
		return a, nil
	case "Where":
		if a.elem != elemBool || in[1].elem != in[2].elem {
			return array{}, fmt.Errorf("element types")
		}
		return broadcast(in[1].elem, func(v ...float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, in...), nil
	case "Clip":
		return broadcast(a.elem, func(v ...float64) float64 { return math.Min(math.Max(v[0], v[1]), v[2]) }, in...), nil
	case "Cast":
		return array{elem: n.ones["to"], shape: a.shape, v: slices.Clone(a.v)}, nil
	case "Unsqueeze":
		return array{elem: a.elem, shape: slices.Insert(slices.Clone(a.shape), int(in[1].v[0]), 1), v: slices.Clone(a.v)}, nil
	case "Reshape":
		out := array{elem: a.elem, v: slices.Clone(a.v)}
		size := 1
		for i, d := range in[1].v {
			if d == 0 {
				d = float64(a.shape[i])
			}
			out.shape, size = append(out.shape, int(d)), size*int(d)
		}
		if size != len(a.v) {
			return out, fmt.Errorf("%v becomes %v", a.shape, out.shape)
		}
		return out, nil
	case "Transpose":
		return transposed(a, n.lists["perm"]), nil
	case "MatMul", "Gemm":
		return product(n, in)
	case "Concat":
		return joined(a.at(n.ones["axis"]), in)
	case "Gather":
		return gathered(a.at(n.ones["axis"]), a, in[1])
	case "Slice":
		axis, from, to := a.at(int64(in[3].v[0])), int(in[1].v[0]), int(in[2].v[0])
		index := array{}
		for i := from; i < to; i++ {
			index.v = append(index.v, float64(i))
		}
		index.shape = []int{len(index.v)}
		return gathered(axis, a, index)
	case "ReduceSum", "ReduceMax", "Softmax", "LogSoftmax", "ArgMax":
		return reduced(n, in), nil
	}
	return array{}, fmt.Errorf("the operator %s is not known", n.kind)
}

// broadcast applies f cell by cell.
func broadcast(elem int64, f func(v ...float64) float64, in ...array) array {
	var shape []int
	for _, a := range in {
		for len(shape) < len(a.shape) {
			shape = slices.Insert(shape, 0, 1)
		}
		for k, d := range a.shape {
			at := &shape[len(shape)-len(a.shape)+k]
			if d != 1 && *at != 1 && *at != d {
				panic(fmt.Sprintf("shapes %v and %v", shape, a.shape))
			}
			*at = max(*at, d)
		}
	}
	args := make([]float64, len(in))
	return build(elem, shape, func(at []int) float64 {
		for k, a := range in {
			args[k] = a.cell(at)
		}
		return f(args...)
	})
}

// transposed is an array of the axes of a in another order.
func transposed(a array, axes []int64) array {
	shape, from := make([]int, len(axes)), make([]int, len(axes))
	for k, axis := range axes {
		shape[k] = a.shape[axis]
	}
	return build(a.elem, shape, func(at []int) float64 {
		for k, axis := range axes {
			from[axis] = at[k]
		}
		return a.cell(from)
	})
}

// product is a matrix times another, plus a bias for Gemm, or as many matrices times others.
func product(n node, in []array) (array, error) {
	a, b := in[0], in[1]
	if n.kind == "MatMul" && len(a.shape) == 3 && len(b.shape) == 3 && a.shape[0] == b.shape[0] {
		out := array{elem: a.elem, shape: []int{a.shape[0], a.shape[1], b.shape[2]}}
		for i := range a.shape[0] {
			each, err := product(n, []array{a.slice(i), b.slice(i)})
			if err != nil {
				return out, err
			}
			out.v = append(out.v, each.v...)
		}
		return out, nil
	}
	if len(a.shape) != 2 || len(b.shape) != 2 || a.shape[1] != b.shape[0] || a.elem != b.elem {
		return array{}, fmt.Errorf("shapes %v and %v, element types %d and %d", a.shape, b.shape, a.elem, b.elem)
	}
	var c mat.Dense
	c.Mul(mat.NewDense(a.shape[0], a.shape[1], a.v), mat.NewDense(b.shape[0], b.shape[1], b.v))
	out := array{elem: a.elem, shape: []int{a.shape[0], b.shape[1]}, v: c.RawMatrix().Data}
	if n.kind == "Gemm" {
		return broadcast(a.elem, func(v ...float64) float64 { return v[0] + v[1] }, out, in[2]), nil
	}
	return out, nil
}

func joined(axis int, in []array) (array, error) {
	shape := slices.Clone(in[0].shape)
	shape[axis] = 0
	for _, a := range in {
		same := slices.Clone(in[0].shape)
		same[axis] = a.shape[axis]
		if a.elem != in[0].elem || !slices.Equal(a.shape, same) {
			return a, fmt.Errorf("shapes %v and %v, element types %d and %d", in[0].shape, a.shape, in[0].elem, a.elem)
		}
		shape[axis] += a.shape[axis]
	}
	from := make([]int, len(shape))
	return build(in[0].elem, shape, func(at []int) float64 {
		k := 0
		for copy(from, at); from[axis] >= in[k].shape[axis]; k++ {
			from[axis] -= in[k].shape[axis]
		}
		return in[k].cell(from)
	}), nil
}

func gathered(axis int, a, index array) (array, error) {
	out := array{elem: a.elem, shape: slices.Concat(a.shape[:axis], index.shape, a.shape[axis+1:])}
	for _, i := range index.v {
		if i < 0 || int(i) >= a.shape[axis] {
			return out, fmt.Errorf("index %v of %d", i, a.shape[axis])
		}
		if a.texts != nil {
			out.texts = append(out.texts, a.texts[int(i)])
		}
	}
	if a.texts != nil {
		return out, nil
	}
	from, behind := make([]int, len(a.shape)), axis+len(index.shape)
	return build(a.elem, out.shape, func(at []int) float64 {
		copy(from, at[:axis])
		from[axis] = int(index.cell(at[axis:behind]))
		copy(from[axis+1:], at[behind:])
		return a.cell(from)
	}), nil
}

// alongAxis are the operators of the numbers v along an axis: the i-th result, or the only one.
var alongAxis = map[string]func(v []float64, i int) float64{
	"ReduceSum":  func(v []float64, _ int) float64 { return floats.Sum(v) },
	"ReduceMax":  func(v []float64, _ int) float64 { return floats.Max(v) },
	"ArgMax":     func(v []float64, _ int) float64 { return float64(floats.MaxIdx(v)) },
	"LogSoftmax": func(v []float64, i int) float64 { return v[i] - floats.LogSumExp(v) },
	"Softmax":    func(v []float64, i int) float64 { return math.Exp(v[i] - floats.LogSumExp(v)) },
}

// reduced applies an operator of alongAxis.
func reduced(n node, in []array) array {
	a, elem, axis := in[0], in[0].elem, n.ones["axis"]
	switch n.kind {
	case "ReduceSum":
		axis = int64(in[1].v[0])
	case "ReduceMax":
		axis = n.lists["axes"][0]
	case "ArgMax":
		elem = elemInt64
	}
	k, shape := a.at(axis), slices.Clone(a.shape)
	keep, reduces := n.ones["keepdims"]
	if reduces {
		shape[k] = 1
	}
	v, from := make([]float64, a.shape[k]), make([]int, len(shape))
	out := build(elem, shape, func(at []int) float64 {
		copy(from, at)
		for i := range v {
			from[k] = i
			v[i] = a.cell(from)
		}
		return alongAxis[n.kind](v, at[k])
	})
	if reduces && keep == 0 {
		out.shape = slices.Delete(shape, k, k+1)
	}
	return out
}
