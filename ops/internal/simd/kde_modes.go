package simd

import "math"

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
