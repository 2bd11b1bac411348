package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

// TestOrthogonalLaw: a block is a Haar matrix times norms. Every entry of a Haar matrix in three dimensions is uniform
// on [-1, 1], which neither LAPACK's Q without the signs of diag(R) is (Q[0,0] is never positive) nor one with rescaled
// rows. The norms are independent of it and of each other: no norm² is correlated with another or with a squared entry.
func TestOrthogonalLaw(t *testing.T) {
	const blocks, d = 4000, 3
	const m = blocks * d
	w := sample(Orthogonal{}, d, m, Gaussian{1}, Stream(1, "haar"))
	entries, norms, squares, det := [d * d][]float64{}, [d][]float64{}, map[string][]float64{}, make([]float64, blocks)
	for b := range blocks {
		q := mat.NewDense(d, d, nil)
		for j := range d {
			col := column(w, d, m, b*d+j)
			norms[j] = append(norms[j], floats.Dot(col, col))
			floats.Scale(1/floats.Norm(col, 2), col)
			q.SetCol(j, col)
		}
		for i, v := range q.RawMatrix().Data {
			entries[i] = append(entries[i], v)
			name := fmt.Sprint("entry ", i)
			squares[name] = append(squares[name], v*v)
		}
		det[b] = mat.Det(q)
	}
	for j, norm := range norms {
		for i := range j {
			squares[fmt.Sprint("norm ", i)] = norms[i]
		}
		for name, other := range squares {
			if r := stat.Correlation(norm, other, nil); math.Abs(r) > 4/math.Sqrt(blocks) {
				t.Errorf("correlation of norm %d and %s: %.3f", j, name, r)
			}
		}
	}
	for i, sample := range entries {
		wantLaw(t, sample, func(p float64) float64 { return 2*p - 1 }, "entry %d", i)
	}
	wantMean(t, det, 0, 0, "the determinant, 1 as often as -1")
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
