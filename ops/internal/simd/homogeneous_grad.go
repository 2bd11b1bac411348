package simd

import "math"

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

// GradRoot writes droot, which the map is linear in: the products of g with the map of roots 1. It computes that anew,
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
