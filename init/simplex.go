package spectral

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// chebyshev is the linear program of a signed combination of functions φ_i that is close to f and has the least cost,
//
//	min Σ p_i |c_i|   over   |Σ c_i φ_i(z) - f(z)| <= eps at every point z of a list,   Σ c_i φ_i(0) = f(0).
//
// The dual simplex method solves it over a few rows. Points with the largest errors become rows until no error is above
// eps. Without rows c = 0 is optimal, so no first phase is needed, and an added row keeps the basis dual feasible. Rows
// that do not bind are dropped, so the basis is never larger than the number of functions in use. Each step factors the
// basis again, because the functions are nearly linearly dependent and the rounding errors of a tableau would add up.
type chebyshev struct {
	phi   func(i int, z float64) float64
	n     int       // functions
	price []float64 // p_i, above 0
	f     func(z float64) float64
	eps   float64
	rows  []constraint
	basis []int // of each row: column i of c_i = +, n+i of c_i = -, or ^r, the slack of row r
}

// constraint is a row: Σ c_i φ_i(z) + t = f(z), with |t| <= eps, or t = 0 for an equation.
type constraint struct {
	phi      []float64
	f, slack float64 // the value, and eps or 0
	basic    bool    // whether the slack is
	at       float64 // the value of a slack that is not basic: one of its bounds; else 0
}

// Steps of the dual simplex method and rounds of new rows that no fit comes near.
const (
	simplexSteps  = 4000
	simplexRounds = 200
)

// solve returns the coefficients. It returns false where no combination comes that close to f, or rounding prevents it.
func (p *chebyshev) solve(points []float64) (c []float64, ok bool) {
	p.add(0, 0)
	errs := make([]float64, len(points))
	for range simplexRounds {
		if c, ok = p.optimum(); !ok {
			return nil, false
		}
		for k, z := range points {
			errs[k] = p.residual(c, z)
		}
		if floats.Norm(errs, math.Inf(1)) <= p.eps*(1+1e-6) {
			return c, true
		}
		// Rows whose slack is basic go: their errors are inside the bounds.
		p.rows = slices.DeleteFunc(p.rows, func(row constraint) bool { return row.basic })
		p.basis = slices.DeleteFunc(p.basis, func(j int) bool { return j < 0 })
		for k, e := range errs { // every local maximum above eps
			if a := math.Abs(e); a > p.eps && (k == 0 || a >= math.Abs(errs[k-1])) &&
				(k == len(errs)-1 || a > math.Abs(errs[k+1])) {
				p.add(points[k], p.eps)
			}
		}
	}
	return nil, false
}

// residual is Σ c_i φ_i(z) - f(z).
func (p *chebyshev) residual(c []float64, z float64) float64 {
	sum := -p.f(z)
	for i, v := range c {
		if v != 0 {
			sum += v * p.phi(i, z)
		}
	}
	return sum
}

// add makes a row with a basic slack.
func (p *chebyshev) add(z, slack float64) {
	phi := make([]float64, p.n)
	for i := range phi {
		phi[i] = p.phi(i, z)
	}
	p.basis = append(p.basis, ^len(p.rows))
	p.rows = append(p.rows, constraint{phi: phi, f: p.f(z), slack: slack, basic: true})
}

// column writes column j of the constraints.
func (p *chebyshev) column(dst []float64, j int) {
	for r, row := range p.rows {
		switch {
		case j < 0:
			dst[r] = 0
		case j < p.n:
			dst[r] = row.phi[j]
		default:
			dst[r] = -row.phi[j-p.n]
		}
	}
	if j < 0 {
		dst[^j] = 1
	}
}

// optimum runs the dual simplex method from the present basis.
func (p *chebyshev) optimum() ([]float64, bool) {
	m := len(p.rows)
	b, cost, unit := mat.NewDense(m, m, nil), mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
	var x, y, rho mat.VecDense
	col, rhs := make([]float64, m), mat.NewVecDense(m, nil)
	for range simplexSteps {
		for r, j := range p.basis {
			p.column(col, j)
			b.SetCol(r, col)
			cost.SetVec(r, 0)
			if j >= 0 {
				cost.SetVec(r, p.price[j%p.n])
			}
			rhs.SetVec(r, p.rows[r].f-p.rows[r].at)
		}
		var lu mat.LU
		lu.Factorize(b)
		if lu.SolveVecTo(&x, false, rhs) != nil || lu.SolveVecTo(&y, true, cost) != nil {
			return nil, false
		}
		leave, sign := p.leaving(&x)
		if leave < 0 {
			return p.coefficients(&x), true
		}
		unit.Zero()
		unit.SetVec(leave, sign)
		if lu.SolveVecTo(&rho, true, unit) != nil {
			return nil, false
		}
		enter, ok := p.entering(y.RawVector().Data, rho.RawVector().Data)
		if !ok {
			return nil, false
		}
		if out := p.basis[leave]; out < 0 {
			row := &p.rows[^out]
			row.basic, row.at = false, sign*row.slack // above its upper end: sign = 1
		}
		if enter < 0 {
			p.rows[^enter].basic, p.rows[^enter].at = true, 0
		}
		p.basis[leave] = enter
	}
	return nil, false
}

// leaving returns the row whose basic variable is furthest outside its bounds, or -1, and the side: 1 for above, -1 for
// below.
func (p *chebyshev) leaving(x *mat.VecDense) (row int, sign float64) {
	row, worst := -1, 1e-12
	for r, j := range p.basis {
		v := x.AtVec(r)
		over, side := -v, -1. // a coefficient is not below 0
		if j < 0 {
			over, side = math.Abs(v)-p.rows[^j].slack, math.Copysign(1, v)
		}
		if over > worst {
			row, worst, sign = r, over, side
		}
	}
	return row, sign
}

// entering returns the column that keeps the basis dual feasible. Among nearly equal ones it is the column with the
// largest pivot: Harris's ratio test.
func (p *chebyshev) entering(y, rho []float64) (column int, ok bool) {
	type candidate struct {
		column         int
		reduced, pivot float64
	}
	var candidates []candidate
	bound := math.Inf(1)
	consider := func(j int, reduced, pivot float64) {
		if pivot <= 1e-11 {
			return
		}
		c := candidate{j, max(reduced, 0), pivot}
		candidates, bound = append(candidates, c), min(bound, (c.reduced+1e-10)/pivot)
	}
	for i := range p.n {
		price, pivot := 0., 0.
		for r, row := range p.rows {
			price += y[r] * row.phi[i]
			pivot += rho[r] * row.phi[i]
		}
		consider(i, p.price[i]-price, pivot)
		consider(p.n+i, p.price[i]+price, -pivot)
	}
	for r, row := range p.rows {
		if row.basic || row.slack == 0 {
			continue
		}
		side := math.Copysign(1, row.at) // at its upper end it can only fall
		consider(^r, side*y[r], -side*rho[r])
	}
	var best candidate
	for _, c := range candidates {
		if c.reduced/c.pivot <= bound && c.pivot > best.pivot {
			best = c
		}
	}
	return best.column, best.pivot > 0
}

// coefficients are the c of a basis.
func (p *chebyshev) coefficients(x *mat.VecDense) []float64 {
	c := make([]float64, p.n)
	for r, j := range p.basis {
		switch {
		case j >= p.n:
			c[j-p.n] -= x.AtVec(r)
		case j >= 0:
			c[j] += x.AtVec(r)
		}
	}
	return c
}
