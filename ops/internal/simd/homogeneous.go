package simd

import (
	"math"
	"sync"
	"unsafe"
)

// Homogeneous is the map of a homogeneous kernel, which makes of each coordinate x > 0 the numbers
//
//	root₀ s,   root_j √2 s cos(f_j L ln x),   root_j √2 s sin(f_j L ln x),   j = 1 to len(F),   s = x^{γ/2},
//
// side by side, and zeros of 0.
type Homogeneous[T Float] struct {
	F     []int   // f_1 < f_2 < ...
	Base  []T     // L, one for all columns, or one a column
	Root  []T     // root_j, one more than F
	Gamma float64 // γ
	// Sign gives a negative x the negated numbers of |x|. Split has numbers for x > 0 and after them as many for x < 0,
	// which are the numbers of |x|. Without either a negative x is bad.
	Sign, Split bool
	// Stationary has x for ln x and 1 for s, and its zeros are numbers as others are.
	Stationary bool
}

// Width is the number of columns for each column of x.
func (h *Homogeneous[T]) Width() int {
	w := 2*len(h.F) + 1
	if h.Split {
		w *= 2
	}
	return w
}

// chunk is how many coordinates are worked on at once: all that is made of them on the way stays in the first-level
// cache.
const chunk = 256

// chunkSpace is the work space of a chunk, whose coordinates other than 0 are packed.
type chunkSpace[T Float] struct {
	x, base, phase, size, constant, angle, scaled, sin, cos [chunk]T

	at    [chunk]int32 // where packed coordinates stand in the chunk
	steps [chunk]int32 // 0, step, 2·step, ...
	step  int

	zero, one [1]T // each the c of ln(x + c); a literal would be allocated for each chunk
}

// takeChunks takes a work space from its pool, to which it goes back by Put.
func takeChunks[T Float]() (pool *sync.Pool, ws *chunkSpace[T]) {
	pool = &poolsOf[T]().chunks
	ws = take[chunkSpace[T]](pool)
	ws.one[0] = 1
	return pool, ws
}

// every are the places of k coordinates of which none is left out.
func (ws *chunkSpace[T]) every(step, k int) []int32 {
	if ws.step != step {
		ws.step = step
		for i := range ws.steps {
			ws.steps[i] = int32(i * step)
		}
	}
	return ws.steps[:k]
}

// Forward writes the map of x [n,d] to dst [n,d·Width] and tells whether a coordinate is bad: not finite, negative
// where that has no meaning, or with features that are not finite. Rows do not matter to it: the values of a sparse row
// are a matrix of one column.
func (h *Homogeneous[T]) Forward(dst, x []T, n, d int) (bad bool) {
	w := h.Width()
	return findBad(n, max(1, 8*chunk/max(d, 1)), func(lo, hi int) (badRow int) {
		pool, ws := takeChunks[T]()
		defer pool.Put(ws)
		if h.rows(ws, dst[lo*d*w:hi*d*w], x[lo*d:hi*d], d) {
			return lo
		}
		return -1
	}) >= 0
}

// rows is Forward for whole rows of d columns.
func (h *Homogeneous[T]) rows(ws *chunkSpace[T], dst, x []T, d int) (bad bool) {
	w, run := h.Width(), len(x)
	if len(h.Base) > 1 {
		run = d // a row at a time, so that columns and their L go together
	}
	for ; len(x) > 0; dst, x = dst[run*w:], x[run:] {
		for lo := 0; lo < run; lo += chunk {
			hi := min(lo+chunk, run)
			base := h.Base
			if len(base) > 1 {
				base = base[lo:hi]
			}
			bad = h.chunk(ws, dst[lo*w:hi*w], x[lo:hi], base) || bad
		}
	}
	return bad
}

// chunk maps at most a chunk of coordinates.
func (h *Homogeneous[T]) chunk(ws *chunkSpace[T], dst, x, base []T) (bad bool) {
	if h.Stationary {
		return h.harmonics(ws, dst, x, base, nil, nil)
	}
	if allPositive(x) {
		if h.Split {
			clear(dst)
		}
		size, bad := h.logAndSize(ws, x)
		return h.harmonics(ws, dst, ws.phase[:len(x)], base, size, nil) || bad
	}
	k, bad := pack(ws.x[:], ws.at[:], x, h.Sign || h.Split)
	clear(dst)
	at := ws.at[:k]
	if len(base) > 1 {
		for i, p := range at {
			ws.base[i] = base[p]
		}
		base = ws.base[:k]
	}
	size, large := h.logAndSize(ws, ws.x[:k])
	if h.Sign {
		for i, p := range at {
			if x[p] < 0 {
				size[i] = -size[i]
			}
		}
	}
	return h.harmonics(ws, dst, ws.phase[:k], base, size, h.places(at, x)) || bad || large
}

// logAndSize are ln x, in ws.phase, and x^{γ/2} of numbers above 0, and whether one of the sizes overflows.
func (h *Homogeneous[T]) logAndSize(ws *chunkSpace[T], x []T) (size []T, bad bool) {
	phase, size := ws.phase[:len(x)], ws.size[:len(x)]
	vecLog(phase, x, ws.zero[:])
	switch h.Gamma {
	case 1:
		vecSqrt(size, x)
	case 2:
		copy(size, x)
	case .5:
		vecSqrt(size, x)
		vecSqrt(size, size)
	default:
		vecMultiple(size, phase, T(h.Gamma/2))
		vecExp(size, size, 1, 1)
		for _, v := range size {
			bad = bad || v > Largest[T]() // γ > 2
		}
	}
	return size, bad
}

// harmonics writes the numbers for phases ln x and sizes s to their places, nil for one after another. A nil size is 1.
func (h *Homogeneous[T]) harmonics(ws *chunkSpace[T], dst, phase, base, size []T, places []int32) (bad bool) {
	k, w := len(phase), h.Width()
	if size == nil {
		size = ws.size[:k]
		for i := range size {
			size[i] = 1
		}
	}
	triples := places == nil && w == 3
	if places == nil {
		places = ws.every(w, k)
	}
	constant, angle, sin, cos := ws.constant[:k], ws.angle[:k], ws.sin[:k], ws.cos[:k]
	vecMultiple(constant, size, h.Root[0])
	if !triples {
		for i, p := range places {
			dst[p] = constant[i]
		}
	}
	for j, f := range h.F {
		if len(base) == 1 {
			vecMultiple(angle, phase, T(float64(f)*float64(base[0])))
		} else {
			for i, l := range base {
				angle[i] = T(float64(f)*float64(l)) * phase[i]
			}
		}
		bad = ws.wave(angle, size, T(math.Sqrt2*float64(h.Root[j+1]))) || bad
		if triples {
			vecTriples(dst, constant, cos, sin)
			break
		}
		for i, p := range places {
			out := dst[int(p)+2*j+1:][:2]
			out[0], out[1] = cos[i], sin[i]
		}
	}
	return bad
}

// wave writes root·size·cos(angle) and root·size·sin(angle) to ws.cos and ws.sin.
func (ws *chunkSpace[T]) wave(angle, size []T, root T) (bad bool) {
	k := len(angle)
	sin, cos, scaled := ws.sin[:k], ws.cos[:k], ws.scaled[:k]
	bad = vecSinCos(sin, cos, angle, 1)
	vecMultiple(scaled, size, root)
	vecProduct(cos, cos, scaled, 1)
	vecProduct(sin, sin, scaled, 1)
	return bad
}

// places turns where packed coordinates stand in x into where their numbers begin in dst.
func (h *Homogeneous[T]) places(at []int32, x []T) []int32 {
	w := int32(h.Width())
	for i, p := range at {
		at[i] = p * w
		if h.Split && x[p] < 0 {
			at[i] += w / 2
		}
	}
	return at
}

// words are the bits of numbers, as integers of their size.
func words[U uint32 | uint64, T Float](x []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// allPositive says whether all of x are finite and above 0. As integers these are 1 to that before infinity.
func allPositive[T Float](x []T) bool {
	if sizeof[T]() == 4 {
		return largest(words[uint32](x), 1) < 0x7f800000-1
	}
	return largest(words[uint64](x), 1) < 0x7ff<<52-1
}

// largest is the largest of v - minus, modulo the size of the type.
func largest[U uint32 | uint64](v []U, minus U) U {
	var a, b, c, d U
	for ; len(v) >= 4; v = v[4:] {
		a, b, c, d = max(a, v[0]-minus), max(b, v[1]-minus), max(c, v[2]-minus), max(d, v[3]-minus)
	}
	for _, u := range v {
		a = max(a, u-minus)
	}
	return max(a, b, c, d)
}

// pack copies the absolute values of what is not 0 in x to packed, and their places to at, without a branch that a
// sparse row would mispredict. It tells whether one is not finite, or negative where that is not meant.
func pack[T Float](packed []T, at []int32, x []T, negative bool) (k int, bad bool) {
	if sizeof[T]() == 4 {
		return packBits(words[uint32](packed), at, words[uint32](x), 1<<31, 0x7f800000, negative)
	}
	return packBits(words[uint64](packed), at, words[uint64](x), 1<<63, 0x7ff<<52, negative)
}

func packBits[U uint32 | uint64](packed []U, at []int32, x []U, sign, infinity U, negative bool) (k int, bad bool) {
	var most, mostAbs U
	for i, u := range x {
		a := u &^ sign
		packed[k], at[k] = a, int32(i)
		most, mostAbs = max(most, u), max(mostAbs, a)
		if a != 0 {
			k++
		}
	}
	return k, mostAbs >= infinity || !negative && most > sign
}

// The gradients of Homogeneous start from its output z and the gradient g of that. With the cross terms
//
//	t = Σ_j f_j (g_sin z_cos - g_cos z_sin)
//
// of a coordinate they are dx = (γ/2 Σ g·z + L t)/x and dL = Σ t ln|x|, for negative x as well; dx = L t and dL = Σ t x
// in the stationary form. A coordinate x = 0 has the gradient 0.

// products are Σ g·z and t of coordinate i, of which only the numbers of its sign are not 0.
func (h *Homogeneous[T]) products(z, g []T) (whole, cross float64) {
	z = z[:len(g)]
	for ; len(g) > 0; z, g = z[2*len(h.F)+1:], g[2*len(h.F)+1:] {
		whole += float64(g[0]) * float64(z[0])
		for j, f := range h.F {
			zc, zs, gc, gs := float64(z[2*j+1]), float64(z[2*j+2]), float64(g[2*j+1]), float64(g[2*j+2])
			whole += gc*zc + gs*zs
			cross += float64(f) * (gs*zc - gc*zs)
		}
	}
	return whole, cross
}

// base is L of column j.
func (h *Homogeneous[T]) base(j int) float64 { return float64(h.Base[min(j, len(h.Base)-1)]) }

// GradX writes dx [n,d] from x [n,d], the output z and its gradient g, both [n,d·Width].
func (h *Homogeneous[T]) GradX(dx, x, z, g []T, n, d int) {
	w := h.Width()
	forTiles(n, func(lo, hi int) {
		for i := lo * d; i < hi*d; i++ {
			if x[i] == 0 && !h.Stationary {
				dx[i] = 0
				continue
			}
			whole, cross := h.products(z[i*w:i*w+w], g[i*w:i*w+w])
			if cross *= h.base(i % d); h.Stationary {
				dx[i] = T(cross)
			} else {
				dx[i] = T((h.Gamma/2*whole + cross) / float64(x[i]))
			}
		}
	})
}

// GradBase writes dL, of as many entries as Base. The sums are in float64, tile after tile.
func (h *Homogeneous[T]) GradBase(dst, x, z, g []T, n, d int) {
	w := h.Width()
	sumTiles(dst, n, func(sums []float64, lo, hi int) {
		for i := lo * d; i < hi*d; i++ {
			if x[i] == 0 {
				continue
			}
			_, cross := h.products(z[i*w:i*w+w], g[i*w:i*w+w])
			if h.Stationary {
				cross *= float64(x[i])
			} else {
				cross *= Ln(math.Abs(float64(x[i])))
			}
			sums[i%d%len(sums)] += cross
		}
	})
}

// GradRoot writes droot, which the map is linear in: the products of g with the map of roots 1. It recomputes that map,
// because an output does not tell what it would be where its root is 0.
func (h *Homogeneous[T]) GradRoot(dst, x, g []T, n, d int) {
	unit := *h
	unit.Root = make([]T, len(h.Root))
	for j := range unit.Root {
		unit.Root[j] = 1
	}
	w, half := h.Width(), 2*len(h.F)+1
	sumTiles(dst, n, func(sums []float64, lo, hi int) {
		pool, ws := takeChunks[T]()
		defer pool.Put(ws)
		z := make([]T, d*w)
		for i := lo; i < hi; i++ {
			unit.rows(ws, z, x[i*d:i*d+d], d)
			for k, u := range z {
				sums[(k%half+1)/2] += float64(u) * float64(g[i*d*w+k])
			}
		}
	})
}

// sumTiles adds up what f adds to sums for the row tiles of n, in the order of the tiles, and writes it to dst.
func sumTiles[T Float](dst []T, n int, f func(sums []float64, lo, hi int)) {
	k := len(dst)
	parts := make([]float64, (n+tileRows-1)/tileRows*k)
	forTiles(n, func(lo, hi int) { f(parts[lo/tileRows*k:][:k], lo, hi) })
	totals(dst, parts)
}

// totals writes the sums of the columns of parts, whose rows are as long as dst.
func totals[T Float](dst []T, parts []float64) {
	for j := range dst {
		sum := 0.0
		for i := j; i < len(parts); i += len(dst) {
			sum += parts[i]
		}
		dst[j] = T(sum)
	}
}
