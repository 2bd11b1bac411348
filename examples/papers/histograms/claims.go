package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
)

// A claim is an order of two methods that a paper reports: one is better than the other or, with same, no better.
type claim struct {
	first, second string // keys of results
	same          bool
	source        string
}

const (
	vedaldi = "Vedaldi and Zisserman 2012, table "
	yang    = "Yang et al. 2014, "
)

var claims = []claim{
	{first: "hellinger gamma=1", second: "linear", source: vedaldi + "1"},
	{first: "chi2 order=1", second: "linear", source: vedaldi + "1"},
	{first: "chi2 exact", second: "intersection exact", source: vedaldi + "1"},
	{first: "jensen-shannon exact", second: "intersection exact", source: vedaldi + "1"},
	{first: "chi2 order=1", second: "chi2 exact", same: true, source: vedaldi + "1"},
	{first: "jensen-shannon order=1", second: "jensen-shannon exact", same: true, source: vedaldi + "1"},
	{first: "intersection order=1", second: "intersection exact", source: vedaldi + "1"},
	{first: "chi2 order=2", second: "chi2 order=1", same: true, source: vedaldi + "1"},
	{first: "chi2 order=1,gamma=0.5", second: "chi2 order=1", source: vedaldi + "1"},
	{first: "intersection order=1,gamma=0.5", second: "intersection order=1", source: vedaldi + "1"},
	{first: "jensen-shannon order=1,gamma=0.5", second: "jensen-shannon order=1", source: vedaldi + "1"},
	{first: "exp-chi2 exact", second: "chi2 exact", source: vedaldi + "4"},
	{first: "exp-intersection exact", second: "intersection exact", source: vedaldi + "4"},
	{first: "exp-semigroup", second: "exp-chi2", source: yang + "figure 2"},
	{first: "exp-chi2", second: "skewed-intersection", source: yang + "figure 2"},
	{first: "skewed-intersection", second: "gaussian", source: yang + "figure 2"},
	{first: "gaussian", second: "linear", same: true, source: yang + "figure 2"},
	{first: "linear", second: "reciprocal-semigroup", source: yang + "section 4.1"},
	{first: "exp-semigroup", second: "chi2 order=1", source: yang + "table 2"},
	{first: "exp-semigroup", second: "intersection order=1", source: yang + "table 2"},
}

// key names a result in claims: the map with its form, or exact; of a random map the form is left out.
func (r result) key() string {
	switch {
	case r.exact && strings.Contains(r.form, "gamma"):
		return r.method.Map + " exact " + r.form
	case r.exact:
		return r.method.Map + " exact"
	case r.sampler != "":
		return r.method.Map
	default:
		return strings.TrimSpace(r.method.Map + " " + r.form)
	}
}

// verdicts is the table of what the papers found and these data show, for the claims whose methods were both measured;
// of a random map that is the first sampler at the largest number of features. Two accuracies are told apart where they
// differ by more than the standard error of a difference on so many test rows.
func verdicts(results []result, testRows int) string {
	measured := map[string]result{}
	for _, r := range results {
		if old, known := measured[r.key()]; !known || r.sampler == old.sampler && r.features > old.features {
			measured[r.key()] = r
		}
	}
	var b strings.Builder
	for _, c := range claims {
		first, one := measured[c.first]
		second, two := measured[c.second]
		if !one || !two {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n" + frame.TableHead("the papers", "here, %", "does it hold"))
		}
		p, q := first.accuracy().Mean, second.accuracy().Mean
		relation := "above"
		if c.same {
			relation = "no better than"
		}
		fmt.Fprintf(&b, "| %s %s %s (%s) | %.1f, %.1f | %s |\n", first.title(), relation, second.title(), c.source, p, q, c.verdict(p, q, testRows))
	}
	return b.String()
}

func (c claim) verdict(p, q float64, testRows int) string {
	standardError := math.Sqrt((p*(100-p) + q*(100-q)) / float64(testRows))
	switch {
	case math.Abs(p-q) <= standardError:
		if c.same {
			return "yes"
		}
		return "they do not differ"
	case p > q == c.same:
		return "no"
	default:
		return "yes"
	}
}

// title names a result in a sentence.
func (r result) title() string {
	return strings.TrimSpace(r.method.Map + " " + strings.TrimSuffix(strings.TrimSuffix(r.name(), r.sampler), ", "))
}
