package simd

// scattered are the kernels of one sample on all axes at the points that are no grid.
func (k *KDE[T]) scattered(ws *kdeSpace[T], x []T, derivatives bool) {
	v := len(k.At[0])
	ws.u, ws.e = grow(ws.u, v), grow(ws.e, v)
	for j, t := range k.At {
		a := &ws.axes[j]
		a.k = grow(a.k, v)
		if derivatives {
			a.dx, a.dh = grow(a.dx, v), grow(a.dh, v)
		}
		axis[T]{a.k[:v], a.dx, a.dh}.kernels(ws.u, ws.e, float64(x[j]), k.H[j], t)
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
			k.scattered(ws, x[s*l:], false)
			ws.tail = grow(ws.tail, v)
			vecMultiple(ws.tail, ws.axes[0].k[:v], scale)
			for j := 1; j < l; j++ {
				vecProduct(ws.tail, ws.tail, ws.axes[j].k[:v], 1)
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
			k.scattered(ws, x[s*l:], true)
			for j := range l {
				copy(ws.tail, gi)
				for other := range l {
					if other != j {
						vecProduct(ws.tail, ws.tail, ws.axes[other].k[:v], 1)
					}
				}
				dx[s*l+j] = T(scale * dot64(ws.tail, ws.axes[j].dx[:v]))
				sums[i*l+j] += scale * dot64(ws.tail, ws.axes[j].dh[:v])
			}
		}
	})
}
