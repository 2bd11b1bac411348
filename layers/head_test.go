package layers_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestFwdBesideLoss: a graph that holds the probabilities of a SoftmaxHead and its loss, in either order, has the
// values and the gradients of one that holds one of them, alone, in a Sequential and in a composition of golgi's.
func TestFwdBesideLoss(t *testing.T) {
	const n, d, k = 4, 3, 5
	x, targets := rows(tensor.Float64, n, d, 1), zeros(n, k)
	for i := range n {
		targets.Float64s()[i*k+i] = 1
	}
	start := make([]float64, 6*k)
	for i := range start {
		start[i] = 3 * math.Sin(float64(i))
	}
	compositions := map[string]func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result{
		"alone": func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result { return head.Fwd(rff.Fwd(x)) },
		"Sequential": func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result {
			return must(layers.NewSequential(rff, head)).Fwd(x)
		},
		"golgi": func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result {
			return must(golgi.ComposeSeq(x, rff, head)).Fwd(x)
		},
	}
	measure := func(name, order string) (p, loss, grad []float64) {
		rff, head := fourier(d, 6, layers.Tune(layers.Bandwidth)), must(layers.NewSoftmaxHead(6, k))
		must(head, head.SetWeights(start, make([]float64, k)))
		g := G.NewGraph()
		in, y := input(g, x), node(g, "y", targets)
		var cost *G.Node
		var params G.Nodes
		var probabilities, value G.Value
		for _, part := range order {
			if part == 'L' {
				cost = must(head.Loss(rff.Fwd(in).Node(), y))
				G.Read(cost, &value)
				continue
			}
			r := compositions[name](in, rff, head)
			G.Read(must(r.Node(), r.Err()), &probabilities)
		}
		if cost != nil {
			params = layers.Collect(rff, head)
			must(G.Grad(cost, params...))
		}
		m := G.NewTapeMachine(g, G.BindDualValues(params...))
		defer m.Close()
		must(0, m.RunAll())
		if probabilities != nil {
			p = floats(probabilities)
		}
		for _, n := range params {
			loss, grad = floats(value), append(grad, floats(must(n.Grad()))...)
		}
		return p, loss, grad
	}
	_, loss, grad := measure("alone", "L")
	p, _, _ := measure("alone", "F")
	for name := range compositions {
		for _, order := range []string{"L", "F", "LF", "FL"} {
			gotP, gotLoss, gotGrad := measure(name, order)
			what := name + " " + order
			if strings.Contains(order, "F") {
				near(t, what+": probabilities", gotP, p, 1e-14)
			}
			if strings.Contains(order, "L") {
				near(t, what+": loss", gotLoss, loss, 1e-14)
				near(t, what+": gradients", gotGrad, grad, 1e-14)
			}
		}
	}
	sum := 0.0
	for i := range n {
		sum -= math.Log(p[i*k+i]) / n
	}
	if math.Abs(loss[0]-sum) > 1e-14 {
		t.Errorf("the loss is %v, the mean of -ln p of the classes %v", loss[0], sum)
	}
}

// TestHeadsAgree: of every kind of head the loss of a graph is the mean RowLoss of what Transform gives, weights of 1
// change nothing, and others multiply its terms.
func TestHeadsAgree(t *testing.T) {
	const n, d, k = 6, 3, 4
	x := rows(tensor.Float64, n, d, 1)
	for _, kind := range layers.HeadKinds() {
		head := must(layers.NewHead(kind, d, k))
		if head.Kind() != kind {
			t.Errorf("%s is of the kind %s", kind, head.Kind())
		}
		start := make([]float64, d*k)
		for i := range start {
			start[i] = 2 * math.Sin(float64(i))
		}
		must(head, head.SetWeights(start, []float64{.1, -.2, .3, 0}))
		targets, weights := make([]float64, n*k), make([]float64, n*k)
		for i := range n {
			targets[i*k+i%k] = 1
			for j := range k {
				weights[i*k+j] = 1 + float64(i+j)/5
			}
		}
		scores := floats(must(head.Logits(nil, x)))
		mean, weighted := 0., 0.
		for i := range n {
			mean += head.RowLoss(scores[i*k:(i+1)*k], targets[i*k:(i+1)*k]) / n
			for j := range k { // a term at a time
				loss := must(layers.NewHead(kind, d, 1)).RowLoss(scores[i*k+j:i*k+j+1], targets[i*k+j:i*k+j+1])
				if head.Classifies() { // whose terms depend on the logits of all classes
					one := make([]float64, k)
					one[j] = targets[i*k+j]
					loss = head.RowLoss(scores[i*k:(i+1)*k], one)
				}
				weighted += weights[i*k+j] * loss / n
			}
		}
		g := G.NewGraph()
		in := input(g, x)
		y := node(g, "y", dense(k, targets...))
		losses := []*G.Node{must(head.Loss(in, y)),
			must(head.WeightedLoss(in, y, node(g, "ones", tensor.Ones(tensor.Float64, n, k)))),
			must(head.WeightedLoss(in, y, node(g, "weights", dense(k, weights...))))}
		for i, want := range []float64{mean, mean, weighted} { // the last with weights that are not 1
			near(t, fmt.Sprint(kind, ", loss ", i), run(t, losses[i]), []float64{want}, 1e-12*math.Abs(want))
		}
		small := node(g, "small", tensor.Ones(tensor.Float64, n, 2))
		single := node(g, "single", tensor.Ones(tensor.Float32, n, k))
		for bad, is := range map[*G.Node]error{small: layers.ErrShape, single: layers.ErrDtype} {
			_, err := head.Loss(in, bad)
			_, weighed := head.WeightedLoss(in, y, bad)
			wantErr(t, kind, err, is, "targets")
			wantErr(t, kind, weighed, is, "weights")
			if strings.Count(err.Error(), head.Name()) != 1 {
				t.Errorf("the error names the head more than once: %v", err)
			}
		}
	}
}

// TestRowLossOfRareClass: the loss of a class that is far behind is the gap, in float32 too.
func TestRowLossOfRareClass(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		head := must(layers.NewSoftmaxHead(1, 2, layers.WithDtype(dt)))
		must(head, head.SetWeights([]float64{104, 0}, []float64{0, 0}))
		z := tensor.Ones(dt, 1, 1)
		got := head.RowLoss(ops.Float64s(must(head.Logits(nil, z))), []float64{0, 1})
		if !(math.Abs(got-104) < 1e-3) {
			t.Errorf("%v: the loss of a gap of 104 is %v", dt, got)
		}
	}
}

// TestPackHead: a packed head has the scores of one that is not, to the bit, dense or sparse, of one row or many, from
// many goroutines at a time; and it follows everything that changes its weights or may.
func TestPackHead(t *testing.T) {
	const d, k = 67, 5
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, kind := range layers.HeadKinds() {
			weights := func(h layers.Head, by float64) layers.Head {
				w := make([]float64, d*k)
				for i := range w {
					w[i] = by * float64(i%11-5)
				}
				return must(h, h.SetWeights(w, []float64{1, 2, 3, 4, 5}))
			}
			head := func(by float64) layers.Head {
				return weights(must(layers.NewHead(kind, d, k, layers.WithDtype(dt))), by)
			}
			same := func(when string, got, want layers.Head) {
				t.Helper()
				for _, n := range []int{1, 9, 130} {
					x := rows(dt, n, d, 4)
					for _, z := range []ops.Matrix{x, must(ops.CSROf(x))} {
						near(t, fmt.Sprintf("%s of %v, %s: %d rows, %T", kind, dt, when, n, z),
							floats(must(layers.Transform(got, nil, z))), floats(must(layers.Transform(want, nil, z))), 0)
					}
				}
			}
			h := head(1)
			pack := func() { must(h, layers.PackHead(h)) }
			pack()
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { same("packed", h, head(1)) })
			}
			wg.Wait()
			weights(h, 2)
			same("set", h, head(2))
			pack()
			// whose tensors a caller may change
			must(h, ops.Assign(h.Params()[0].Value, head(3).Params()[0].Value))
			same("changed by Params", h, head(3))
			pack()
			g := G.NewGraph()
			h.Fwd(input(g, rows(dt, 2, d, 4)))
			w := g.ByName(h.Name() + "_W")[0].Value().(*tensor.Dense)
			must(h, ops.Assign(w, head(4).Params()[0].Value))
			same("changed in a graph", h, head(4))
		}
	}
}
