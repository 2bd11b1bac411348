package ops_test

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"gonum.org/v1/gonum/floats"
)

// The kernels as the papers print them, a product of powers and roots where the library works with logarithms.

func naiveLinear(_ layers.Values, x, z []float64) float64 { return floats.Dot(x, z) }

func naiveGaussian(v layers.Values, x, z []float64) float64 {
	return math.Pow(math.E, -math.Pow(floats.Distance(x, z, 2), 2)/(2*v.Number("sigma")*v.Number("sigma")))
}

func naiveAdditiveGaussian(v layers.Values, x, z []float64) (sum float64) {
	for i := range x {
		sum += naiveGaussian(v, x[i:i+1], z[i:i+1])
	}
	return sum
}

func naiveSoftmax(v layers.Values, x, z []float64) float64 {
	return math.Pow(math.E, floats.Dot(x, z)/v.Number("sigma")/v.Number("sigma"))
}

func naiveLaplacian(v layers.Values, x, z []float64) float64 {
	return math.Pow(math.E, -floats.Distance(x, z, 1)/v.Number("sigma"))
}

// naiveMatern is the closed form for ν = 1/2, 3/2 and 5/2. Rasmussen and Williams (2006), (4.17).
func naiveMatern(v layers.Values, x, z []float64) float64 {
	s := math.Sqrt(2*v.Number("nu")) * floats.Distance(x, z, 2) / v.Number("ell")
	return map[float64]float64{.5: 1, 1.5: 1 + s, 2.5: 1 + s + s*s/3}[v.Number("nu")] * math.Pow(math.E, -s)
}

func naiveRationalQuadratic(v layers.Values, x, z []float64) float64 {
	apart := floats.Distance(x, z, 2) / v.Number("ell")
	return math.Pow(1+apart*apart/2/v.Number("alpha"), -v.Number("alpha"))
}

func naiveCauchy(v layers.Values, x, z []float64) float64 {
	return product(x, z, func(a, b float64) float64 { return 1 / (1 + math.Pow((a-b)/v.Number("sigma"), 2)) })
}

func naiveMixture(v layers.Values, x, z []float64) (k float64) {
	sigmas, weights := list(v, "sigmas"), list(v, "weights")
	if weights == nil {
		weights = []float64{1}
	}
	for q, mean := range list(v, "means") {
		k += weights[q] / floats.Sum(weights) * product(x, z, func(a, b float64) float64 {
			return math.Exp(-(a-b)*(a-b)/2/sigmas[q]/sigmas[q]) * math.Cos(mean*(a-b))
		})
	}
	return k
}

// list are the numbers of a parameter that is a list, as 1:3:.5.
func list(v layers.Values, name string) (numbers []float64) {
	for _, word := range strings.FieldsFunc(v.Word(name), func(r rune) bool { return r == ':' }) {
		numbers = append(numbers, must(strconv.ParseFloat(word, 64)))
	}
	return numbers
}

func naiveExpSemigroup(v layers.Values, x, z []float64) float64 {
	return product(x, z, func(a, b float64) float64 { return math.Pow(math.E, -v.Number("beta")*math.Sqrt(a+b)) })
}

func naiveReciprocal(v layers.Values, x, z []float64) float64 {
	return product(x, z, func(a, b float64) float64 { return v.Number("lambda") / (a + b + v.Number("lambda")) })
}

func naiveSkewedChi2(v layers.Values, x, z []float64) float64 {
	c := v.Number("c")
	return product(x, z, func(a, b float64) float64 { return 2 * math.Sqrt(a+c) * math.Sqrt(b+c) / (a + b + 2*c) })
}

func naiveSkewedIntersection(v layers.Values, x, z []float64) float64 {
	c := v.Number("c")
	return product(x, z, func(a, b float64) float64 { return math.Min(math.Sqrt((a+c)/(b+c)), math.Sqrt((b+c)/(a+c))) })
}

func naiveHellinger(v layers.Values, x, z []float64) float64 {
	return extended(v, x, z, func(a, b float64) float64 { return math.Sqrt(a) * math.Sqrt(b) })
}

func naiveChi2(v layers.Values, x, z []float64) float64 {
	return extended(v, x, z, func(a, b float64) float64 { return 2 * a * b / (a + b) })
}

func naiveIntersection(v layers.Values, x, z []float64) float64 {
	return extended(v, x, z, math.Min)
}

func naiveJensenShannon(v layers.Values, x, z []float64) float64 {
	return extended(v, x, z, func(a, b float64) float64 {
		return (a*math.Log1p(b/a) + b*math.Log1p(a/b)) / math.Log(4)
	})
}

func naiveHomogeneousGaussian(v layers.Values, x, z []float64) float64 {
	return extended(v, x, z, func(a, b float64) float64 {
		u := math.Log(a/b) / v.Number("sigma")
		return math.Sqrt(a*b) * math.Exp(-u*u/2)
	})
}

// exponentiated is exp(-(k(x,x) + k(z,z) - 2k(x,z))/2σ²), with the metric summed coordinate by coordinate.
func exponentiated(k func(v layers.Values, x, z []float64) float64) func(v layers.Values, x, z []float64) float64 {
	return func(v layers.Values, x, z []float64) float64 {
		d2 := 0.0
		for i := range x {
			a, b := x[i:i+1], z[i:i+1]
			d2 += k(v, a, a) + k(v, b, b) - 2*k(v, a, b)
		}
		return math.Pow(math.E, -d2/(2*v.Number("sigma")*v.Number("sigma")))
	}
}

func naiveSpherePolynomial(v layers.Values, x, z []float64) float64 {
	return math.Pow(1-math.Pow(floats.Distance(x, z, 2)/v.Number("a"), 2), v.Number("p"))
}

func naiveDeltaGaussian(v layers.Values, x, z []float64) (sum float64) {
	sigmas, weights := list(v, "sigmas"), list(v, "weights")
	if sigmas == nil {
		sigmas, weights = []float64{v.Number("sigma1"), v.Number("sigma2")}, []float64{1, -1}
	}
	for i, s := range sigmas {
		sum += weights[i] * naiveGaussian(layers.Values{"sigma": s}, x, z)
	}
	return sum
}

func naiveArcCosine(v layers.Values, x, z []float64) float64 {
	theta := angle(x, z)
	if v["order"] == 0. {
		return 1 - theta/math.Pi
	}
	return norms(x, z) * (math.Sin(theta) + (math.Pi-theta)*math.Cos(theta)) / math.Pi
}

func naiveNeuralTangent(_ layers.Values, x, z []float64) float64 {
	theta := angle(x, z)
	return floats.Dot(x, z)*(1-theta/math.Pi) + norms(x, z)*(math.Sin(theta)+(math.Pi-theta)*math.Cos(theta))/math.Pi
}

func norms(x, z []float64) float64 { return floats.Norm(x, 2) * floats.Norm(z, 2) }

// angle is that of two rows. With a row of 0 it is π, where the kernels are 0.
func angle(x, z []float64) float64 {
	a, b := floats.Norm(x, 2), floats.Norm(z, 2)
	if a == 0 || b == 0 {
		return math.Pi
	}
	from, to, opposite := make([]float64, len(x)), make([]float64, len(z)), make([]float64, len(z))
	for i := range x {
		from[i], to[i], opposite[i] = x[i]/a, z[i]/b, -z[i]/b
	}
	return 2 * math.Atan2(floats.Distance(from, to, 2), floats.Distance(from, opposite, 2))
}

// naiveNamed is the kernel that a fitted map, or a map of sets, names.
func naiveNamed(v layers.Values, x, z []float64) float64 {
	return setups[v.Word("kernel")].naive(v, x, z)
}

// complete adds the defaults of the parameters that are not given.
func complete(e *layers.Entry, given layers.Values) layers.Values {
	all := maps.Clone(given)
	for _, p := range e.ParamsOf(given) {
		if _, ok := given[p.Name]; !ok && p.Default != nil {
			all[p.Name] = p.Default
		}
	}
	return all
}

// extended is a sum over the coordinates with the degree and the extension to negative numbers. Vedaldi and Zisserman
// (2012), Lemma 2.
func extended(v layers.Values, x, z []float64, k func(a, b float64) float64) (sum float64) {
	gamma, ok := v["gamma"].(float64)
	if !ok {
		gamma = 1
	}
	for i := range x {
		a, b := math.Abs(x[i]), math.Abs(z[i])
		if a == 0 || b == 0 {
			continue
		}
		value := k(a, b) * math.Pow(math.Sqrt(a*b), gamma-1)
		switch {
		case a*b == x[i]*z[i]:
			sum += value
		case v.Word("negative") == "sign":
			sum -= value
		}
	}
	return sum
}

func product(x, z []float64, f func(a, b float64) float64) float64 {
	p := 1.0
	for i := range x {
		p *= f(x[i], z[i])
	}
	return p
}
