package report

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
)

// ExactVsApprox draws the entries of an approximate kernel matrix against the exact entries, with the diagonal of
// a perfect approximation. If both matrices are symmetric, each pair of rows, and each row with itself, appears once.
// More than 2500 entries are counted in cells, coloured by count. It takes WithTitle and WithSize.
//
// Errors: as for Compare; ErrDomain for a value beyond 1e300; ErrParam for a size out of range.
func ExactVsApprox(exact, approx *mat.Dense, opts ...Option) (image.Image, error) {
	const who = "ExactVsApprox"
	g, err := Compare(exact, approx)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", who, err)
	}
	s, err := settings{title: "Approximate and exact kernel", width: 900, height: 880}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	rows, cols := exact.Dims()
	once := mat.Equal(exact, exact.T()) && mat.Equal(approx, approx.T())
	pts := make(plotter.XYs, 0, rows*cols)
	for i := range rows {
		k, a := exact.RawRowView(i), approx.RawRowView(i)
		from := 0
		if once {
			from = i
		}
		for j := from; j < cols; j++ {
			if max(math.Abs(k[j]), math.Abs(a[j])) > maxDrawn {
				return nil, fmt.Errorf("report: %s: entry [%d,%d], exact %v and approximate %v, is beyond ±%v and cannot be drawn; scale the matrices: %w", who, i, j, k[j], a[j], maxDrawn, ErrDomain)
			}
			pts = append(pts, plotter.XY{X: k[j], Y: a[j]})
		}
	}
	f := newFigure(s, fmt.Sprintf("%s: relative Frobenius error %s, max %s, rms %s", count(len(pts), "entry", "entries"), short(g.RelativeFrobenius), short(g.Max), short(g.RMS)))
	f.against("approximate = exact", "exact kernel", "approximate kernel", "entries", pts)(f.body)
	return f.image(), nil
}
