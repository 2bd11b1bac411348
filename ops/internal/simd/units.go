package simd

// Units turns projections in dst [n, cols] into features: max(p, 0)·scale, or scale where p > 0 for steps. With gated
// set, the second half of the columns are the numbers p·scale where the unit of the first half is above 0, and else 0.
// It returns the first row with a projection that is not finite, or -1.
func Units[T Float](dst []T, n, cols int, steps, gated bool, scale T) (badRow int) {
	width := cols
	if gated {
		width /= 2
	}
	return shareCopy(&poolsOf[T]().units, n, tileRows, units[T]{dst, cols, width, steps, scale})
}

// units is a call of Units.
type units[T Float] struct {
	dst         []T
	cols, width int // width: the columns of units
	steps       bool
	scale       T
}

func (u *units[T]) do(lo, hi int) (badRow int) {
	return eachRow(lo, hi, func(i int) bool {
		row := u.dst[i*u.cols : (i+1)*u.cols]
		first, second := row[:u.width], row[u.width:]
		var off T // NaN after a number that is not finite
		for j, p := range first {
			off += p - p
			if p = max(p, 0) * u.scale; u.steps && p > 0 {
				p = u.scale
			}
			first[j] = p
		}
		for j, q := range second {
			off += q - q
			if q *= u.scale; first[j] <= 0 {
				q = 0
			}
			second[j] = q
		}
		return off != 0
	})
}

// UnitsGrad writes to dp the gradient of the projections of Units from its output z and the gradient g of that, all
// [n, cols]. Steps have none.
func UnitsGrad[T Float](dp, z, g []T, n, cols int, gated bool, scale T) {
	width := cols
	if gated {
		width /= 2
	}
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := dp[i*cols:(i+1)*cols], g[i*cols:(i+1)*cols]
			for start := 0; start < cols; start += width {
				for j, v := range z[i*cols : i*cols+width] {
					if to[start+j] = 0; v > 0 {
						to[start+j] = scale * from[start+j]
					}
				}
			}
		}
	})
}
