package calibrate

import (
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Steps is a nondecreasing function, linear between knots and constant outside. X increases, Y does not decrease.
type Steps struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

// at is the value of the function at s.
func (f Steps) at(s float64) float64 {
	j := sort.SearchFloat64s(f.X, s)
	switch {
	case j == len(f.X):
		return f.Y[j-1]
	case j == 0 || f.X[j] == s:
		return f.Y[j]
	}
	lo, hi := f.X[j-1]/2, f.X[j]/2 // halves, whose difference does not overflow
	if !(hi > lo) {
		return f.Y[j-1]
	}
	share := min(max((s/2-lo)/(hi-lo), 0), 1)
	return f.Y[j-1] + share*(f.Y[j]-f.Y[j-1])
}

// stepsOf is isotonic regression of "the label is class" on the score, by pooling adjacent violators (Ayer, Brunk,
// Ewing, Reid and Silverman 1955; Barlow et al. 1972). Equal scores are pooled first. The two ends of each pool are
// knots, and no value is below floor.
func stepsOf(s []float64, labels []int, class int, floor float64) Steps {
	order, sorted := make([]int, len(s)), slices.Clone(s)
	floats.ArgsortStable(sorted, order)
	type pool struct {
		first, last float64
		hits, rows  int
	}
	var pools []pool
	for _, i := range order {
		hit := 0
		if labels[i] == class {
			hit = 1
		}
		if m := len(pools); m > 0 && pools[m-1].last == s[i] {
			pools[m-1].hits += hit
			pools[m-1].rows++
		} else {
			pools = append(pools, pool{s[i], s[i], hit, 1})
		}
	}
	kept := pools[:0]
	for _, p := range pools {
		for m := len(kept); m > 0 && kept[m-1].hits*p.rows >= p.hits*kept[m-1].rows; m = len(kept) {
			q := kept[m-1]
			p = pool{q.first, p.last, q.hits + p.hits, q.rows + p.rows}
			kept = kept[:m-1]
		}
		kept = append(kept, p)
	}
	var f Steps
	for _, p := range kept {
		y := max(float64(p.hits)/float64(p.rows), floor)
		f.X, f.Y = append(f.X, p.first), append(f.Y, y)
		if p.last > p.first {
			f.X, f.Y = append(f.X, p.last), append(f.Y, y)
		}
	}
	return f
}

// usable says whether f is nondecreasing, from at least floor to at most 1.
func (f Steps) usable(floor float64) bool {
	if len(f.X) == 0 || len(f.X) != len(f.Y) || !finite(f.X...) {
		return false
	}
	for j, y := range f.Y {
		if !(y >= floor && y <= 1) || j > 0 && !(f.X[j] > f.X[j-1] && y >= f.Y[j-1]) {
			return false
		}
	}
	return true
}

func (p *Parameters) fitSteps(scores *mat.Dense, labels []int) error {
	p.Floor = leftover(len(labels)) / float64(p.Classes-1)
	for j := range p.Classes {
		p.Steps = append(p.Steps, stepsOf(mat.Col(nil, j, scores), labels, j, p.Floor))
	}
	return nil
}

func (p *Parameters) isotonic(dst, s []float64) {
	for j, f := range p.Steps {
		dst[j] = f.at(s[j])
	}
	floats.Scale(1/floats.Sum(dst), dst)
}
