package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Bandwidth is W₀·exp(-ρ) of W₀ and ρ: frequencies whose bandwidth is exp(ρ) times the one of W₀, and positive for
// every ρ. W₀ is [d, m], or a vector [d] of scales. ρ is [1], or [d] with an entry for each row of W₀. Attr.Frozen has
// W and Rho for W₀ and ρ.
//
// Backward: dρ = -<dW, W>, over everything or over each row; dW₀ = dW·exp(-ρ). Errors while building: shapes.
func Bandwidth(a Attr) Op { return Op{decl: &bandwidth, attr: a} }

var (
	bandwidth     = scaleRowsDecl("Bandwidth")
	bandwidthGrad = scaleRowsDecl("gradient of Bandwidth")
	// logBandwidthGrad is dρ = -<dW, W> from W, dW and ρ.
	logBandwidthGrad = decl{kind: "bandwidthGrad", sig: parse("dm|d,dm|d,k->k"), unchecked: true,
		forward: kernel{bandwidthDots[float32], bandwidthDots[float64]}}
)

func init() {
	bandwidth.in = []Inputs{W, Rho}
	bandwidth.backward = func(t *tracer) {
		t.gradient(W, of(&bandwidthGrad), t.grad, t.in[1])
		t.gradient(Rho, of(&logBandwidthGrad), t.out, t.grad, t.in[1])
	}
}

func scaleRowsDecl(kind string) decl {
	return decl{kind: kind, sig: parse("dm|d,1|d->dm|d"), names: []string{"W", "the log bandwidth"},
		unchecked: true, forward: kernel{scaleRows[float32], scaleRows[float64]}}
}

func scaleRows[T domain.Float](c *call) error {
	out, w, r, m := result[T](c), cells[T](c, 0), cells[T](c, 1), rowLength(c)
	for i := range c.shapes[0][0] {
		s := math.Exp(-float64(r[i%len(r)]))
		for j := i * m; j < i*m+m; j++ {
			out[j] = T(float64(w[j]) * s)
		}
	}
	return nil
}

// rowLength is the length of a row of the first input, 1 for a vector.
func rowLength(c *call) int {
	if len(c.shapes[0]) == 1 {
		return 1
	}
	return c.shapes[0][1]
}

func bandwidthDots[T domain.Float](c *call) error {
	minusRowDots(result[T](c), cells[T](c, 0), cells[T](c, 1), rowLength(c))
	return nil
}

// minusRowDots writes -Σ_j w[i,j]·g[i,j] of rows of m numbers, or its sum over i where out has one entry. Sums are in
// float64: the frequencies of a heavy-tailed distribution span many orders of magnitude.
func minusRowDots[T domain.Float](out, w, g []T, m int) {
	sums := make([]float64, len(out))
	for i := range len(w) / max(m, 1) {
		for j := i * m; j < i*m+m; j++ {
			sums[i%len(out)] -= float64(w[j]) * float64(g[j])
		}
	}
	for i, s := range sums {
		out[i] = T(s)
	}
}
