package notes

import (
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
)

// MapCard says what a map is.
type MapCard struct {
	Map      string        `json:"map"`
	Parts    []string      `json:"parts,omitempty"` // the maps of a tree
	Params   layers.Values `json:"params"`
	Features int           `json:"features"`
	Sampler  string        `json:"sampler,omitempty"` // empty for a map without one
	Seed     uint64        `json:"seed"`
	Dtype    string        `json:"dtype"`
}

// MapOf is the card of the map of a finished spec.
func MapOf(s layers.Spec) MapCard {
	c := MapCard{Map: s.Map, Params: s.Params, Features: s.Features, Seed: s.Seed, Dtype: s.ElementType().String()}
	for _, p := range s.Parts {
		part := MapOf(p)
		if part.Parts != nil {
			part.Map += " (" + strings.Join(part.Parts, ", ") + ")"
		}
		c.Parts = append(c.Parts, part.Map)
	}
	var err error
	if c.Sampler, err = s.SamplerName(); err != nil {
		c.Sampler = s.Sampler
	}
	return c
}

// ModelCard says what a model is.
type ModelCard struct {
	MapCard
	Head     string `json:"head"`
	Tuned    string `json:"tuned"` // the policy of the map, "all" where one of several layers is tuned, or none
	InputDim int    `json:"input_dim"`
}

// ModelOf is the card of a model.
func ModelOf(m *train.Model) ModelCard {
	c := ModelCard{MapOf(m.Spec), m.Head.Kind(), "none", m.Dims()}
	c.Features = m.Map.Features()
	switch {
	case !m.Spec.Tuned():
	case c.Parts != nil:
		c.Tuned = layers.All.String()
	default:
		c.Tuned = m.Spec.Tune
	}
	return c
}
