package report

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"gonum.org/v1/plot"
)

// niceTicks marks a linear axis at multiples of 1, 2 or 5 times a power of ten.
type niceTicks struct {
	n     int  // about how many intervals
	whole bool // no fractions: counts
	first bool // a mark at the lower end, whatever the step: epochs start at 1
}

// Ticks implements plot.Ticker. If labels are long it uses half as many.
func (t niceTicks) Ticks(lo, hi float64) []plot.Tick {
	out := t.multiples(lo, hi)
	if t.n > 3 && slices.ContainsFunc(out, func(m plot.Tick) bool { return utf8.RuneCountInString(m.Label) > 7 }) {
		t.n = 3
		out = t.multiples(lo, hi)
	}
	if !t.first {
		return out
	}
	first, step := math.Ceil(lo), math.Inf(1)
	if len(out) > 1 {
		step = out[1].Value - out[0].Value
	}
	out = slices.DeleteFunc(out, func(m plot.Tick) bool { return m.Value-first < 0.4*step })
	return slices.Insert(out, 0, plot.Tick{Value: first, Label: tickLabel(first, 1, first)})
}

// multiples are the marks at multiples of a step.
func (t niceTicks) multiples(lo, hi float64) (out []plot.Tick) {
	step := niceStep((hi/2 - lo/2) / float64(t.n) * 2)
	if t.whole {
		step = max(1, math.Round(step))
	}
	// A handful of steps; the bound is for a range so narrow that v + step is v.
	for i := math.Ceil(lo/step - 1e-9); len(out) <= 4*t.n && i*step <= hi+step*1e-9; i++ {
		out = append(out, plot.Tick{Value: i * step, Label: tickLabel(i*step, step, max(math.Abs(lo), math.Abs(hi)))})
	}
	return out
}

// niceStep is the number among 1, 2, 5 times a power of ten that is nearest to v in ratio.
func niceStep(v float64) float64 {
	if v <= 0 || !finite(v) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	if power == 0 {
		return v
	}
	for _, m := range []float64{1, 2, 5} {
		if v/power <= m*math.Sqrt(2) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel formats v with as many digits as a step needs, on an axis that reaches to top.
func tickLabel(v, step, top float64) string {
	last := math.Floor(math.Log10(step) + 1e-9) // decimal place of the step
	if v == 0 || math.Abs(v) < step/2 {
		return "0"
	}
	if top < 1e6 && last > -6 {
		return minus(strconv.FormatFloat(v, 'f', int(max(0, -last)), 64))
	}
	digits := math.Floor(math.Log10(math.Abs(v))+1e-9) - last
	return minus(strconv.FormatFloat(v, 'e', int(min(max(digits, 0), 16)), 64))
}

// minus replaces a leading hyphen by a minus sign, which is as wide as a digit.
func minus(s string) string {
	if s[0] == '-' {
		return "\u2212" + s[1:]
	}
	return s
}

// logTicks marks a logarithmic axis at powers of ten, and a short one also at 2 and 5 times these. A very short one is
// marked as if it were linear.
type logTicks struct {
	plain bool // numbers from .001 to 99999 without an exponent
}

// Ticks implements plot.Ticker.
func (t logTicks) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi) - math.Log10(lo)
	if decades < 0.7 {
		return niceTicks{n: 5}.Ticks(lo, hi)
	}
	every := max(1, math.Ceil(decades/8)) // label each so many decades
	var out []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			switch labelled := m == 1 || decades < 3 && (m == 2 || m == 5); {
			case labelled && math.Mod(e, every) == 0:
				out = append(out, plot.Tick{Value: v, Label: t.label(v)})
			case every == 1:
				out = append(out, plot.Tick{Value: v})
			}
		}
	}
	return out
}

func (t logTicks) label(v float64) string {
	text := strconv.FormatFloat(v, 'g', 2, 64)
	if v, err := strconv.ParseFloat(text, 64); err == nil && t.plain && v >= 1e-3 && v < 1e5 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text
}

// givenTicks marks an axis at given values, in ascending order. It leaves out a label that is closer to the label
// before it than gap.
type givenTicks struct {
	values []float64
	scale  plot.Normalizer
	gap    float64 // the least distance of two labels, as a share of the axis
}

// Ticks implements plot.Ticker.
func (t givenTicks) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	last := math.Inf(-1)
	for _, v := range t.values {
		if v < lo || v > hi {
			continue
		}
		tick := plot.Tick{Value: v}
		if at := t.scale.Normalize(lo, hi, v); at-last >= t.gap {
			tick.Label, last = t.label(v), at
		}
		out = append(out, tick)
	}
	return out
}

func (givenTicks) label(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// spread widens a range of values by a share of it on both sides; a single value gets a range around it.
func spread(lo, hi, margin float64) (float64, float64) {
	if lo == hi {
		d := max(math.Abs(lo)*0.1, math.SmallestNonzeroFloat64*1e10)
		if lo == 0 {
			d = 1
		}
		return lo - d, hi + d
	}
	d := hi*margin - lo*margin
	return lo - d, hi + d
}
