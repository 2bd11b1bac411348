package simd

// LogWaves is the map that makes of each coordinate v >= 0 the numbers
//
//	a_j (cos(ω_j ln(1 + 2v)) - 1),   a_j sin(ω_j ln(1 + 2v)),   j = 1 to len(Omega),
//
// side by side: zeros of 0.
type LogWaves struct{ Omega, Amplitude []float64 }

// MapLogWaves writes the map of coordinates x to dst, one after another, and tells whether a number is not finite.
func MapLogWaves[T Float](w LogWaves, dst, x []T) (bad bool) {
	width := 2 * len(w.Omega)
	return findBad(len(x), chunk, func(lo, hi int) (badRow int) {
		pool, ws := takeChunks[T]()
		defer pool.Put(ws)
		if logWaves(w, ws, dst[lo*width:hi*width], x[lo:hi]) {
			return lo
		}
		return -1
	}) >= 0
}

// logWaves maps at most a chunk of coordinates. With h half the angle, cos - 1 is -2 sin² h and sin is 2 sin h cos h, of
// full precision next to 0.
func logWaves[T Float](w LogWaves, ws *chunkSpace[T], dst, x []T) (bad bool) {
	phase, half, sin, cos := ws.phase[:len(x)], ws.angle[:len(x)], ws.sin[:len(x)], ws.cos[:len(x)]
	vecMultiple(phase, x, 2)
	vecLog(phase, phase, ws.one[:])
	for j, omega := range w.Omega {
		vecMultiple(half, phase, T(omega/2))
		bad = vecSinCos(sin, cos, half, 1) || bad
		a, out := T(2*w.Amplitude[j]), dst[2*j:]
		for i, s := range sin {
			out[i*2*len(w.Omega)], out[i*2*len(w.Omega)+1] = -a*s*s, a*s*cos[i]
		}
	}
	return bad
}

// GradLogWaves writes dx from the coordinates x, their numbers z and the gradient g of these:
//
//	dx = 2/(1 + 2x) Σ_j ω_j (g_sin (z_cos + a_j) - g_cos z_sin).
func GradLogWaves[T Float](w LogWaves, dx, x, z, g []T) {
	width := 2 * len(w.Omega)
	Share(len(x), chunk, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := 0.0
			for j, omega := range w.Omega {
				at := i*width + 2*j
				sum += omega * (float64(g[at+1])*(float64(z[at])+w.Amplitude[j]) - float64(g[at])*float64(z[at+1]))
			}
			dx[i] = T(sum / (.5 + float64(x[i])))
		}
	})
}
