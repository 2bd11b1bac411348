package layers

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Basis is an orthonormal basis of functions on the unit interval, and by their products on the unit cube.
type Basis int

const (
	// CosineBasis is 1, √2 cos(πt), √2 cos(2πt), ... It is for any smooth density, whatever its values at the boundary.
	// The degree of function k is k.
	CosineBasis Basis = iota
	// FourierBasis is 1, √2 cos(2πt), √2 sin(2πt), √2 cos(4πt), ... It converges faster for periodic densities. The
	// degree of a function is its frequency: 0, 1, 1, 2, ...
	FourierBasis
)

func (b Basis) String() string { return domain.Word(b, "cosine", "fourier") }

// At returns the value of function k at t.
func (b Basis) At(k int, t float64) float64 {
	switch {
	case k == 0:
		return 1
	case b == CosineBasis:
		return math.Sqrt2 * math.Cos(math.Pi*float64(k)*t)
	case k%2 == 1:
		return math.Sqrt2 * math.Cos(2*math.Pi*float64(b.degree(k))*t)
	default:
		return math.Sqrt2 * math.Sin(2*math.Pi*float64(b.degree(k))*t)
	}
}

func (b Basis) degree(k int) int {
	if b == FourierBasis {
		return (k + 1) / 2
	}
	return k
}

// most returns how many functions are orthonormal on the midpoints of so many cells. The next function equals one of
// them there, or is 0.
func (b Basis) most(points int) int {
	if b == FourierBasis {
		return max(1, points-1+points%2)
	}
	return points
}

// maxBasisCells bounds the size of Φ and of the functions of one density.
const maxBasisCells = 1 << 26

// fits returns an error unless the functions are orthonormal on the grid and memory can hold the embedding of a row of
// so many densities.
func (d Density) fits(g ops.Grid, densities int) error {
	if d.direct() {
		return nil
	}
	if d.Basis < CosineBasis || d.Basis > FourierBasis {
		return fmt.Errorf("%v, want CosineBasis or FourierBasis: %w", d.Basis, ErrParam)
	}
	for j, p := range g.Points() {
		if d.Functions < 1 || d.Functions > d.Basis.most(p) {
			return fmt.Errorf("%d functions of the %v basis on axis %d, want 1 to %d for its %d points: %w",
				d.Functions, d.Basis, j, d.Basis.most(p), p, ErrParam)
		}
	}
	size := math.Pow(float64(d.Functions), float64(g.Axes())) * float64(g.Len())
	if waves := 2 * float64(d.Lambdas) * float64(g.Len()) * float64(densities); size > maxBasisCells ||
		waves > maxBasisCells {
		return fmt.Errorf("%d points with %d functions an axis and %d frequencies are more than %d numbers; ask for "+
			"fewer points: %w", g.Len(), d.Functions, d.Lambdas, maxBasisCells, ErrParam)
	}
	return nil
}

// indices returns, for each product in the basis, the numbers of its functions on the axes. The last axis runs fastest.
func (d Density) indices(axes int) [][]int {
	most := d.Basis.degree(d.Functions - 1)
	if d.Box {
		most *= axes
	}
	all := [][]int{nil}
	for range axes {
		var longer [][]int
		for _, head := range all {
			for k := range d.Functions {
				degree := d.Basis.degree(k)
				for _, i := range head {
					degree += d.Basis.degree(i)
				}
				if degree <= most {
					longer = append(longer, append(head[:len(head):len(head)], k))
				}
			}
		}
		all = longer
	}
	return all
}

// count returns the number of products in a basis without Box: those whose degrees sum to at most the degree
// of the last function.
func (d Density) count(axes int) int {
	most := d.Basis.degree(d.Functions - 1)
	ways := make([]int, most+1) // of the axes so far, by the sum of their degrees
	ways[0] = 1
	for range axes {
		next := make([]int, most+1)
		for k := range d.Functions {
			degree := d.Basis.degree(k)
			for s := range most + 1 - degree {
				next[s+degree] += ways[s]
			}
		}
		ways = next
	}
	total := 0
	for _, w := range ways {
		total += w
	}
	return total
}

// matrix returns Φ [V, B], the products at the points of the grid, divided by V.
func (d Density) matrix(g ops.Grid) (phi []float64, b int) {
	indices := d.indices(g.Axes())
	b = len(indices)
	phi = make([]float64, 0, g.Len()*b)
	values := make([][]float64, g.Axes()) // of the functions at one point
	for j := range values {
		values[j] = make([]float64, d.Functions)
	}
	for v := range g.Len() {
		for j, t := range g.At(v) {
			for k := range d.Functions {
				values[j][k] = d.Basis.At(k, t)
			}
		}
		for _, index := range indices {
			f := 1 / float64(g.Len())
			for j, k := range index {
				f *= values[j][k]
			}
			phi = append(phi, f)
		}
	}
	return phi, b
}
