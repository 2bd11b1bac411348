package calibrate

import (
	"math"
	"slices"
)

// sigmoid is σ(Slope·(s - Centre)/Width + Offset). Centre and Width scale the scores so that nothing overflows.
type sigmoid struct {
	Centre float64 `json:"centre"`
	Width  float64 `json:"width"`
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// farLogit is a logit at which a sigmoid is 0 or 1 to all digits.
const farLogit = 700

// log is the logarithm of the probability.
func (f sigmoid) log(s float64) float64 {
	logit := f.Offset
	if f.Slope != 0 {
		logit += f.Slope * ((s - f.Centre) / f.Width)
	}
	return -softplus(-min(max(logit, -farLogit), farLogit))
}

// softplus is log(1 + exp x).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// fitSigmoid minimises -Σ t log p + (1-t) log(1-p) over slope and offset, with Platt's targets t, by the Newton steps
// of Lin, Lin and Weng (2007), algorithm 1.
func fitSigmoid(s []float64, labels []int, class int) sigmoid {
	least, most := slices.Min(s), slices.Max(s)
	f := sigmoid{Centre: least/2 + most/2, Width: most/2 - least/2}
	if !(f.Width > 0) {
		f.Width = 1
	}
	x, positive := make([]float64, len(s)), 0
	for i, v := range s {
		x[i] = (v - f.Centre) / f.Width
		if labels[i] == class {
			positive++
		}
	}
	negative := len(s) - positive
	t := [2]float64{leftover(negative), 1 - leftover(positive)}
	target := func(i int) float64 {
		if labels[i] == class {
			return t[1]
		}
		return t[0]
	}
	loss := func(slope, offset float64) (sum float64) {
		for i, v := range x {
			logit := slope*v + offset
			sum += softplus(logit) - target(i)*logit
		}
		return sum
	}
	const ridge = 1e-12 // keeps the Hessian positive definite
	f.Offset = math.Log(float64(positive+1) / float64(negative+1))
	value := loss(0, f.Offset)
	for range 100 {
		g1, g2, h11, h22, h21 := 0.0, 0.0, ridge, ridge, 0.0
		for i, v := range x {
			p := math.Exp(-softplus(-(f.Slope*v + f.Offset)))
			d, w := p-target(i), p*(1-p)
			g1, g2 = g1+d*v, g2+d
			h11, h22, h21 = h11+w*v*v, h22+w, h21+w*v
		}
		if size := float64(len(x)); math.Abs(g1) < 1e-13*size && math.Abs(g2) < 1e-13*size {
			break
		}
		det := h11*h22 - h21*h21
		if !(det > 0) {
			break
		}
		da, db := -(h22*g1-h21*g2)/det, -(h11*g2-h21*g1)/det
		down, moved := da*g1+db*g2, false
		for step := 1.0; step >= 1e-10; step /= 2 {
			slope, offset := f.Slope+step*da, f.Offset+step*db
			if v := loss(slope, offset); v < value+1e-4*step*down {
				f.Slope, f.Offset, value, moved = slope, offset, v, true
				break
			}
		}
		if !moved {
			break
		}
	}
	return f
}
