package dense

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/internal/simd"
)

// AdamStep are the numbers of a step of Adam: the Scale of the gradients, the Rate over 1 - Beta1ᵗ in step t, and
// Correction = 1/(1 - Beta2ᵗ).
type AdamStep = simd.AdamStep

// Adam changes w by its gradients g, at the rates Rate·s, and the moments m and v:
//
//	m = β₁m + (1-β₁)g,    v = β₂v + (1-β₂)g²,    w -= Rate·s·m/(√(Correction·v) + ε),
//
// algorithm 1 of Kingma and Ba (2015), rounding each operation in the element type. It panics if g, m, v or s is shorter
// than w.
func Adam[T float32 | float64](w, g, m, v, s []T, o AdamStep) {
	if n := len(w); min(len(g), len(m), len(v), len(s)) < n {
		panic(fmt.Sprintf("dense: Adam: w has %d numbers, and g, m, v and s have %d, %d, %d and %d; want at least as many",
			n, len(g), len(m), len(v), len(s)))
	}
	simd.Adam(w, g, m, v, s, o)
}
