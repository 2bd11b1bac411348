package ops_test

import (
	"math"
	"math/big"
)

// Numbers in 300 bits, for an oracle that no rounding of a phase can reach.

const bigBits = 300

func newBig(v float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(v) }

var (
	bigPi, _, _  = big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798", 10, bigBits, big.ToNearestEven)
	bigLn2, _, _ = big.ParseFloat("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687", 10, bigBits, big.ToNearestEven)
)

// bigLog is ln v = e ln 2 + 2 atanh((m-1)/(m+1)), v = m 2^e.
func bigLog(v float64) *big.Float {
	m, e := math.Frexp(v)
	s := new(big.Float).Quo(new(big.Float).Sub(newBig(m), newBig(1)), new(big.Float).Add(newBig(m), newBig(1)))
	square, power, sum := new(big.Float).Mul(s, s), s, newBig(0)
	for k := 1; k < 400; k += 2 {
		sum.Add(sum, new(big.Float).Quo(power, newBig(float64(k))))
		power = new(big.Float).Mul(power, square)
	}
	sum.Mul(sum, newBig(2))
	return sum.Add(sum, new(big.Float).Mul(bigLn2, newBig(float64(e))))
}

// bigPhase is the sine and cosine of f·L·ln v: the phase less whole turns, in 300 bits, and what is left by package math.
func bigPhase(f, l, v float64) (sin, cos float64) {
	p := bigLog(v)
	p.Mul(p, newBig(f)).Mul(p, newBig(l))
	turn := new(big.Float).Mul(bigPi, newBig(2))
	n, _ := new(big.Float).Quo(p, turn).Int(nil)
	p.Sub(p, turn.Mul(turn, new(big.Float).SetPrec(bigBits).SetInt(n)))
	r, _ := p.Float64()
	return math.Sincos(r)
}

// bigPower is v^a: e^y for y = a·ln v less whole multiples of ln 2, whose rounding is then 1e-16.
func bigPower(v, a float64) float64 {
	y := new(big.Float).Mul(bigLog(v), newBig(a))
	n, _ := new(big.Float).Quo(y, bigLn2).Int(nil)
	y.Sub(y, new(big.Float).Mul(bigLn2, new(big.Float).SetPrec(bigBits).SetInt(n)))
	r, _ := y.Float64()
	return math.Ldexp(math.Exp(r), int(n.Int64()))
}
