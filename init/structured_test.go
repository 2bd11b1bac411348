package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// radii are the midpoints of n slices of equal probability of the norm in p dimensions: a quadrature of an expectation
// over it.
func radii(k Random, p, n int) []float64 {
	r, law := make([]float64, n), k.Law()
	for i := range r {
		r[i] = law.NormQuantile(p, (float64(i)+.5)/float64(n))
	}
	return r
}

// setSigns turns the bits of a number into signs.
func setSigns(signs []float64, bits uint64) {
	for i := range signs {
		signs[i] = 1 - 2*float64(bits>>i&1)
	}
}

const quadrature = 1000

// enumerated is E cos(w·δ) over all signs and the norm, by the draw's own path.
func enumerated(d int, k Random, delta []float64) float64 {
	sum, total, r := 0., 0, radii(k, PaddedDims(d), quadrature)
	for t, n := range projections(d, delta) {
		for _, v := range r {
			sum += float64(n) * math.Cos(v*t)
		}
		total += n
	}
	return sum / float64(len(r)) / float64(total)
}

// projections counts the values |w·δ|, for the norm 1, of W of every choice of the 3d' signs.
func projections(d int, delta []float64) map[float64]int {
	p, counts := PaddedDims(d), map[float64]int{}
	w, signs, norms := make([]float64, d*p), make([]float64, 3*p), slices.Repeat([]float64{1}, p)
	for bits := range uint64(1) << (3 * p) {
		setSigns(signs, bits)
		structuredDense(w, d, p, signs, norms)
		for j := range p {
			counts[math.Round(math.Abs(floats.Dot(column(w, d, p, j), delta))*1e12)/1e12]++
		}
	}
	return counts
}

// axisExpectation is E cos(w·δ) for δ of length t along an axis: the signs D₂ are enumerated, D₁ does not matter, and
// with D₃ integrated out it is the mean of Π cos(r t yᵢ/√d'), y = H D₂ H D₁ e/d'.
func axisExpectation(p int, k Random, t float64) float64 {
	counts := map[string]int{}
	classes := map[string][]float64{}
	for bits := range uint64(1) << (p - 1) {
		y := make([]float64, p)
		setSigns(y, bits)
		walshHadamard(y)
		for i := range y {
			y[i] = math.Abs(y[i]) / float64(p)
		}
		slices.Sort(y)
		key := fmt.Sprint(y)
		counts[key]++
		classes[key] = y
	}
	sum, r := 0.0, radii(k, p, quadrature)
	for key, y := range classes {
		for _, v := range r {
			product := 1.0
			for _, u := range y {
				product *= math.Cos(v * t * u / math.Sqrt(float64(p)))
			}
			sum += product * float64(counts[key])
		}
	}
	return sum / float64(len(r)) / float64(uint64(1)<<(p-1))
}

func axis(d, i int, t float64) []float64 {
	x := make([]float64, d)
	x[i] = t
	return x
}

// TestStructuredExpectation: the bias that the documentation states is the mean over all signs, for d = 2 and 4 by the
// draw's own path. The expectation along an axis agrees with it there.
func TestStructuredExpectation(t *testing.T) {
	const dist = 2
	k := Gaussian{1}
	kernel := math.Exp(-dist * dist / 2.)
	for d, want := range map[int]float64{2: -.21, 4: -.14, 8: structuredBias, 16: -.0048} {
		got := axisExpectation(d, k, dist)
		if bias := got - kernel; math.Abs(bias-want) > .03*math.Abs(want) {
			t.Errorf("d = %d: bias %v along an axis, stated is %v", d, bias, want)
		}
		if d <= 4 {
			for i := range d {
				if e := enumerated(d, k, axis(d, i, dist)); math.Abs(e-got) > 1e-12 {
					t.Errorf("d = %d: all signs give %v along axis %d, the signs D₂ alone %v", d, e, i, got)
				}
			}
		}
	}
	// Padding: three coordinates are the first of four.
	if a, b := enumerated(3, k, []float64{.5, -1, .7}), enumerated(4, k,
		[]float64{.5, -1, .7, 0}); math.Abs(a-b) > 1e-12 {
		t.Errorf("three dimensions give %v, the same padded to four %v", a, b)
	}
}

// TestStructuredMean: the mean of draws is their expectation, for d = 2, 4, 8 and 16. It is not the kernel: 4 standard
// errors are at most .04 at d = 2 and .026 at d = 8, and the stated biases there are .21 and .031.
func TestStructuredMean(t *testing.T) {
	const dist, blocks = 2, 3000
	for _, k := range []Random{Gaussian{1}, Matern{1.5, 1}} {
		for _, p := range []int{2, 4, 8, 16} {
			m := p * blocks
			signs, norms := drawStructured(p, m, k.Law(), Stream(uint64(p), "mean"))
			if len(signs) != 3*m || len(norms) != m {
				t.Fatalf("%d signs and %d norms for %d frequencies", len(signs), len(norms), m)
			}
			w := make([]float64, p*m)
			structuredDense(w, p, m, signs, norms)
			want := axisExpectation(p, k, dist)
			means := make([]float64, blocks)
			for j := range m {
				means[j/p] += math.Cos(w[(p-1)*m+j]*dist) / float64(p)
			}
			// the slack is the quadrature's error in the tail of the Matérn law
			wantMean(t, means, want, 1e-3, "%T, d = %d", k, p)
		}
	}
}

// TestStructuredFourthMoment: the leading term of the bias is E r⁴ t⁴/24 times what E(v·e)⁴ differs from the sphere's
// 3/(d(d+2)). By its closed form (3 - (2/d)(3 - (2/d)(3 - 2Σe⁴)))/d² that is 8(3/d - Σe⁴)/d⁴ + O(1/d⁶), as documented;
// all signs give the form at d = 2, 4.
func TestStructuredFourthMoment(t *testing.T) {
	for _, p := range []int{2, 4} {
		rng := rand.New(rand.NewPCG(uint64(p), 1))
		e := make([]float64, p)
		direction(e, rng)
		quartic := 0.0
		for _, v := range e {
			quartic += v * v * v * v
		}
		n := float64(p)
		want := (3 - 2/n*(3-2/n*(3-2*quartic))) / n / n
		sum, total := 0., 0
		for t, count := range projections(p, e) {
			sum += float64(count) * math.Pow(t, 4)
			total += count
		}
		if got := sum / float64(total); math.Abs(got-want) > 1e-11 {
			t.Errorf("d = %d: fourth moment %v, formula %v", p, got, want)
		}
	}
}

// TestStructuredBlocks: whole blocks are orthogonal with the norms of the draw, Sample is Draw written out, and padding
// keeps the part of it that meets x.
func TestStructuredBlocks(t *testing.T) {
	const d, m = 32, 67
	k := Gaussian{1.3}
	w := sample(Structured{}, d, m, k, Stream(2, "blocks"))
	signs, norms := drawStructured(d, m, k.Law(), Stream(2, "blocks"))
	if len(signs) != 3*3*d || len(norms) != m {
		t.Fatalf("%d signs, %d norms", len(signs), len(norms))
	}
	for a := range m {
		for b := range a + 1 {
			want := 0.0
			if a == b {
				want = norms[a] * norms[a]
			} else if a/d != b/d {
				continue
			}
			if got := floats.Dot(column(w, d, m, a), column(w, d, m, b)); math.Abs(got-want) > 1e-12*norms[a]*norms[b] {
				t.Errorf("columns %d and %d have the product %v, want %v", a, b, got, want)
			}
		}
	}
	narrow := sample(Structured{}, 19, m, k, Stream(2, "blocks"))
	if !slices.Equal(narrow, w[:19*m]) {
		t.Error("19 dimensions are not the first of 32")
	}
}

// TestStructuredLattice: what the documentation says of differences with few equal coordinates. Up to a factor w·(x-z)
// is an integer, and 0 with a probability of at most 3.7/d' in every number of dimensions, most often for two and four
// coordinates.
func TestStructuredLattice(t *testing.T) {
	for _, p := range []int{16, 64} {
		worst := 0.0
		for _, k := range []int{1, 2, 3, 4, 8, p} {
			const blocks = 400
			m := p * blocks
			signs, _ := drawStructured(p, m, Gaussian{1}.Law(), Stream(uint64(k), "lattice"))
			zeros := make([]float64, blocks)
			for b := range zeros {
				x := make([]float64, p)
				for i := range k {
					x[i] = 1
				}
				structuredBlock(x, signs[3*b*p:3*(b+1)*p])
				for _, v := range x { // exact: integers
					if v == 0 {
						zeros[b]++
					}
				}
			}
			mean, se := meanStdErr(zeros) // of a block, that is, d' times the probability
			if worst = max(worst, mean); mean > 3.7+4*se {
				t.Errorf("d' = %d, %d coordinates: w·(x-z) is 0 with the probability %.2f/d'", p, k, mean)
			}
		}
		if worst < 3 {
			t.Errorf("d' = %d: at most %.2f/d', 3.7/d' is stated", p, worst)
		}
	}
}
