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

var bandwidth = decl{kind: "Bandwidth", sig: parse("dm|d,1|d->dm|d"), names: []string{"W", "the log bandwidth"},
	in: []Inputs{W, Rho}, unchecked: true, forward: kernel{bandwidthForward[float32], bandwidthForward[float64]},
	reads: []int{1, theOutput}, backward: kernel{bandwidthBackward[float32], bandwidthBackward[float64]}}

func bandwidthForward[T domain.Float](c *call) error {
	scaleRows(result[T](c), cells[T](c, 0), cells[T](c, 1), c.at('d'))
	return nil
}

func bandwidthBackward[T domain.Float](c *call) error {
	g, d := gradientOf[T](c), c.at('d')
	if dw := gradientFor[T](c, 0); dw != nil {
		scaleRows(dw, g, cells[T](c, 1), d)
	}
	if drho := gradientFor[T](c, 1); drho != nil {
		minusRowDots(drho, outputOf[T](c), g, len(g)/max(d, 1))
	}
	return nil
}

// scaleRows writes d rows of w, each times exp(-r) of its r or of the only one.
func scaleRows[T domain.Float](out, w, r []T, d int) {
	m := len(w) / max(d, 1)
	for i := range d {
		s := math.Exp(-float64(r[i%len(r)]))
		for j := i * m; j < i*m+m; j++ {
			out[j] = T(float64(w[j]) * s)
		}
	}
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
	recast(out, sums)
}
