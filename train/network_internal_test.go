package train

import (
	"testing"

	"gorgonia.org/tensor"
)

// TestWaves: each run of columns of more than eight values has waves, and the others stay; many runs have waves
// together, and very many columns none.
func TestWaves(t *testing.T) {
	x := tensor.New(tensor.WithShape(9, 3), tensor.Of(tensor.Float32))
	for i := range 9 {
		copy(x.Float32s()[3*i:], []float32{float32(i), float32(i % 8), float32(i)})
	}
	fine := fineColumns(x)
	s := wavesOf(fine, smooth)
	if s == nil || s.Map != "concat" || len(s.Parts) != 3 || s.Parts[1].Map != "linear" || s.Parts[2].Params["width"] != 12 {
		t.Errorf("columns %v: %v", fine, s)
	}
	many := make([]bool, 100)
	for i := range many {
		many[i] = i%2 == 0
	}
	if s := wavesOf(many, smooth); s.Map != "periodic" || s.Params["width"] != 5 {
		t.Errorf("100 runs: %v", s)
	}
	for i := range many {
		many[i] = false
	}
	if s := wavesOf(many, smooth); s != nil {
		t.Errorf("no column of more than eight values: %v", s)
	}
	if s := wavesOf(make([]bool, 0), smooth); s != nil {
		t.Errorf("sparse rows: %v", s)
	}
}
