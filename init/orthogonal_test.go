package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func TestOrthogonalBlocks(t *testing.T) {
	for _, c := range []struct{ d, m int }{{1, 1}, {1, 7}, {2, 2}, {3, 2}, {5, 13}, {11, 11}, {67, 139}, {7, 1}} {
		w := sample(Orthogonal{}, c.d, c.m, Gaussian{1.3}, Stream(2, "blocks"))
		for a := range c.m {
			for b := range a {
				if a/c.d != b/c.d {
					continue // different blocks
				}
				u, v := column(w, c.d, c.m, a), column(w, c.d, c.m, b)
				cos := floats.Dot(u, v) / floats.Norm(u, 2) / floats.Norm(v, 2)
				if math.Abs(cos) > 1e-12 {
					t.Errorf("d = %d, m = %d: columns %d and %d have cosine %v", c.d, c.m, a, b, cos)
				}
			}
		}
	}
}

// Every entry of a Haar matrix in three dimensions is uniform on [-1, 1]. Without the sign of diag(R) the entries of
// LAPACK's Q are not (Q[0,0] is never positive); rescaled rows instead of columns would not be uniform either.
func TestOrthogonalIsHaar(t *testing.T) {
	const blocks, d = 4000, 3
	const m = blocks * d
	w := sample(Orthogonal{}, d, m, Gaussian{1}, Stream(1, "haar"))
	zero := make([]float64, d)
	var entries [d][d][]float64
	det := make([]float64, blocks)
	for b := range blocks {
		var q [d][]float64 // columns
		for j := range d {
			q[j] = column(w, d, m, b*d+j)
			norm := distance(q[j], zero)
			for i := range d {
				q[j][i] /= norm
				entries[i][j] = append(entries[i][j], q[j][i])
			}
		}
		det[b] = q[0][0]*(q[1][1]*q[2][2]-q[2][1]*q[1][2]) - q[1][0]*(q[0][1]*q[2][2]-q[2][1]*q[0][2]) +
			q[2][0]*(q[0][1]*q[1][2]-q[1][1]*q[0][2])
	}
	for i := range d {
		for j := range d {
			wantLaw(t, entries[i][j], func(p float64) float64 { return 2*p - 1 }, "entry (%d,%d)", i, j)
		}
	}
	wantMean(t, det, 0, 0, "the determinant, 1 as often as -1")
}

// The norms are independent of the directions and of each other: all correlations of norm_k² with norm_j² and with the
// squared entries of the block vanish.
func TestOrthogonalNormsAreIndependent(t *testing.T) {
	const blocks, d = 4000, 3
	const m = blocks * d
	w := sample(Orthogonal{}, d, m, Gaussian{1}, Stream(1, "norms"))
	series := map[string][]float64{}
	for b := range blocks {
		for j := range d {
			col := column(w, d, m, b*d+j)
			sum := floats.Dot(col, col)
			series[fmt.Sprint("norm", j)] = append(series[fmt.Sprint("norm", j)], sum)
			for i, v := range col {
				name := fmt.Sprint("entry", i, ",", j)
				series[name] = append(series[name], v*v/sum)
			}
		}
	}
	for j := range d {
		norm := fmt.Sprint("norm", j)
		for name, other := range series {
			if r := stat.Correlation(series[norm], other, nil); name != norm && math.Abs(r) > 4/math.Sqrt(blocks) {
				t.Errorf("correlation of %s and %s: %.3f", norm, name, r)
			}
		}
	}
}

// TestTruncatedColumns: the columns of Joint have the length 1, and the cosines of two of them, within a sign and
// across both, have the means of the Legendre polynomials of degree 2, 4 and 6 that truncated predicts. For 2m <= d
// they are orthogonal.
func TestTruncatedColumns(t *testing.T) {
	split := must(DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}.Split(3, 4, Joint))
	for _, c := range []struct{ d, m int }{{2, 3}, {3, 2}, {5, 4}, {4, 40}, {6, 3}, {7, 2}} {
		z, seeds := newZonal(c.d, 3), 4000
		want, p := z.truncated(2*c.m, .1), make([][2][3]float64, seeds)
		for seed := range p {
			u, _ := must2(Joint.Frequencies(split, c.d, c.m, uint64(seed)))
			first := column(u.Float64s(), c.d, 2*c.m, 0)
			for i, j := range []int{1, 2*c.m - 1} {
				other := column(u.Float64s(), c.d, 2*c.m, j)
				cos, norm := floats.Dot(other, first), floats.Dot(other, other)
				if math.Abs(norm-1) > 1e-12 || 2*c.m <= c.d && math.Abs(cos) > 1e-12 {
					t.Fatalf("d = %d, m = %d: squared norm %v, cosine %v", c.d, c.m, norm, cos)
				}
				z.legendre(p[seed][i][:], 1, cos)
			}
		}
		for i := range 2 {
			for k, mean := range want {
				var at []float64
				for _, v := range p {
					at = append(at, v[i][k])
				}
				wantMean(t, at, mean, 1e-12, "d = %d, m = %d: P_%d", c.d, c.m, 2*k+2)
			}
		}
	}
}

// orthogonalMSE is the exact mean squared error of the pair form for the unit Gaussian and one block of m <= d
// orthogonal frequencies at the distance δ: (Var + (m-1) Cov)/m. The difference of two orthogonal columns has a uniform
// direction and the squared norm χ²_{2d}, so Cov = E cos((w₁-w₂)·δ) - k² with E cos = ₁F₁(d; d/2; -δ²/2) = exp(-δ²/2)
// ₁F₁(-d/2; d/2; δ²/2).
func orthogonalMSE(d, m int, delta float64) float64 {
	h, s := float64(d)/2, delta*delta/2
	sum, term := 0.0, 1.0
	for n := 0.0; n < 60; n++ {
		sum += term
		term *= (n - h) / (n + h) * s / (n + 1)
	}
	k2 := math.Exp(-delta * delta)
	v := (1+math.Exp(-2*delta*delta))/2 - k2
	return (v + float64(m-1)*(math.Exp(-s)*sum-k2)) / float64(m)
}

// TestOrthogonalVarianceClosedForm: the quadrature against the closed form for the Gaussian, which holds for one block
// of up to d.
func TestOrthogonalVarianceClosedForm(t *testing.T) {
	for _, c := range []struct{ d, m int }{{2, 2}, {3, 2}, {8, 8}, {17, 5}, {64, 64}} {
		for _, delta := range []float64{.05, .5, 1, 2, 5} {
			got, err := Orthogonal{}.Variance(Gaussian{1}, axis(c.d, 0, delta), make([]float64, c.d), c.m)
			// the closed form cancels
			if want := orthogonalMSE(c.d, c.m, delta); err != nil || math.Abs(got-want) > 1e-11*want+1e-15 {
				t.Errorf("d = %d, m = %d, distance %v: %v (%v), closed form %v", c.d, c.m, delta, got, err, want)
			}
		}
	}
}

func TestFrequencies(t *testing.T) {
	w := must(Frequencies(Gaussian{1}, IID{}, 5, 7, 11))
	if s := w.Shape(); s[0] != 5 || s[1] != 7 {
		t.Errorf("shape %v", s)
	}
	same, _ := Frequencies(Gaussian{1}, IID{}, 5, 7, 11)
	other, _ := Frequencies(Gaussian{1}, IID{}, 5, 7, 12)
	if !slices.Equal(same.Float64s(), w.Float64s()) || slices.Equal(other.Float64s(), w.Float64s()) {
		t.Error("the seed does not decide the draw")
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for _, name := range []string{"W", "phases", "norms", ""} {
			v := rand.New(Stream(seed, name)).Uint64()
			if at, ok := seen[v]; ok {
				t.Errorf("streams %v and (%d, %q) agree", at, seed, name)
			}
			seen[v] = fmt.Sprint(seed, name)
		}
	}
}
