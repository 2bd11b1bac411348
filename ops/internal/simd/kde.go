package simd

import "math"

// KDE is kernel density estimation on the unit cube of one to three dimensions, at the midpoints of a grid. The kernel is a product over the
// axes of
//
//	K(t, x) = Σ φ((t - x')/h)/h,   over the images x' = ±x + 2k of x in mirrors at 0 and 1,
//
// whose integral over [0, 1] is 1 for every x. On a grid the sum over samples of a product is a matrix product: that of the first axis
// with the others together, points against samples against points.
type KDE[T Float] struct {
	Points []int     // midpoints of each axis; the last axis runs fastest
	H      []float64 // bandwidth h of each axis
}

// cells is how many points there are on all axes but the first.
func (k *KDE[T]) cells() int {
	v := 1
	for _, g := range k.Points[1:] {
		v *= g
	}
	return v
}

// axis are the kernels of a block of samples at the points of an axis, one sample a row, and their derivatives by x and by h.
type axis[T Float] struct{ k, dx, dh []T }

// kdeSpace is what a goroutine needs. tail is the product of all axes but the first.
type kdeSpace[T Float] struct {
	axes                     [3]axis[T]
	tail, dHead, dTail, u, e []T
}

// block is how many samples are worked on at once.
func (k *KDE[T]) block() int { return min(256, max(16, 1<<16/k.cells())) }

// bags calls f for each of n bags, from several goroutines.
func bags[T Float](n int, f func(ws *kdeSpace[T], i int)) {
	forBlocks(n, max(1, n/16), func(lo, hi int) {
		ws := new(kdeSpace[T])
		for i := lo; i < hi; i++ {
			f(ws, i)
		}
	})
}

// Forward writes the densities of the bags of x at the V points to dst, one a row. Bag i has the rows offsets[i] to offsets[i+1].
func (k *KDE[T]) Forward(dst, x []T, offsets []int) {
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
	l, first, rest := len(k.Points), k.Points[0], k.cells()
	sums := make([]float64, (len(offsets)-1)*l)
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
	for j := range dh {
		sum := 0.0
		for i := j; i < len(sums); i += l {
			sum += sums[i]
		}
		dh[j] = T(sum)
	}
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

// fill computes the kernels of n samples on every axis, and their product over all but the first.
func (k *KDE[T]) fill(ws *kdeSpace[T], x []T, n int, derivatives bool) {
	l := len(k.Points)
	for j, g := range k.Points {
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
			at.kernels(ws.u, ws.e, float64(x[s*l+j]), k.H[j])
		}
	}
	rest := k.cells()
	ws.tail = grow(ws.tail, n*rest)
	switch l {
	case 1:
		for s := range n {
			ws.tail[s] = 1
		}
	case 2:
		copy(ws.tail, ws.axes[1].k)
	default:
		a, b := k.Points[1], k.Points[2]
		for s := range n {
			for i, v := range ws.axes[1].k[s*a : s*a+a] {
				vecMultiple(ws.tail[(s*a+i)*b:][:b], ws.axes[2].k[s*b:s*b+b], v)
			}
		}
	}
}

// kernels writes K(t, x) and, where they are wanted, dK/dx and dK/dh at the midpoints t. u and e are work space of as many elements.
func (a axis[T]) kernels(u, e []T, x, h float64) {
	clear(a.k)
	clear(a.dx)
	clear(a.dh)
	// An image at the distance d from [0, 1] adds nothing where exp(-d²/2h²) is 0, nor where it is e^{-40}, in float32 e^{-20}, of the exp(-1/2h²)
	// that x itself adds at least.
	reach := math.Min(39*h, math.Sqrt(1+80*h*h))
	if sizeof[T]() == 4 {
		reach = math.Min(15*h, math.Sqrt(1+40*h*h))
	}
	step, height := 1/(float64(len(u))*h), 1/(h*math.Sqrt(2*math.Pi))
	for m := math.Floor(-reach / 2); 2*m-1 <= 1+reach; m++ {
		for _, sign := range [2]float64{1, -1} {
			image := sign*x + 2*m
			if image < -reach || image > 1+reach {
				continue
			}
			start := step/2 - image/h
			for i := range u {
				v := start + float64(i)*step
				u[i], e[i] = T(v), T(v*v/2)
			}
			vecExp(e, e, 1, -1)
			a.add(u, e, height, sign, h)
		}
	}
}

// add adds the kernel of one image.
func (a axis[T]) add(u, e []T, height, sign, h float64) {
	c := T(height)
	for i, v := range e {
		a.k[i] += c * v
	}
	if a.dx == nil {
		return
	}
	dx, dh := T(sign*height/h), T(height/h)
	for i, v := range e {
		a.dx[i] += dx * u[i] * v
		a.dh[i] += dh * (u[i]*u[i] - 1) * v
	}
}
