package ops

import "github.com/bochner-go/bochner/ops/domain"

// pointwise declares an op with a parameter of type P that applies f to each number of x [n, k]. slope is f'(x), of x or,
// where reads is theOutput, of f(x).
func pointwise[P any](kind string, f func(p P, x float64) float64, reads int, slope func(p P, v float64) float64) decl {
	return decl{kind: kind, sig: parse("nk->nk"), names: []string{"x"}, in: []Inputs{X}, unchecked: true,
		forward: kernel{
			func(c *call) error { return pointForward[float32](c, f) },
			func(c *call) error { return pointForward[float64](c, f) }},
		reads: []int{reads}, backward: kernel{
			func(c *call) error { return pointBackward[float32](c, reads, slope) },
			func(c *call) error { return pointBackward[float64](c, reads, slope) }}}
}

func pointForward[T domain.Float, P any](c *call, f func(p P, x float64) float64) error {
	z, p := result[T](c), paramsOf[P](c)
	for i, v := range cells[T](c, 0) {
		z[i] = T(f(p, float64(v)))
	}
	return nil
}

func pointBackward[T domain.Float, P any](c *call, reads int, slope func(p P, v float64) float64) error {
	dx, v, g, p := gradientFor[T](c, 0), cells[T](c, 0), gradientOf[T](c), paramsOf[P](c)
	if reads == theOutput {
		v = outputOf[T](c)
	}
	for i, v := range v {
		dx[i] = T(float64(g[i]) * slope(p, float64(v)))
	}
	return nil
}
