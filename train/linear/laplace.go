package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The values of LaplaceOptions.Covariance: how much of the posterior covariance of a softmax head's weights is kept.
const (
	// ExactCovariance is the inverse of the whole Hessian of the (D + 1) k coefficients.
	ExactCovariance = "exact"
	// ClassesCovariance inverts the k diagonal blocks of the Hessian, one for each class, as if the classes were
	// independent. No variance is above the one of ExactCovariance, by the Schur complement.
	ClassesCovariance = "classes"
	// SharedCovariance inverts one matrix for all classes, an upper bound of every diagonal block. No variance is above
	// the one of ClassesCovariance; for two classes they are equal.
	SharedCovariance = "shared"
)

// covariances are the choices of LaplaceOptions.Covariance.
var covariances = []string{ExactCovariance, ClassesCovariance, SharedCovariance}

const (
	// exactLaplace is the largest number of coefficients for which the exact covariance is chosen.
	exactLaplace = 2048
	// classesLaplace is the largest size of the matrices, in bytes, for which one matrix for each class is chosen.
	classesLaplace = 256 << 20
	// defaultLaplaceLambda times the weight of all rows is the default of LaplaceOptions.Lambda.
	defaultLaplaceLambda = 1e-3
)

// LaplaceOptions are the options of FitLaplace. The zero value is the default.
type LaplaceOptions struct {
	// Lambda is relative, as in LogisticOptions: the prior precision of a weight is Lambda s. It is finite and > 0; 0
	// is 1e-3 times the weight of all rows, which is their number n without ClassWeights. It need not be the lambda of
	// the fit: 1e-6 n, which suits the weights, makes the variances so large that probabilities become far too flat. A
	// smaller Lambda separates rows of unknown classes slightly better, at that price. Choose it on held-out rows.
	Lambda float64
	// Covariance says what is kept. Empty: exact up to (D + 1) k = 2048, classes up to 256 MiB of matrices, shared
	// beyond.
	Covariance string
	// ClassWeights are the ones of the fit.
	ClassWeights []float64
	BlockRows    int // as in RidgeOptions
}

// Laplace is a softmax head with the Gaussian posterior of its coefficients. FitLaplace makes it, and Restore
// reads it from tensors. It is safe for concurrent use.
type Laplace struct {
	Covariance string  // what is kept
	Lambda     float64 // the relative lambda of the prior
	Scale      float64 // s

	d, k int
	at   []float64 // the point that features are centred at, close to their mean
	head []float64 // W, and B + atᵀW last, [D + 1, k]: the logits of centred features
	// root are the inverses of the lower Cholesky factors of the precisions, [N, N] each: one of N = (D + 1) k, class
	// after class, k of N = D + 1, or one of that.
	root []*factor.Cholesky
}

// FitLaplace finds the Gaussian posterior of a softmax head with weights W [D, k] and intercepts B [k]: Laplace's
// approximation of multinomial logistic regression on the features z = m(x). With z̃ᵢ = (zᵢ - z̄, 1) and the
// probabilities p of the head, the posterior has the precision
//
//	H[c,e] = Σᵢ rᵢ (δ_ce p_ic - p_ic p_ie) z̃ᵢ z̃ᵢᵀ + δ_ce Λ,    Λ = λ diag(s, ..., s, 1),    s = (1/n) Σᵢ rᵢ ‖zᵢ - z̄‖²
//
// which is the Hessian of the negative log posterior Σ rᵢ (-ln p(yᵢ)) + ½ λ s ‖W‖² + ½ λ ‖B + Wᵀz̄‖². rᵢ are the
// ClassWeights; n and z̄ count the weighted rows. The prior of the intercepts, at the mean of the features,
// fixes the one direction that the rows leave open: a constant added to all logits. The head should be at its optimum,
// as FitLogistic leaves it; otherwise the Gaussian is centred on the head that was given. MacKay (1992), The evidence
// framework applied to classification networks, section 3.
//
// ClassesCovariance keeps only the blocks H[c,c]. SharedCovariance keeps one matrix that bounds them all from above,
//
//	Σᵢ rᵢ max_c p_ic (1 - p_ic) z̃ᵢ z̃ᵢᵀ + Λ.
//
// Liu et al. (2020), Simple and principled uncertainty estimation with deterministic deep learning via distance
// awareness, equations 9 and 10, with z in place of z - z̄.
//
// Rows are dense or sparse, float32 or float64, or ops.Bags, in memory or from a stream, and are read once; a nil map
// is the identity. Targets have k columns; their values matter only with ClassWeights. f may hold the W and B of any
// softmax head.
//
// Operations, with N = (D + 1) k: n N² + N³ for the exact covariance, n k D² + k D³ for classes, n D² + D³ for shared.
// Memory: 8 N², 8 k (D + 1)² or 8 (D + 1)² bytes for the matrices, for the exact covariance also one for each class
// during the fit, and blocks of features. Results do not depend on GOMAXPROCS, and on the blocks of rows only by
// rounding. FitLaplace checks ctx between blocks.
//
// Errors: for rows see FitLogistic; domain.ErrShape for a head of another shape, or rows with another number of
// classes; domain.ErrDomain for coefficients that are not finite; domain.ErrParam for a nil f, for options out of
// range, and for a Lambda so small that the precision is singular in working precision.
func FitLaplace(ctx context.Context, m layers.Map, examples data.Examples, f *Fit, o LaplaceOptions) (*Laplace, error) {
	src, err := rows.New(ctx, "Laplace", m, examples)
	if err != nil {
		return nil, err
	}
	if err := given.Missing("Laplace", "the head", f); err != nil {
		return nil, err
	}
	if err := checkHead(f.W, f.B); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	src.Block = o.BlockRows
	h := &curvature{of: f, o: o}
	if err := src.Each(h.add); err != nil {
		return nil, err
	}
	return h.posterior(ctx)
}

func (o LaplaceOptions) check() error {
	check := given.Options("Laplace")
	return cmp.Or(
		check(positive(o.Lambda) || o.Lambda == 0, "Lambda", o.Lambda, "a finite number above 0, or 0 for the default"),
		check(o.BlockRows >= 0, "BlockRows", o.BlockRows, "at least 0; 0 is the default"),
		check(o.Covariance == "" || slices.Contains(covariances, o.Covariance), "Covariance", o.Covariance,
			fmt.Sprintf("one of %v, or none to choose", covariances)),
	)
}

// chosenCovariance is the covariance c or, for an empty one, the default for a head of D features and k classes, or an
// error if memory cannot hold it.
func chosenCovariance(c string, d, k int) (string, error) {
	size := float64(d+1) * float64(k)
	if c == "" {
		switch {
		case size <= exactLaplace:
			c = ExactCovariance
		case 8*size*float64(d+1) <= classesLaplace:
			c = ClassesCovariance
		default:
			c = SharedCovariance
		}
	}
	count, n := precisions(c, d, k)
	return c, domain.CheckSize("train: Laplace: two precisions, "+c, 8, 2*count, n, n)
}

// precisions returns the number of precision matrices of a covariance and their number of rows.
func precisions(c string, d, k int) (count, n int) {
	switch c {
	case ExactCovariance:
		return 1, (d + 1) * k
	case ClassesCovariance:
		return k, d + 1
	}
	return 1, d + 1
}

// Cost estimates the cost of FitLaplace.
func (o LaplaceOptions) Cost(p fits.Problem) fits.Cost {
	var c fits.Cost
	kind, err := chosenCovariance(o.Covariance, p.Features, p.Outputs)
	if err != nil { // too many to count, which the estimate says as well
		kind = SharedCovariance
	}
	count, n := precisions(kind, p.Features, p.Outputs)
	size := float64(n) * float64(n)
	c.Hold(8*float64(count)*size, "the %s covariance of the weights, %d x %d numbers", kind, n, n)
	if kind == ExactCovariance { // made from the blocks of the classes
		c.Hold(8*float64(p.Features+1)*float64(p.Features+1)*float64(p.Outputs), "its blocks")
	}
	c.Operations = float64(count) * size * (float64(p.Rows) + float64(n))
	return c
}

// checkHead refuses a W and B that do not make a softmax head.
func checkHead(w *mat.Dense, b []float64) error {
	if w == nil {
		return fmt.Errorf("train: Laplace: the head has no W; fit it by FitLogistic: %w", domain.ErrParam)
	}
	d, k := w.Dims()
	if d < 1 || k < 2 || len(b) != k {
		return fmt.Errorf("train: Laplace: the head has W [%d,%d] and %d intercepts, want W [D,k] of two classes "+
			"at least and k intercepts: %w", d, k, len(b), domain.ErrShape)
	}
	return finiteHead("Laplace", w, b, "fit the head again")
}

// newLaplace is a head for features less the point at, without its posterior. The intercept becomes B + atᵀW.
func newLaplace(w *mat.Dense, b, at []float64) *Laplace {
	l := &Laplace{at: at}
	l.d, l.k = w.Dims()
	last := slices.Clone(b)
	for j, v := range at {
		l.head = append(l.head, w.RawRowView(j)...)
		floats.AddScaled(last, v, w.RawRowView(j))
	}
	l.head = append(l.head, last...)
	return l
}

// aboutInto writes rows lo, lo+1, ... of z less the point at, each followed by a 1, to dst [rows, D + 1].
func aboutInto(dst []float64, z *tensor.Dense, lo int, at []float64) {
	d := len(at)
	centre(dst, d+1, z, lo, at)
	for i := d; i < len(dst); i += d + 1 {
		dst[i] = 1
	}
}

// curvature holds the sums of FitLaplace over the rows so far. They are centred at the mean of the first block, so that
// features that hardly vary lose no digits. So is the posterior; only its prior is about the mean of all rows.
type curvature struct {
	of *Fit // the head
	o  LaplaceOptions

	*Laplace // the posterior to be, once there are rows
	spread   rowSpread
	own      [][]float64 // Σ r p (1 - p) z̃ z̃ᵀ of each class, or their bound: lower triangles [D + 1, D + 1]
	across   []float64   // Σ r p_c p_e z̃ z̃ᵀ, the lower triangle [N, N]; nil but for the exact covariance

	z, scaled, p []float64 // of the rows in hand; scratch
}

// laplaceRows is the number of rows that are multiplied at a time.
const laplaceRows = 512

// add adds a block, as rows.Rows.
func (h *curvature) add(names rows.Names, z *tensor.Dense, y *mat.Dense) error {
	n, d := z.Shape()[0], z.Shape()[1]
	if wd, k := h.of.W.Dims(); wd != d || y.RawMatrix().Cols != k {
		return fmt.Errorf("train: Laplace: the head has W [%d,%d], and the rows have %d features and targets of %d "+
			"classes; give the rows and the map of its fit: %w", wd, k, d, y.RawMatrix().Cols, domain.ErrShape)
	}
	if err := rows.CheckFinite("Laplace", z, names); err != nil {
		return err
	}
	weight, err := given.RowWeights("Laplace", h.o.ClassWeights, y, names.At)
	if err != nil {
		return err
	}
	h.spread.addMatrix(z, weight)
	if h.Laplace == nil {
		if err := h.begin(); err != nil {
			return err
		}
	}
	for lo := 0; lo < n; lo += laplaceRows {
		h.addRows(z, weight, lo, min(lo+laplaceRows, n))
	}
	return nil
}

// begin makes room, about the mean of the rows so far.
func (h *curvature) begin() error {
	l := newLaplace(h.of.W, h.of.B, slices.Clone(h.spread.meanZ))
	var err error
	if l.Covariance, err = chosenCovariance(h.o.Covariance, l.d, l.k); err != nil {
		return err
	}
	h.Laplace, h.own = l, make([][]float64, l.k)
	_, wide := precisions(l.Covariance, l.d, l.k)
	switch l.Covariance {
	case ExactCovariance:
		h.across = make([]float64, wide*wide)
	case SharedCovariance:
		h.own = h.own[:1]
	}
	for c := range h.own {
		h.own[c] = make([]float64, (l.d+1)*(l.d+1))
	}
	h.z, h.scaled = make([]float64, laplaceRows*(l.d+1)), make([]float64, laplaceRows*wide)
	h.p = make([]float64, laplaceRows*l.k)
	return nil
}

// bernoulli is p_c (1 - p_c). For p_c near 1 it sums the other probabilities, to keep their digits.
func bernoulli(p []float64, c int) float64 {
	if p[c] < .5 {
		return p[c] * (1 - p[c])
	}
	rest := 0.
	for e, v := range p {
		if e != c {
			rest += v
		}
	}
	return p[c] * rest
}

// addRows adds rows lo to hi of z, by their weights; nil: all are 1.
func (h *curvature) addRows(z *tensor.Dense, weight []float64, lo, hi int) {
	rows, n, k := hi-lo, h.d+1, h.k
	aboutInto(h.z[:rows*n], z, lo, h.at)
	factor.Product(blas.NoTrans, blas.NoTrans, rows, k, n, 1, h.z, h.head, 0, h.p)
	given.InParallel(rows, func(i int) { softmaxRow(h.p[i*k : (i+1)*k]) })
	scale := func(at, stride int, by func(i int, p []float64) float64) {
		given.InParallel(rows, func(i int) {
			floats.ScaleTo(h.scaled[i*stride+at:][:n], by(lo+i, h.p[i*k:(i+1)*k]), h.z[i*n:(i+1)*n])
		})
	}
	square := func(n int, c []float64) {
		fast.Implementation{}.Dsyrk(blas.Lower, blas.Trans, n, rows, 1, h.scaled, n, 1, c, n)
	}
	for c := range h.own {
		scale(0, n, func(i int, p []float64) float64 {
			v := bernoulli(p, c)
			if h.Covariance == SharedCovariance {
				for e := range p {
					v = max(v, bernoulli(p, e))
				}
			}
			return math.Sqrt(v * weightAt(weight, i))
		})
		square(n, h.own[c])
	}
	if h.across == nil {
		return
	}
	for c := range k {
		scale(c*n, k*n, func(i int, p []float64) float64 { return p[c] * math.Sqrt(weightAt(weight, i)) })
	}
	square(k*n, h.across)
}

// posterior adds the prior and inverts. With δ = z̄ - at the prior of the intercept z̄ᵀw + b of a class has the
// precision λ (δ, 1)(δ, 1)ᵀ of the coefficients about the point at.
func (h *curvature) posterior(ctx context.Context) (*Laplace, error) {
	l := h.Laplace
	l.Lambda = orElse(h.o.Lambda, defaultLaplaceLambda*h.spread.mass)
	var err error
	if l.Scale, err = h.spread.scale("Laplace"); err != nil {
		return nil, err
	}
	if p := l.Lambda * l.Scale; !(p > 0 && p <= math.MaxFloat64) {
		return nil, fmt.Errorf("train: Laplace: Lambda = %v times the mean squared distance of a row, %v, leaves "+
			"the range of numbers; change it: %w", l.Lambda, l.Scale, domain.ErrParam)
	}
	n := h.d + 1
	delta := append(floats.SubTo(make([]float64, h.d), h.spread.meanZ, h.at), 1)
	for _, a := range h.own {
		for i, v := range delta {
			floats.AddScaled(a[i*n:i*n+i+1], l.Lambda*v, delta[:i+1])
		}
		for j := range h.d {
			a[j*n+j] += l.Lambda * l.Scale
		}
	}
	matrices := h.own
	if h.across != nil { // the blocks of two classes, and of one
		for c, own := range h.own {
			for i := range n {
				row := h.across[(c*n+i)*n*h.k:][:c*n+i+1]
				floats.Scale(-1, row[:c*n])
				copy(row[c*n:], own[i*n:])
			}
		}
		matrices = [][]float64{h.across}
	}
	_, size := precisions(l.Covariance, h.d, h.k)
	for _, a := range matrices {
		root, ok := factor.Of(ctx, a, size, 0)
		if err := given.Stopped(ctx); err != nil {
			return nil, fmt.Errorf("train: Laplace: stopped in the factorisation of the precision: %w", err)
		}
		if !ok {
			return nil, fmt.Errorf("train: Laplace: the precision is singular in working precision at Lambda = %v; "+
				"raise it: %w", l.Lambda, domain.ErrParam)
		}
		root.Inverse()
		l.root = append(l.root, root)
	}
	return l, nil
}

// meanField is π/8, the constant with which the logistic function approximates the normal distribution function.
const meanField = math.Pi / 8

// Probabilities returns the class probabilities [n, k] for features z [n, D], averaged over the posterior by a
// closed-form approximation. With the logits u and their variances v they are, for independent classes,
//
//	softmax(u_c / √(1 + π/8 v_c)),
//
// as in Liu et al. (2020), and with ExactCovariance
//
//	p_c ∝ 1 / Σ_e exp((u_e - u_c) / √(1 + π/8 Var(u_c - u_e))),
//
// the mf2 of Lu, Ie and Sha (2020), Mean-field approximation to Gaussian-softmax integral with application to
// uncertainty estimation. For two classes that is the approximation of Spiegelhalter and Lauritzen (1990). Far from the
// rows of the fit the variances grow, and the probabilities tend to 1/k.
//
// Operations for a row, with N = (D + 1) k: N (N + D) for the exact covariance, 2 k D² for classes, 2 D² for shared.
// Memory: the result and 16 MB, or k N numbers if that is more. Results do not depend on GOMAXPROCS.
//
// Errors: domain.ErrParam for nil z and for a Laplace without posterior; domain.ErrShape and domain.ErrDtype unless z
// is a matrix [n, D] of float64 or float32; domain.ErrDomain for a number that is not finite, or so large that a logit
// or its variance is not.
func (l *Laplace) Probabilities(z *tensor.Dense) (*mat.Dense, error) {
	return l.rows("Probabilities", z, func(p, u, v []float64) {
		k := l.k
		if l.Covariance != ExactCovariance {
			for c := range p {
				p[c] = u[c] / math.Sqrt(1+meanField*v[c])
			}
			softmaxRow(p)
			return
		}
		for c := range p {
			sum := 0.
			for e := range p {
				apart := max(v[c*k+c]+v[e*k+e]-2*v[max(c, e)*k+min(c, e)], 0)
				sum += math.Exp((u[e] - u[c]) / math.Sqrt(1+meanField*apart))
			}
			p[c] = 1 / sum
		}
		floats.Scale(1/floats.Sum(p), p)
	})
}

// Variance returns the posterior variance z̃ᵀ Cov(w_c) z̃ of each logit, [n, k], for features z [n, D]. With
// ExactCovariance a part of it is common to all classes and does not affect the probabilities. Cost and errors: see
// Probabilities.
func (l *Laplace) Variance(z *tensor.Dense) (*mat.Dense, error) {
	return l.rows("Variance", z, func(out, _, v []float64) {
		for c := range out {
			if l.Covariance == ExactCovariance {
				out[c] = v[c*l.k+c]
			} else {
				out[c] = v[c]
			}
		}
	})
}

// rows calls f, from several goroutines, with the result of each row to fill in, its logits u and their variances v.
// For the exact covariance v is the lower triangle of the covariance of the logits, [k, k].
func (l *Laplace) rows(who string, z *tensor.Dense, f func(out, u, v []float64)) (*mat.Dense, error) {
	who = "train: Laplace: " + who
	if l.root == nil {
		return nil, fmt.Errorf("%s: there is no posterior; make it by FitLaplace: %w", who, domain.ErrParam)
	}
	whole, err := data.RowMajor(who, "the features", z)
	if err != nil {
		return nil, err
	}
	z = whole.(*tensor.Dense)
	n := z.Shape()[0]
	if n == 0 || z.Shape()[1] != l.d {
		return nil, fmt.Errorf("%s: the features are %v, want [n,%d] with a row at least: %w",
			who, z.Shape(), l.d, domain.ErrShape)
	}
	out, width := mat.NewDense(n, l.k, nil), l.k // of a row of variances
	if l.Covariance == ExactCovariance {
		width *= l.k
	}
	d1 := l.d + 1
	step := min(max((1<<21)/(width*d1), 1), laplaceRows, n)
	x, u, v, half := make([]float64, step*d1), make([]float64, step*l.k), make([]float64, step*width), []float64{}
	for lo := 0; lo < n; lo += step {
		rows := min(step, n-lo)
		aboutInto(x[:rows*d1], z, lo, l.at)
		factor.Product(blas.NoTrans, blas.NoTrans, rows, l.k, d1, 1, x, l.head, 0, u)
		if l.Covariance == ExactCovariance {
			half = slices.Grow(half[:0], rows*width*d1)[:rows*width*d1]
			l.exact(v, x, half, rows)
		} else {
			l.blocks(v, x, rows)
		}
		for _, part := range [][]float64{u[:rows*l.k], v[:rows*width]} {
			if i, _, _ := given.NotFinite(part, rows, len(part)/rows, len(part)/rows); i >= 0 {
				return nil, fmt.Errorf("%s: row %d has a logit or a variance that is not finite; check its "+
					"features: %w", who, lo+i, domain.ErrDomain)
			}
		}
		given.InParallel(rows, func(i int) {
			f(out.RawRowView(lo+i), u[i*l.k:(i+1)*l.k], v[i*width:(i+1)*width])
		})
	}
	return out, nil
}

// blocks puts the variances of the logits of rows x into v [rows, k]. A shared covariance serves every class.
func (l *Laplace) blocks(v, x []float64, rows int) {
	own := make([]float64, rows)
	for c := range l.k {
		if c < len(l.root) {
			l.root[c].Quadratics(own, x[:rows*(l.d+1)])
		}
		for i, s := range own {
			v[i*l.k+c] = s
		}
	}
}

// exact puts the covariances of logits, (L⁻¹(e_c ⊗ z̃))ᵀ (L⁻¹(e_e ⊗ z̃)), into v [rows, k, k].
func (l *Laplace) exact(v, x, half []float64, rows int) {
	d1, k := l.d+1, l.k
	n, root := d1*k, l.root[0].Inverse()
	for c := range k {
		at := c * d1 // the column block is 0 above it
		fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, n-at, d1, 1, x, d1, root[at*n+at:], n, 0, half[c*rows*n+at:], n)
	}
	given.InParallel(rows, func(i int) {
		of := func(c int) []float64 { return half[(c*rows+i)*n:][:n] }
		for c := range k {
			for e := range c + 1 {
				v[i*k*k+c*k+e] = floats.Dot(of(c)[c*d1:], of(e)[c*d1:])
			}
		}
	})
}
