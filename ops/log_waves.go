package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

func checkWaves(who string, w simd.LogWaves) error {
	ok := len(w.Omega) > 0 && len(w.Omega) == len(w.Amplitude)
	for j := 0; ok && j < len(w.Omega); j++ {
		ok = w.Omega[j] > 0 && !math.IsInf(w.Omega[j], 1) && finite(w.Amplitude[j])
	}
	if !ok {
		return fmt.Errorf("%s: frequencies %v and amplitudes %v, want as many finite numbers of each, at least one, "+
			"and frequencies above 0: %w",
			who, w.Omega, w.Amplitude, ErrParam)
	}
	return nil
}

// LogWaves makes of each coordinate v >= 0 of x the numbers
//
//	a_j (cos(ω_j u) - 1),   a_j sin(ω_j u),   u = ln(1 + 2v),   j = 1 to q,
//
// side by side, which are zeros for v = 0. The squared distance of two coordinates is Σ_j 2a_j² (1 - cos(ω_j (u -
// u'))). The frequencies ω_j > 0 and the amplitudes a_j are of the same number. x is [n, d], the result [n, d·2q].
//
// Backward, from x and the output z alone: dx = 2/(1 + 2x) Σ_j ω_j (g_sin (z_cos + a_j) - g_cos z_sin).
//
// For sparse rows the result is sparse. Attr.Domain is not used. Errors while building: shapes, frequencies and
// amplitudes. Errors while running (ErrDomain): a cell that is negative, or with features that are not finite.
func LogWaves(omega, amplitude []float64, a Attr) Op {
	w := simd.LogWaves{Omega: slices.Clone(omega), Amplitude: slices.Clone(amplitude)}
	return logWaves.with(w, a, func(who string) error { return checkWaves(who, w) })
}

var logWaves = decl{kind: "LogWaves", sig: parse("nd->n(dW)"), names: []string{"x"}, in: []Inputs{X},
	bind: func(o *Op, v *sizes) { v.set('W', 2*len(o.params.(simd.LogWaves).Omega)) },
	on:   nonNegative, forward: kernel{logWavesForward[float32], logWavesForward[float64]},
	stays: byCoordinate,
	reads: []int{0, theOutput}, backward: kernel{logWavesBackward[float32], logWavesBackward[float64]}}

func logWavesForward[T domain.Float](c *call) error {
	w := c.params.(simd.LogWaves)
	if !simd.MapLogWaves(w, result[T](c), cells[T](c, 0)) {
		return nil
	}
	return checkFeatures[T](c, 2*len(w.Omega), unscaled, rescale)
}

func logWavesBackward[T domain.Float](c *call) error {
	simd.GradLogWaves(paramsOf[simd.LogWaves](c), gradientFor[T](c, 0), cells[T](c, 0), outputOf[T](c), gradientOf[T](c))
	return nil
}
