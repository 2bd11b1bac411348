package ops_test

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

// badSpec is a spec with one mistake in it, and what the error must be.
type badSpec struct {
	layers.Spec
	is   error
	says string
}

// TestErrors: every mistake in a spec is an error of Build that says what would do, for every map of the table.
func TestErrors(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		good := v.spec(v.dims(3), 2, 1)
		must(v.fit(good))
		for _, b := range append(badFields(v, good), badParams(good, v.entry)...) {
			_, err := v.fit(b.Spec)
			wantErr(t, err, b.is, b.says)
		}
	})
}

// badFields are mistakes in what all maps have.
func badFields(v variant, good layers.Spec) []badSpec {
	var bad []badSpec
	add := func(is error, says string, edit func(s *layers.Spec)) {
		s := good
		edit(&s)
		bad = append(bad, badSpec{s, is, says})
	}
	width := func(n int, says string) { add(layers.ErrParam, says, func(s *layers.Spec) { s.Features = n }) }
	sampler := func(is error, name string, d int, says string) {
		add(is, says, func(s *layers.Spec) { s.Sampler, s.Dims = name, d })
	}
	tune := func(p layers.Policy, d int, says string) {
		add(layers.ErrParam, says, func(s *layers.Spec) { s.Tune, s.Dims = p.String(), d })
	}
	add(layers.ErrParam, "there is no map", func(s *layers.Spec) { s.Map += "?" })
	add(layers.ErrParam, "float16", func(s *layers.Spec) { s.Dtype = "float16" })
	add(layers.ErrParam, "want none, bandwidth", func(s *layers.Spec) { s.Tune = "some" })
	sampler(layers.ErrParam, "grid", good.Dims, "there are iid, orthogonal, coupled")
	for _, d := range []int{0, -1} {
		add(layers.ErrParam, "", func(s *layers.Spec) { s.Dims = d })
	}
	if n := v.columns(good.Dims); n == 0 {
		width(5, v.entry.Width)
	} else {
		width(0, "want at least 1")
		width(-1, "want at least 1")
		if n == 2 || n == 4 { // a Spec rounds the number of an additive map
			width(n+n/2, fmt.Sprint("ask for ", 2*n))
		}
	}
	if len(v.policies()) == 1 {
		tune(layers.All, good.Dims, "nothing to tune")
	}
	if !v.entry.HasSampler {
		sampler(layers.ErrParam, "iid", good.Dims, map[bool]string{v.entry.Signed: "set the parameter coupling",
			v.entry.Discrete: "draws random signs and no frequencies", !v.entry.Sampled: "draws nothing"}[true])
		return bad
	}
	law := v.random(good.Dims).Law()
	if law.Quantile != nil || law.NormQuantile != nil {
		sampler(spectral.ErrSampler, "halton", 1001, "the sequence has at most 1000")
	}
	circular := law.Transform == spectral.Fourier || law.Transform == spectral.LogFourier
	switch {
	case law.NormQuantile == nil:
		sampler(spectral.ErrSampler, "orthogonal", good.Dims, "use iid, spectral.IID{}")
		sampler(spectral.ErrSampler, "structured", 16, "use iid, spectral.IID{}")
		return bad
	case !circular: // which have no such sampler
		sampler(spectral.ErrSampler, "structured", 16, "use orthogonal, spectral.Orthogonal{}")
		return bad
	case v.lifted():
		sampler(spectral.ErrSampler, "structured", 1, "use orthogonal, spectral.Orthogonal{}")
	default:
		sampler(spectral.ErrSampler, "structured", 15, "use orthogonal, spectral.Orthogonal{}")
	}
	if good.Sampler = "structured"; v.way() != "levy" { // whose bandwidths are not those of W
		tune(layers.BandwidthEach, 16, "the sampler orthogonal")
	}
	tune(layers.All, 16, "the sampler orthogonal")
	return bad
}

// badParams are mistakes in the parameters that the table declares.
func badParams(good layers.Spec, e *layers.Entry) []badSpec {
	var bad []badSpec
	add := func(says, name string, value any) {
		s := good
		s.Params = maps.Clone(good.Params)
		if s.Params[name] = value; value == nil {
			delete(s.Params, name)
		}
		if name == "way" { // with which it goes
			delete(s.Params, "order")
		}
		bad = append(bad, badSpec{s, layers.ErrParam, says})
	}
	add(`"wrong"`, "wrong", 1.)
	for _, p := range e.Params() {
		switch {
		case p.Flag:
			add("want true or false", p.Name, 1.)
			add(`"true", want true or false`, p.Name, "true")
		case p.List:
			add("finite numbers, as 1:10", p.Name, "1:two")
			add("finite numbers, as 1:10", p.Name, 1.)
		case p.Words != nil:
			add(p.Words[0], p.Name, "none")
			add(p.Words[0], p.Name, true)
			if !p.OrNumber {
				add(p.Words[0], p.Name, 1.)
			}
		default:
			add(`"1", want a number `+p.Range(), p.Name, "1")
		}
		if !numeric(p) {
			continue
		}
		if p.Default == nil {
			add("parameter "+p.Name+" is missing; give it, or fill it in from data", p.Name, nil)
		}
		add("a number "+p.Range(), p.Name, true)
		if p.Whole {
			add("want a whole number", p.Name, p.Max-.5)
			add("want a finite number "+p.Range(), p.Name, p.Max+1)
		}
		add(p.Name+" = [1], want", p.Name, []string{"1"})
		for _, x := range []float64{p.Min - 1, math.NaN(), math.Inf(1), math.Inf(-1)} {
			add("want a finite number "+p.Range(), p.Name, x)
		}
		if !p.Closed {
			add("want a finite number "+p.Range(), p.Name, p.Min)
		}
	}
	return bad
}

// numeric says whether a parameter may be a number.
func numeric(p layers.ParamDef) bool { return !p.Flag && !p.List && (p.Words == nil || p.OrNumber) }

// TestParseErrors: the same for parameters as text, where one may also be there twice, or without a value.
func TestParseErrors(t *testing.T) {
	for _, e := range layers.Entries() {
		refuse := func(text, says string) {
			_, err := layers.ParseValues(e.Name, text)
			wantErr(t, err, layers.ErrParam, e.Name, says)
		}
		refuse("wrong=1", `"wrong"`)
		for _, p := range e.Params() {
			good, want := p.Name+"=1", "want a"
			switch {
			case p.List:
				want = "want finite numbers, as 1:10"
			case p.Flag:
				want = "want true or false"
			case p.Words != nil:
				good, want = p.Name+"="+p.Words[0], strings.Join(p.Words[:len(p.Words)-1], ", ")
			}
			refuse(p.Name+"=maybe", want)
			refuse(p.Name, "write "+p.Name+"=VALUE")
			refuse(good+","+good, "given twice")
			refuse(good+",wrong=1", `"wrong"`)
			for _, x := range []string{"NaN", "+Inf", "-1e300", "1e999"} {
				if numeric(p) {
					refuse(p.Name+"="+x, p.Range())
				}
			}
		}
	}
}
