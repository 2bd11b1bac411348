package layers

import (
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
)

// SignatureOf returns the sign σ_j, +1 or -1, of each feature of an indefinite kernel, k(x, x') ≈ Σ_j σ_j z_j(x)
// z_j(x'). It returns nil if all signs are +1. A Sequential has the signs of its last layer, a Concat the signs of its
// parts side by side, a Product their products.
func SignatureOf(m Map) []float64 {
	if domain.IsNil(m) {
		return nil
	}
	switch v := m.(type) {
	case interface{ Signature() []float64 }:
		return indefinite(v.Signature())
	case *Sequential:
		return SignatureOf(v.layers[len(v.layers)-1])
	case interface{ signs() []float64 }:
		return indefinite(v.signs())
	case interface{ Unwrap() Layer }:
		return SignatureOf(v.Unwrap())
	}
	return nil
}

// indefinite returns the signature, or nil if no sign is -1.
func indefinite(s []float64) []float64 {
	if slices.ContainsFunc(s, func(v float64) bool { return v < 0 }) {
		return s
	}
	return nil
}
