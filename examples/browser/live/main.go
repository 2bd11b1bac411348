//go:build js && wasm

// Command live is the part of the page of examples/browser that learns in WebAssembly:
//
//	GOOS=js GOARCH=wasm go build -o live.wasm ./examples/browser/live
//
// It gives the worker that starts it one object, bochner, with the functions
//
//	set({x, y, class, features, sigma, seed, fresh})    points as Float64Arrays, class null for a curve
//	tune(evaluations)                                   -> {gain, evaluations}
//	surface(tuned, side)                                -> {probabilities: Float32Array, classes, accuracy}
//	band(tuned, columns, level)                         -> {mean, lower, upper: Float32Arrays, rmse}
//
// set keeps the frequencies that were tuned so far, unless fresh is true, as it must be for points of the other kind
// and for other features. What fails returns {error}, a text.
package main

import (
	"context"
	"encoding/binary"
	"math"
	"syscall/js"

	"github.com/bochner-go/bochner/examples/browser/plane"
	"github.com/bochner-go/bochner/examples/internal/try"
)

// learners are the two that the page compares. nil: set has not been called, or failed.
var frozen, tuned *plane.Learner

func main() {
	ctx := context.Background()
	js.Global().Set("bochner", js.ValueOf(map[string]any{
		"set": function(func(args []js.Value) map[string]any {
			set(args[0])
			return nil
		}),
		"tune": function(func(args []js.Value) map[string]any {
			l := learner(true)
			gain := try.Get(l.Tune(ctx, args[0].Int()))
			return map[string]any{"gain": gain, "evaluations": l.Evaluations}
		}),
		"surface": function(func(args []js.Value) map[string]any {
			s := try.Get(learner(args[0].Bool()).Surface(ctx, args[1].Int()))
			return map[string]any{"probabilities": array(s.Probabilities), "classes": plane.Classes, "accuracy": s.Accuracy}
		}),
		"band": function(func(args []js.Value) map[string]any {
			b := try.Get(learner(args[0].Bool()).Band(ctx, args[1].Int(), args[2].Float()))
			return map[string]any{"mean": array(b.Mean), "lower": array(b.Lower), "upper": array(b.Upper), "rmse": b.RMSE}
		}),
	}))
	js.Global().Call("bochnerReady")
	select {}
}

// function is f for JavaScript. What it is called with wrongly is an error as well.
func function(f func(args []js.Value) map[string]any) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (out any) {
		defer func() {
			if e := recover(); e != nil {
				if e, ok := e.(error); ok {
					out = map[string]any{"error": e.Error()}
					return
				}
				panic(e)
			}
		}()
		if err := try.Catch(func() { out = f(args) }); err != nil {
			return map[string]any{"error": err.Error()}
		}
		return out
	})
}

// learner is the tuned one or the frozen one.
func learner(isTuned bool) *plane.Learner {
	l := frozen
	if isTuned {
		l = tuned
	}
	if l == nil {
		try.Fail("live: there are no points; call set")
	}
	return l
}

func set(v js.Value) {
	p := plane.Problem{X: numbers(v.Get("x")), Y: numbers(v.Get("y")), Features: v.Get("features").Int(), Sigma: v.Get("sigma").Float(),
		Seed: uint64(v.Get("seed").Int())}
	if class := v.Get("class"); !class.IsNull() {
		p.Class = []int{}
		for _, c := range numbers(class) {
			p.Class = append(p.Class, int(c))
		}
	}
	if tuned != nil && !v.Get("fresh").Bool() {
		for _, l := range []*plane.Learner{frozen, tuned} { // the first refuses what the other would
			try.Do(l.Set(p.X, p.Y, p.Class))
		}
		return
	}
	frozen, tuned = nil, nil
	frozen, tuned = try.Get(plane.New(p)), try.Get(plane.New(p))
}

// numbers copies a Float64Array.
func numbers(v js.Value) []float64 {
	b := make([]byte, v.Get("byteLength").Int())
	js.CopyBytesToGo(b, js.Global().Get("Uint8Array").New(v.Get("buffer"), v.Get("byteOffset"), len(b)))
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// array copies to a Float32Array.
func array(v []float64) js.Value {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	bytes := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(bytes, b)
	return js.Global().Get("Float32Array").New(bytes.Get("buffer"))
}
