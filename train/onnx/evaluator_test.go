package onnx

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// array is a tensor of the evaluator. Whole numbers and truth values are numbers.
type array struct {
	elem  int64
	shape []int
	v     []float64
	texts []string
}

func (a array) at(axis int64) int { return int(axis+int64(len(a.shape))) % len(a.shape) }

// sizes are the products of the sizes before an axis, of the axis, and behind it.
func (a array) sizes(axis int) (outer, n, inner int) {
	outer, inner = 1, 1
	for i, d := range a.shape {
		switch {
		case i < axis:
			outer *= d
		case i == axis:
			n = d
		default:
			inner *= d
		}
	}
	return outer, n, inner
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
		return reduced(n, in)
	}
	return array{}, fmt.Errorf("the operator %s is not known", n.kind)
}

// broadcast applies f cell by cell.
func broadcast(elem int64, f func(v ...float64) float64, in ...array) array {
	out := array{elem: elem}
	for _, a := range in {
		for len(out.shape) < len(a.shape) {
			out.shape = slices.Insert(out.shape, 0, 1)
		}
		for i, d := range a.shape {
			at := len(out.shape) - len(a.shape) + i
			if d != 1 {
				if out.shape[at] != 1 && out.shape[at] != d {
					panic(fmt.Sprintf("shapes %v and %v", out.shape, a.shape))
				}
				out.shape[at] = d
			}
		}
	}
	size := 1
	for _, d := range out.shape {
		size *= d
	}
	out.v = make([]float64, size)
	args := make([]float64, len(in))
	for i := range out.v {
		for k, a := range in {
			rest, at, stride := i, 0, 1
			for j := len(out.shape) - 1; j >= len(out.shape)-len(a.shape); j-- {
				d := a.shape[j-len(out.shape)+len(a.shape)]
				if d != 1 {
					at += rest % out.shape[j] * stride
				}
				stride, rest = stride*d, rest/out.shape[j]
			}
			args[k] = a.v[at]
		}
		out.v[i] = f(args...)
	}
	return out
}

// transposed is an array of the axes of a in another order.
func transposed(a array, axes []int64) array {
	out := array{elem: a.elem, v: make([]float64, len(a.v))}
	for _, axis := range axes {
		out.shape = append(out.shape, a.shape[axis])
	}
	index := make([]int, len(axes)) // in out
	for i := range out.v {
		for k, rest := len(axes)-1, i; k >= 0; k-- {
			index[axes[k]], rest = rest%out.shape[k], rest/out.shape[k]
		}
		at := 0
		for k, d := range a.shape {
			at = at*d + index[k]
		}
		out.v[i] = a.v[at]
	}
	return out
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
	rows, inner, cols := a.shape[0], a.shape[1], b.shape[1]
	out := array{elem: a.elem, shape: []int{rows, cols}, v: make([]float64, rows*cols)}
	for i := range rows {
		for k := range inner {
			for j := range cols {
				out.v[i*cols+j] += a.v[i*inner+k] * b.v[k*cols+j]
			}
		}
	}
	if n.kind == "Gemm" {
		return broadcast(a.elem, func(v ...float64) float64 { return v[0] + v[1] }, out, in[2]), nil
	}
	return out, nil
}

func joined(axis int, in []array) (array, error) {
	out := array{elem: in[0].elem, shape: slices.Clone(in[0].shape)}
	outer, _, _ := in[0].sizes(axis)
	out.shape[axis] = 0
	for _, a := range in {
		out.shape[axis] += a.shape[axis]
		if a.elem != out.elem {
			return out, fmt.Errorf("element types %d and %d", a.elem, out.elem)
		}
	}
	for i := range outer {
		for _, a := range in {
			_, n, inner := a.sizes(axis)
			out.v = append(out.v, a.v[i*n*inner:(i+1)*n*inner]...)
		}
	}
	return out, nil
}

func gathered(axis int, a, index array) (array, error) {
	outer, n, inner := a.sizes(axis)
	out := array{elem: a.elem, shape: slices.Concat(a.shape[:axis], index.shape, a.shape[axis+1:])}
	for o := range outer {
		for _, i := range index.v {
			if i < 0 || int(i) >= n {
				return out, fmt.Errorf("index %v of %d", i, n)
			}
			if a.texts != nil {
				out.texts = append(out.texts, a.texts[int(i)])
				continue
			}
			at := (o*n + int(i)) * inner
			out.v = append(out.v, a.v[at:at+inner]...)
		}
	}
	return out, nil
}

// reduced are the operators that go along an axis.
func reduced(n node, in []array) (array, error) {
	a, axis, keep := in[0], 0, n.ones["keepdims"] == 1
	switch n.kind {
	case "ReduceSum":
		axis = a.at(int64(in[1].v[0]))
	case "ReduceMax":
		axis = a.at(n.lists["axes"][0])
	default:
		axis = a.at(n.ones["axis"])
	}
	outer, size, inner := a.sizes(axis)
	out := array{elem: a.elem, shape: slices.Clone(a.shape)}
	whole := n.kind == "Softmax" || n.kind == "LogSoftmax"
	if whole {
		out.v = make([]float64, len(a.v))
	} else if keep {
		out.shape[axis] = 1
	} else {
		out.shape = slices.Delete(out.shape, axis, axis+1)
	}
	if n.kind == "ArgMax" {
		out.elem = elemInt64
	}
	for o := range outer {
		for k := range inner {
			cell := func(i int) int { return (o*size+i)*inner + k }
			sum, most, first := 0., math.Inf(-1), 0
			for i := range size {
				sum += a.v[cell(i)]
				if a.v[cell(i)] > most {
					most, first = a.v[cell(i)], i
				}
			}
			switch n.kind {
			case "ReduceSum":
				out.v = append(out.v, sum)
			case "ReduceMax":
				out.v = append(out.v, most)
			case "ArgMax":
				out.v = append(out.v, float64(first))
			default:
				total := 0.
				for i := range size {
					total += math.Exp(a.v[cell(i)] - most)
				}
				for i := range size {
					log := a.v[cell(i)] - most - math.Log(total)
					if out.v[cell(i)] = log; n.kind == "Softmax" {
						out.v[cell(i)] = math.Exp(log)
					}
				}
			}
		}
	}
	return out, nil
}
