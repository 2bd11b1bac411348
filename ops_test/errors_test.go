package ops_test

import (
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
		for _, b := range append(badFields(good, v.form, v.entry), badParams(good, v.entry)...) {
			_, err := v.fit(b.Spec)
			wantErr(t, err, b.is, b.says)
		}
	})
}

// badFields are mistakes in what all maps have.
func badFields(good layers.Spec, f form, e *layers.Entry) []badSpec {
	var bad []badSpec
	add := func(is error, says string, edit func(s *layers.Spec)) {
		s := good
		edit(&s)
		bad = append(bad, badSpec{s, is, says})
	}
	add(layers.ErrParam, "there is no map", func(s *layers.Spec) { s.Map += "?" })
	add(layers.ErrParam, "float16", func(s *layers.Spec) { s.Dtype = "float16" })
	add(layers.ErrParam, "there are none, bandwidth", func(s *layers.Spec) { s.Tune = "some" })
	add(layers.ErrParam, "there are iid, orthogonal, coupled", func(s *layers.Spec) { s.Sampler = "grid" })
	for _, d := range []int{0, -1} {
		add(layers.ErrParam, "", func(s *layers.Spec) { s.Dims = d })
	}
	width := func(says string, wrong ...int) {
		for _, n := range wrong {
			add(layers.ErrParam, says, func(s *layers.Spec) { s.Features = n })
		}
	}
	sampler := func(says string) { add(layers.ErrParam, says, func(s *layers.Spec) { s.Sampler = "iid" }) }
	tune := func(says string) { add(layers.ErrParam, says, func(s *layers.Spec) { s.Tune = "all" }) }
	if e.HasFeatures() && f != copied {
		width("want at least 1", 0, -1)
	}
	switch f {
	case copied:
		width("as many features as input columns", 5)
		return bad
	case series:
		width("for each input column", 5)
		sampler("draws nothing")
		return bad
	case signed:
		width("ask for 8", 6)
		sampler("set the parameter coupling")
		return bad
	case discrete:
		sampler("draws random signs and no frequencies")
		tune("nothing to tune")
		return bad
	case fitted:
		if !e.HasFeatures() {
			width("for each input column", 5)
		}
		sampler("draws nothing")
		tune("nothing to tune")
		return bad
	case unit:
		if good.Params["order"] == 0. {
			tune("a step has the gradient 0")
		}
	case pair, tangent:
		width("ask for 6", 5)
	}
	k, err := good.Kernel()
	random := randomOf(k, good.Params, good.Dims)
	if law := random.Law(); law.Quantile != nil || law.NormQuantile != nil {
		add(spectral.ErrSampler, "the sequence has at most 1000", func(s *layers.Spec) {
			s.Dims, s.Sampler = 1001, "halton"
		})
	}
	switch {
	case err != nil:
	case random.Law().NormQuantile == nil:
		add(spectral.ErrSampler, "use iid, spectral.IID{}", func(s *layers.Spec) { s.Sampler = "orthogonal" })
		add(spectral.ErrSampler, "use iid, spectral.IID{}", func(s *layers.Spec) { s.Sampler, s.Dims = "structured", 16 })
	default:
		add(spectral.ErrSampler, "use orthogonal, spectral.Orthogonal{}", func(s *layers.Spec) {
			if s.Sampler, s.Dims = "structured", 15; f == unit || f == tangent || f == positive {
				s.Dims = 16
			} else if lifted(k, good.Params) {
				s.Dims = 1 // of which there are 6 columns at most
			}
		})
		for _, p := range []layers.Policy{layers.BandwidthEach, layers.All} {
			if f == unit || f == tangent || f == positive {
				break // which have no such sampler
			}
			if good.Params.Word("way") == "levy" && p == layers.BandwidthEach {
				continue // whose bandwidths are not those of W
			}
			add(layers.ErrParam, "the sampler orthogonal", func(s *layers.Spec) {
				s.Sampler, s.Dims, s.Tune = "structured", 16, p.String()
			})
		}
	}
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
		if p.Flag {
			add("want true or false", p.Name, 1.)
			add(`"true", want true or false`, p.Name, "true")
			continue
		}
		if p.List {
			add("finite numbers, as 1:10", p.Name, "1:two")
			add("finite numbers, as 1:10", p.Name, 1.)
			continue
		}
		if p.Words != nil {
			add(p.Words[0], p.Name, "none")
			add(p.Words[0], p.Name, true)
			if !p.OrNumber {
				add(p.Words[0], p.Name, 1.)
				continue
			}
		} else {
			add(`"1", want a number `+p.Range(), p.Name, "1")
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

// TestParseErrors: the same for parameters as text, where one may also be there twice, or without a value.
func TestParseErrors(t *testing.T) {
	for _, e := range layers.Entries() {
		cases := map[string]string{"wrong=1": `"wrong"`}
		for _, p := range e.Params() {
			good := p.Name + "=1"
			if p.Words != nil {
				good = p.Name + "=" + p.Words[0]
			}
			cases[good+","+good] = "given twice"
			cases[p.Name] = "write " + p.Name + "=VALUE"
			cases[good+",wrong=1"] = `"wrong"`
			cases[p.Name+"=maybe"] = "want a"
			switch {
			case p.List:
				cases[p.Name+"=maybe"] = "want finite numbers, as 1:10"
			case p.Flag:
				cases[p.Name+"=maybe"] = "want true or false"
			case p.Words != nil:
				cases[p.Name+"=maybe"] = strings.Join(p.Words[:len(p.Words)-1], ", ")
			}
			if p.List || p.Flag || p.Words != nil && !p.OrNumber {
				continue
			}
			for _, x := range []string{"NaN", "+Inf", "-1e300", "1e999"} {
				cases[p.Name+"="+x] = p.Range()
			}
		}
		for text, says := range cases {
			_, err := layers.ParseValues(e.Name, text)
			wantErr(t, err, layers.ErrParam, e.Name, says)
		}
	}
}
