package reads

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

type own interface{ Data() interface{} }

type wrapped struct{ *tensor.Dense }

type sparse struct{ Values []float64 }

func (s sparse) Data() interface{} { return s.Values }
func (s sparse) Uintptr() uintptr  { return 0 }

type field struct{ Data []float64 }

func reads(t *tensor.Dense, i tensor.Tensor, v gorgonia.Value, o own, w wrapped, s sparse, f field) {
	_ = t.Data()                 // want `Data of a \*tensor.Dense`
	_ = t.Data().([]float64)     // want `Data of a`
	_ = t.Uintptr()              // want `Uintptr of a`
	_ = i.Data()                 // want `Data of a tensor.Tensor`
	_ = v.Data().(float64)       // want `Data of a gorgonia.Value`
	_ = o.Data()                 // want `Data of a reads.own`
	_ = w.Data()                 // want `Data of a reads.wrapped`
	g := t.Data                  // want `Data of a`
	h := (*tensor.Dense).Data    // want `Data of a`
	for range t.Data().([]int) { // want `Data of a`
	}
	_ = gorgonia.Ones()            // want `gorgonia.Ones: the collector may free`
	_ = gorgonia.ScalarAsTensor(v) // want `gorgonia.ScalarAsTensor: the collector`
	_, _ = g, h

	_ = t.Float64s()
	_ = v.(gorgonia.Scalar).Data()
	_ = v.(*gorgonia.F64).Data()
	_, _ = s.Data(), s.Uintptr()
	_ = f.Data
}
