package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// onLine is n rows on a line, at the squares of 0, 1, 2, ...
func onLine(n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i*i) * scale
	}
	return x
}

func groupsOf(x []float64, rows, cols int) []group { return groupPairs(rows, denseDistance(x, cols)) }

func TestGroupPairs(t *testing.T) {
	for _, c := range []struct {
		rows, pairs, groups int
		scale               float64
	}{{2, 1, 1, 1}, {3, 3, 3, 1}, {9, 36, 4, 1}, {9, 36, 4, 1e300}, {9, 36, 4, 1e-300}, {400, 39900, 4, 1}} { // every 2nd of 79800
		groups, n, last := groupsOf(onLine(c.rows, c.scale), c.rows, 1), 0, 0.0
		if len(groups) != c.groups {
			t.Errorf("%d rows: %d groups", c.rows, len(groups))
		}
		for _, g := range groups {
			if n += len(g.pairs); g.distance <= last || math.IsInf(g.distance, 0) {
				t.Errorf("%d rows, scale %v: distance %v after %v", c.rows, c.scale, g.distance, last)
			}
			last = g.distance
		}
		if n != c.pairs {
			t.Errorf("%d rows: %d pairs, want %d", c.rows, n, c.pairs)
		}
	}
	// corners of a cube: 12 pairs at 1, 12 at √2, 4 at √3; and eight times the same row
	var cube []float64
	for i := range 8 {
		cube = append(cube, float64(i&1), float64(i>>1&1), float64(i>>2&1))
	}
	groups := groupsOf(cube, 8, 3)
	if len(groups) != 3 || len(groups[0].pairs) != 12 || len(groups[1].pairs) != 12 || len(groups[2].pairs) != 4 {
		t.Errorf("cube: %v", groups)
	}
	near(t, "diagonal of a face", groups[1].distance, math.Sqrt2, 1e-15)
	if groups := groupsOf(make([]float64, 24), 8, 3); len(groups) != 1 || len(groups[0].pairs) != 28 || groups[0].distance != 0 {
		t.Errorf("equal rows: %v", groups)
	}
	if groups := groupsOf([]float64{-math.MaxFloat64, math.MaxFloat64}, 2, 1); groups[0].distance != math.MaxFloat64 {
		t.Errorf("far rows: %v", groups[0].distance)
	}
}

func TestDistanceErrorEdges(t *testing.T) {
	a, b := DistanceError{1, .3, .03}, DistanceError{1, .6, .12}
	ratio, se := a.MSERatio(b)
	near(t, "ratio", ratio, .25, 1e-15)
	near(t, "its standard error", se, 2*.25*math.Hypot(.1, .2), 1e-15)
	if ratio, se := (DistanceError{}).MSERatio(b); ratio != 0 || se != 0 {
		t.Errorf("no error: ratio %v ± %v", ratio, se)
	}
	g := func(errors ...float64) group { return group{[][2]int{{0, 1}}, 1, errors} }
	exact, approx := mat.NewDense(2, 2, []float64{0, 1e300, 1e300, 0}), mat.NewDense(2, 2, []float64{0, -1e300, -1e300, 0})
	near(t, "a large difference", g().rms(exact, approx, downscale(1e300)), 2e300, 1e286)
	if e := distanceErrors([]group{g(0, 0)}); e[0] != (DistanceError{Distance: 1}) {
		t.Errorf("exact map: %+v", e)
	}
	if e := distanceErrors([]group{g(1e300, 3e300)})[0]; math.Abs(e.RMS-math.Sqrt(5)*1e300) > 1e286 || math.Abs(e.StdErr-4e300/2/math.Sqrt(5)) > 1e286 {
		t.Errorf("large errors: %+v", e)
	}
}
