package simd

import "math"

// KDE is kernel density estimation on the unit cube of one to three dimensions, at the midpoints of a grid. The kernel
// is a product over the axes of
//
//	K(t, x) = Σ φ((t - x')/h)/h,   over the images x' = ±x + 2k of x in mirrors at 0 and 1,
//
// whose integral over [0, 1] is 1 for every x. On a grid the sum over samples of a product is a matrix product. It
// multiplies the first axis with the others together, points against samples against points.
type KDE[T Float] struct {
	Points []int     // midpoints of each axis, of which the last runs fastest; with At the number of points alone
	H      []float64 // bandwidth h of each axis
	At     [][]T     // the coordinates of the points on each axis, where they are no grid
}

// cells is how many points there are on all axes but the first.
func (k *KDE[T]) cells() int {
	v := 1
	for _, g := range k.Points[1:] {
		v *= g
	}
	return v
}

// axis are the kernels of a block of samples at the points of an axis, one sample a row, and their derivatives by x and
// by h.
type axis[T Float] struct{ k, dx, dh []T }

// kdeSpace is what a goroutine needs. tail is the product of all axes but the first.
type kdeSpace[T Float] struct {
	axes                     [3]axis[T]
	tail, dHead, dTail, u, e []T
	modes                    modeSpace
}

// block is how many samples are worked on at once.
func (k *KDE[T]) block() int { return min(256, max(16, 1<<16/k.cells())) }

// bags calls f for each of n bags, from several goroutines.
func bags[T Float](n int, f func(ws *kdeSpace[T], i int)) {
	Share(n, max(1, n/16), func(lo, hi int) {
		ws := new(kdeSpace[T])
		for i := lo; i < hi; i++ {
			f(ws, i)
		}
	})
}

// Forward writes the densities of the bags of x at the V points to dst, one a row. Bag i has the rows offsets[i] to
// offsets[i+1].
func (k *KDE[T]) Forward(dst, x []T, offsets []int) {
	if k.At != nil {
		k.scatteredForward(dst, x, offsets)
		return
	}
	l, first, rest := len(k.Points), k.Points[0], k.cells()
	bags(len(offsets)-1, func(ws *kdeSpace[T], i int) {
		scale, beta := T(1/float64(offsets[i+1]-offsets[i])), T(0)
		for lo := offsets[i]; lo < offsets[i+1]; lo += k.block() {
			n := min(k.block(), offsets[i+1]-lo)
			k.fill(ws, x[lo*l:(lo+n)*l], n, false)
			Gemm(true, false, first, rest, n, scale, ws.axes[0].k, first, ws.tail, rest, beta, dst[i*first*rest:], rest)
			beta = 1
		}
	})
}

// Backward writes dx and dh, of the length of H, from the gradient g of the densities.
func (k *KDE[T]) Backward(dx, dh, x, g []T, offsets []int) {
	sums := make([]float64, (len(offsets)-1)*len(k.H))
	if k.At != nil {
		k.scatteredBackward(dx, sums, x, g, offsets)
	} else {
		k.gridBackward(dx, sums, x, g, offsets)
	}
	totals(dh, sums)
}

// gridBackward is Backward on a grid, with the sums for dh of each bag.
func (k *KDE[T]) gridBackward(dx []T, sums []float64, x, g []T, offsets []int) {
	l, first, rest := len(k.Points), k.Points[0], k.cells()
	bags(len(offsets)-1, func(ws *kdeSpace[T], i int) {
		scale, gi := T(1/float64(offsets[i+1]-offsets[i])), g[i*first*rest:]
		for lo := offsets[i]; lo < offsets[i+1]; lo += k.block() {
			n := min(k.block(), offsets[i+1]-lo)
			k.fill(ws, x[lo*l:(lo+n)*l], n, true)
			ws.dHead, ws.dTail = grow(ws.dHead, n*first), grow(ws.dTail, n*rest)
			Gemm(false, true, n, first, rest, scale, ws.tail, rest, gi, rest, 0, ws.dHead, first)
			Gemm(false, false, n, rest, first, scale, ws.axes[0].k, first, gi, rest, 0, ws.dTail, rest)
			for s := range n {
				for j := range l {
					dx[(lo+s)*l+j] = T(k.contract(ws, s, j, ws.axes[j].dx))
					sums[i*l+j] += k.contract(ws, s, j, ws.axes[j].dh)
				}
			}
		}
	})
}

// contract is the gradient of sample s with the kernels of axis j replaced by a derivative.
func (k *KDE[T]) contract(ws *kdeSpace[T], s, j int, derivative []T) float64 {
	g := k.Points[j]
	row := derivative[s*g : s*g+g]
	if j == 0 {
		return dot64(ws.dHead[s*g:], row)
	}
	if len(k.Points) == 2 {
		return dot64(ws.dTail[s*g:], row)
	}
	a, b := k.Points[1], k.Points[2]
	second, third := ws.axes[1].k[s*a:s*a+a], ws.axes[2].k[s*b:s*b+b]
	if j == 1 {
		second = row
	} else {
		third = row
	}
	sum := 0.0
	for i, v := range second {
		sum += float64(v) * dot64(ws.dTail[(s*a+i)*b:], third)
	}
	return sum
}

// dot64 is the inner product with the first elements of a, summed in float64.
func dot64[T Float](a, b []T) (sum float64) {
	a = a[:len(b)]
	for i, v := range b {
		sum += float64(a[i]) * float64(v)
	}
	return sum
}

// fill computes the kernels of n samples on every axis of a grid, and their product over all but the first.
func (k *KDE[T]) fill(ws *kdeSpace[T], x []T, n int, derivatives bool) {
	k.onAxes(ws, x, n, derivatives)
	ws.tail = grow(ws.tail, n*k.cells())
	tail := [2][]T{ws.axes[1].k, ws.axes[2].k}
	outer(ws.tail, n, tail[:len(k.Points)-1])
}

// onAxes computes the kernels of n samples on every axis.
func (k *KDE[T]) onAxes(ws *kdeSpace[T], x []T, n int, derivatives bool) {
	l := len(k.H)
	for j, h := range k.H {
		g, t := k.Points[min(j, len(k.Points)-1)], []T(nil)
		if k.At != nil {
			t = k.At[j]
		}
		a := &ws.axes[j]
		a.k, ws.u, ws.e = grow(a.k, n*g), grow(ws.u, g), grow(ws.e, g)
		if derivatives {
			a.dx, a.dh = grow(a.dx, n*g), grow(a.dh, n*g)
		}
		for s := range n {
			at := axis[T]{k: a.k[s*g : s*g+g]}
			if derivatives {
				at.dx, at.dh = a.dx[s*g:s*g+g], a.dh[s*g:s*g+g]
			}
			at.kernels(ws.u, ws.e, float64(x[s*l+j]), h, t)
		}
	}
}

// outer writes the products of the rows of up to two matrices of n rows, one number of each, to the rows of dst. The
// numbers of the second run fastest; without a matrix a product is 1.
func outer[T Float](dst []T, n int, of [][]T) {
	switch len(of) {
	case 0:
		for i := range n {
			dst[i] = 1
		}
	case 1:
		copy(dst, of[0])
	default:
		a, b := len(of[0])/max(n, 1), len(of[1])/max(n, 1)
		for i, v := range of[0] {
			vecMultiple(dst[i*b:][:b], of[1][i/a*b:][:b], v)
		}
	}
}

// kernels writes K(t, x) and, where they are wanted, dK/dx and dK/dh at the points t, the midpoints where t is nil. u
// and e are work space of as many elements.
func (a axis[T]) kernels(u, e []T, x, h float64, t []T) {
	clear(a.k)
	clear(a.dx)
	clear(a.dh)
	// An image at the distance d from [0, 1] adds nothing where exp(-d²/2h²) is 0, nor where it is e^{-40}, in float32
	// e^{-20}, of the exp(-1/2h²) that x itself adds at least; on a grid, also at no point where it is that much of
	// what x adds there.
	few, most := 40., 39.
	if sizeof[T]() == 4 {
		few, most = 20, 15
	}
	reach := math.Min(most*h, math.Sqrt(1+2*few*h*h))
	step, height := 1/(float64(len(u))*h), 1/(h*math.Sqrt(2*math.Pi))
	for m := math.Floor(-reach / 2); 2*m-1 <= 1+reach; m++ {
		for _, sign := range [2]float64{1, -1} {
			image := sign*x + 2*m
			if image < -reach || image > 1+reach {
				continue
			}
			lo, hi := 0, len(u)
			if t == nil {
				lo, hi = reachable(len(u), x, image, 2*few*h*h)
				start := step/2 - image/h
				for i := lo; i < hi; i++ {
					v := start + float64(i)*step
					u[i], e[i] = T(v), T(v*v/2)
				}
			} else {
				inverse := 1 / h
				for i, at := range t {
					v := (float64(at) - image) * inverse
					u[i], e[i] = T(v), T(v*v/2)
				}
			}
			vecExp(e[lo:hi], e[lo:hi], 1, -1)
			a.add(u[lo:hi], e[lo:hi], lo, height, sign, h)
		}
	}
}

// reachable are the midpoints t, of so many, at which the squared distance from an image of x is at most so much larger
// than that from x.
func reachable(points int, x, image, slack float64) (lo, hi int) {
	if image == x {
		return 0, points
	}
	// (t - x')² - (t - x)² = x'² - x² - 2t(x' - x), which falls in t where x' > x
	at := (image*image-x*x-slack)/(2*(image-x))*float64(points) - .5
	if image > x {
		return int(math.Ceil(math.Min(math.Max(at, 0), float64(points)))), points
	}
	return 0, int(math.Floor(math.Min(math.Max(at+1, 0), float64(points))))
}

// add adds the kernel of one image at the points from the given one on.
func (a axis[T]) add(u, e []T, from int, height, sign, h float64) {
	c, k := T(height), a.k[from:]
	for i, v := range e {
		k[i] += c * v
	}
	if a.dx == nil {
		return
	}
	byX, byH := a.dx[from:], a.dh[from:]
	dx, dh := T(sign*height/h), T(height/h)
	for i, v := range e {
		byX[i] += dx * u[i] * v
		byH[i] += dh * (u[i]*u[i] - 1) * v
	}
}

// scatteredForward is Forward at points that are no grid: by modes where these take less time, and else for each sample
// by the product of the kernels of its coordinates.
func (k *KDE[T]) scatteredForward(dst, x []T, offsets []int) {
	l, v, m := len(k.At), len(k.At[0]), k.modesOf()
	bags(len(offsets)-1, func(ws *kdeSpace[T], i int) {
		row, n := dst[i*v:(i+1)*v], offsets[i+1]-offsets[i]
		if m != nil && m.size() <= modesASample*n {
			samples, density := make([]float64, n*l), make([]float64, v)
			for j := range samples {
				samples[j] = float64(x[offsets[i]*l+j])
			}
			m.density(&ws.modes, density, samples, k.H)
			for j, p := range density {
				row[j] = T(p)
			}
			return
		}
		scale := T(1 / float64(n))
		clear(row)
		for s := offsets[i]; s < offsets[i+1]; s++ {
			k.onAxes(ws, x[s*l:], 1, false)
			ws.tail = grow(ws.tail, v)
			vecMultiple(ws.tail, ws.axes[0].k, scale)
			for j := 1; j < l; j++ {
				vecProduct(ws.tail, ws.tail, ws.axes[j].k, 1)
			}
			vecAdd(row, ws.tail)
		}
	})
}

// scatteredBackward is gridBackward at points that are no grid.
func (k *KDE[T]) scatteredBackward(dx []T, sums []float64, x, g []T, offsets []int) {
	l, v := len(k.At), len(k.At[0])
	bags(len(offsets)-1, func(ws *kdeSpace[T], i int) {
		gi, scale := g[i*v:(i+1)*v], 1/float64(offsets[i+1]-offsets[i])
		ws.tail = grow(ws.tail, v)
		for s := offsets[i]; s < offsets[i+1]; s++ {
			k.onAxes(ws, x[s*l:], 1, true)
			for j := range l {
				copy(ws.tail, gi)
				for other := range l {
					if other != j {
						vecProduct(ws.tail, ws.tail, ws.axes[other].k, 1)
					}
				}
				dx[s*l+j] = T(scale * dot64(ws.tail, ws.axes[j].dx))
				sums[i*l+j] += scale * dot64(ws.tail, ws.axes[j].dh)
			}
		}
	})
}

// modes is the kernel of KDE as a sum over cosines, in which points and samples are apart. With mirrors at 0 and 1 it
// is the heat kernel of the interval at the time h²/2,
//
//	K(t, x) = Σ_k ψ_k(t) ψ_k(x),   ψ_k(t) = √w_k cos(πkt),   w_0 = 1, w_k = 2 exp(-(πkh)²/2),
//
// so that at V points, R cosines an axis and n samples a density costs (n + V)R^l operations in place of n V
// exponentials. What is left out and the rounding are some 1e-15 of the largest K; a result below 0 is 0.
type modes struct {
	count []int       // R of each axis
	first int         // the product of all but the last
	psi   [][]float64 // of each axis, [V, R]
	head  []float64   // products of all axes but the last at the points, [V, first]
}

// Limits of modes: their numbers at the points, and how many times as many of them as samples are still faster than
// exponentials.
const (
	maxModes     = 1 << 23
	modesASample = 40
)

// modesOf counts the cosines that are above 1e-17 and finds their values at the points, or is nil where they are too
// many.
func (k *KDE[T]) modesOf() *modes {
	m, v := &modes{first: 1}, len(k.At[0])
	for j, h := range k.H {
		r := 1 + int(math.Sqrt(2*17*math.Ln10)/(math.Pi*h))
		if m.count = append(m.count, r); j < len(k.H)-1 {
			m.first *= r
		}
		if (m.first+r)*v > maxModes {
			return nil
		}
	}
	for j, at := range k.At {
		psi := make([]float64, v*m.count[j])
		for i, t := range at {
			m.cosines(psi[i*m.count[j]:(i+1)*m.count[j]], float64(t), k.H[j])
		}
		m.psi = append(m.psi, psi)
	}
	m.head = make([]float64, v*m.first)
	outer(m.head, v, m.psi[:len(m.psi)-1])
	return m
}

// cosines are ψ_k(t), by the recurrence of Chebyshev's polynomials.
func (m *modes) cosines(psi []float64, t, h float64) {
	c := math.Cos(math.Pi * t)
	last, now := c, 1.0
	for k := range psi {
		psi[k] = now
		if k > 0 {
			psi[k] *= math.Sqrt2 * math.Exp(-math.Pow(math.Pi*float64(k)*h/2, 2))
		}
		last, now = now, 2*c*now-last
	}
}

// size is how many products of cosines there are.
func (m *modes) size() int { return m.first * m.count[len(m.count)-1] }

// modeSpace is what a goroutine needs.
type modeSpace struct {
	psi           [3][]float64
	head, c, back []float64
}

// density writes the density of a bag of samples at the points.
func (m *modes) density(ws *modeSpace, dst []float64, x, h []float64) {
	const block = 256
	l, v, last := len(h), len(dst), m.count[len(h)-1]
	n := len(x) / l
	ws.c, ws.back = grow(ws.c, m.size()), grow(ws.back, v*m.first)
	beta := 0.0
	for lo := 0; lo < n; lo += block {
		some := min(block, n-lo)
		for j, r := range m.count {
			ws.psi[j] = grow(ws.psi[j], some*r)
			for s := range some {
				m.cosines(ws.psi[j][s*r:(s+1)*r], x[(lo+s)*l+j], h[j])
			}
		}
		ws.head = grow(ws.head, some*m.first)
		outer(ws.head, some, ws.psi[:l-1])
		Gemm(true, false, m.first, last, some, 1/float64(n), ws.head, m.first, ws.psi[l-1], last, beta, ws.c, last)
		beta = 1
	}
	Gemm(false, true, v, m.first, last, 1, m.psi[l-1], last, ws.c, last, 0, ws.back, m.first)
	for i := range dst {
		dst[i] = max(0, dot64(m.head[i*m.first:], ws.back[i*m.first:(i+1)*m.first]))
	}
}
