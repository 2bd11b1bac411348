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
	"errors"
	"math"
	"syscall/js"

	"github.com/bochner-go/bochner/examples/browser/plane"
)

// learners are the two that the page compares. nil: set has not been called, or failed.
var frozen, tuned *plane.Learner

var errUnset = errors.New("live: there are no points; call set")

func main() {
	ctx := context.Background()
	js.Global().Set("bochner", js.ValueOf(map[string]any{
		"set": function(func(args []js.Value) (map[string]any, error) { return nil, set(args[0]) }),
		"tune": function(func(args []js.Value) (map[string]any, error) {
			if tuned == nil {
				return nil, errUnset
			}
			gain, err := tuned.Tune(ctx, args[0].Int())
			return map[string]any{"gain": gain, "evaluations": tuned.Evaluations}, err
		}),
		"surface": ofLearner(func(l *plane.Learner, args []js.Value) (map[string]any, error) {
			s, err := l.Surface(ctx, args[0].Int())
			if err != nil {
				return nil, err
			}
			return map[string]any{"probabilities": array(s.Probabilities), "classes": plane.Classes, "accuracy": s.Accuracy}, nil
		}),
		"band": ofLearner(func(l *plane.Learner, args []js.Value) (map[string]any, error) {
			b, err := l.Band(ctx, args[0].Int(), args[1].Float())
			if err != nil {
				return nil, err
			}
			return map[string]any{"mean": array(b.Mean), "lower": array(b.Lower), "upper": array(b.Upper), "rmse": b.RMSE}, nil
		}),
	}))
	js.Global().Call("bochnerReady")
	select {}
}

// function is f for JavaScript. What it is called with wrongly is an error as well.
func function(f func(args []js.Value) (map[string]any, error)) js.Func {
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
		m, err := f(args)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return m
	})
}

// ofLearner is f of the learner that the first argument names, and of the others.
func ofLearner(f func(l *plane.Learner, args []js.Value) (map[string]any, error)) js.Func {
	return function(func(args []js.Value) (map[string]any, error) {
		l := frozen
		if args[0].Bool() {
			l = tuned
		}
		if l == nil {
			return nil, errUnset
		}
		return f(l, args[1:])
	})
}

func set(v js.Value) error {
	p := plane.Problem{X: numbers(v.Get("x")), Y: numbers(v.Get("y")), Features: v.Get("features").Int(), Sigma: v.Get("sigma").Float(),
		Seed: uint64(v.Get("seed").Int())}
	if class := v.Get("class"); !class.IsNull() {
		p.Class = []int{}
		for _, c := range numbers(class) {
			p.Class = append(p.Class, int(c))
		}
	}
	if tuned != nil && !v.Get("fresh").Bool() {
		return errors.Join(frozen.Set(p.X, p.Y, p.Class), tuned.Set(p.X, p.Y, p.Class))
	}
	frozen, tuned = nil, nil
	a, err := plane.New(p)
	if err != nil {
		return err
	}
	b, err := plane.New(p)
	if err != nil {
		return err
	}
	frozen, tuned = a, b
	return nil
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
