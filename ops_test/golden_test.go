package ops_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// golden are the features of the row (0.1, 0.7, 0.2) from two frequencies of seed 7. A draw that changes, even to another of
// the same law, makes old model descriptions mean other maps; TestGolden then prints the new line to put here.
var golden = map[string][]float64{
	"linear()":                                     {0.10000000000000001, 0.69999999999999996, 0.20000000000000001},
	"gaussian(sigma=1.3)":                          {0.70578689666485117, 0.51436321307497079, -0.043183984255723604, -0.48521179399844783},
	"gaussian(sigma=1.3) orthogonal":               {0.69858184578464899, 0.61776115341026572, -0.10946873864310631, -0.34405109698592456},
	"gaussian(phase=true,sigma=1.3)":               {-0.93355770165249186, -0.98472235110476636},
	"laplacian(sigma=2.1)":                         {0.69423936864924807, 0.63297715135152022, 0.13428216194824011, 0.31518236921965448},
	"laplacian(phase=true,sigma=2.1)":              {-0.81460065336673726, -0.17660315686028563},
	"matern(ell=1.1,nu=1.5)":                       {0.70668703736360261, 0.31039854122713384, -0.024360443802484855, 0.6353367182872931},
	"matern(ell=1.1,nu=1.5) orthogonal":            {0.65055285411365193, 0.54897918325448614, -0.27709381805551242, -0.44567012055245209},
	"matern(ell=1.1,nu=1.5,phase=true)":            {-0.92367459461258095, 0.45895163389275473},
	"matern(ell=1.7,nu=0.5)":                       {0.61591724198036835, 0.67759064567226401, -0.34734126019132289, 0.20216556803136448},
	"matern(ell=1.7,nu=0.5) orthogonal":            {-0.20946965337160064, 0.58856585758638336, -0.67536839155854889, -0.39190589595412445},
	"matern(ell=1.7,nu=0.5,phase=true)":            {-0.99632213857223795, -0.3425019662860993},
	"matern(ell=0.9,nu=2.5)":                       {0.70645742667842426, 0.24706527953463886, -0.030296935338391354, 0.66253961968207653},
	"matern(ell=0.9,nu=2.5) orthogonal":            {0.66389313713155695, 0.49712658957824768, -0.24340481192782465, -0.50285699153367691},
	"matern(ell=0.9,nu=2.5,phase=true)":            {-0.92686132747623085, 0.54327469506287218},
	"gaussian(sigma=1.3) structured":               {-0.34119733633913557, 0.27744641094102035, -0.6193418907801076, -0.65040255923231605},
	"gaussian(phase=true,sigma=1.3) structured":    {0.075771620752250676, -0.97220508550689433},
	"matern(ell=1.1,nu=1.5) structured":            {0.39944348560284426, -0.0051850650744052675, -0.58347656491880651, -0.70708777043601467},
	"matern(ell=1.1,nu=1.5,phase=true) structured": {-0.85626870544743772, -0.79797863941839731},
	"matern(ell=1.7,nu=0.5) structured":            {0.6723690761669715, 0.13853417902670129, -0.21890597391202729, -0.69340340440568771},
	"matern(ell=1.7,nu=0.5,phase=true) structured": {-0.99362895708663357, -0.9037536601967926},
	"matern(ell=0.9,nu=2.5) structured":            {0.6651722157911667, -0.17926294397737677, 0.23988731383603715, -0.68400643046433696},
	"matern(ell=0.9,nu=2.5,phase=true) structured": {-0.71525076794735765, -0.62486085650594814},
	"exp-semigroup(beta=0.3)":                      {2.1168290973555256e-45, 0.63465630187636757},
	"reciprocal-semigroup(lambda=1.9)":             {0.29508350144265388, 0.42209407212688616},
	"skewed-chi2(c=0.3)":                           {0.65940086417576171, 0.67225802987991479, -0.25532430421771152, -0.21924675884029721},
	"skewed-chi2(c=0.3,phase=true)":                {-0.99830319921101263, -0.81619105744066234},
	"skewed-intersection(c=0.3)":                   {0.52949405829013163, 0.59250873675051663, -0.46865343510471208, -0.38591889934843421},
	"skewed-intersection(c=0.3,phase=true)":        {-0.95626907441535758, -0.93800857747226174},
}

// TestGolden: a fixed seed gives fixed numbers, to 1e-12 of the size of a feature.
func TestGolden(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		d := v.dims(3) // 18 for a structured map, and the row six times over
		got := transform(t, v.build(t, d, 2, 7), matrix(tensor.Float64, 1, d, .1, .7, .2))
		want := golden[v.name]
		same := len(got) == len(want)
		for i := range want {
			same = same && math.Abs(got[i]-want[i]) <= 1e-12*math.Max(1, math.Abs(want[i]))
		}
		if !same {
			t.Errorf("the features have changed from %v; if they should, put into golden the line\n\t%q: {%s},", want, v.name, numbers(got))
		}
	})
	known := map[string]bool{}
	for _, v := range variants(t) {
		known[v.name] = true
	}
	for name := range golden {
		if !known[name] {
			t.Errorf("golden has a line for %q, which is no variant: remove it", name)
		}
	}
}

func numbers(v []float64) string {
	parts := make([]string, len(v))
	for i, u := range v {
		parts[i] = fmt.Sprintf("%.17g", u)
	}
	return strings.Join(parts, ", ")
}
