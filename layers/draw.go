package layers

import (
	"fmt"
	"sync/atomic"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// streamKey is where random numbers come from. Layers that draw from one key draw the same numbers.
type streamKey struct {
	stream string // of spectral.Stream
	seed   uint64
	name   string // given by WithName, empty where the name was made up or comes from a Spec
	nth    int    // which of the layers of a composition that would draw the same
}

// sourceSeed is the seed for spectral: the seed of the options itself, or one that the name and the number make of it.
func (o options) sourceSeed() uint64 {
	if o.stream == "" && o.nth == 0 {
		return o.seed
	}
	return spectral.Stream(o.seed, fmt.Sprintf("layer %d of %q", o.nth, o.stream)).Uint64()
}

// draw is how a layer was drawn. It is nil for a layer that draws nothing or whose parameters are fitted.
type draw struct {
	key   streamKey
	who   string
	used  atomic.Bool // the layer was used or its parameters were handed out, so that they stay as they are
	set   atomic.Bool // its parameters are no longer those that were drawn
	again func(nth int) error
}

// peeker hands out the parameters of a layer without a use of them.
type peeker interface{ peek() []Param }

// paramsOf are the parameters of a layer, without a use of them where that is possible.
func paramsOf(l Layer) []Param {
	if v, ok := l.(peeker); ok {
		return v.peek()
	}
	return l.Params()
}

// drawn notes how the layer was drawn: from a stream, by options o. anew makes it again by others.
func (b *base) drawn(stream string, o options, anew func(o options) (peeker, error)) {
	if o.undrawn {
		return
	}
	o.name = b.name
	d := &draw{key: streamKey{stream, o.seed, o.stream, o.nth}, who: fmt.Sprintf("%q", b.name)}
	d.again = func(nth int) error {
		o := o
		o.nth = nth
		fresh, err := anew(o)
		if err != nil {
			return err
		}
		for i, p := range fresh.peek() {
			if err := ops.Assign(b.params[i].Value, p.Value); err != nil {
				return fmt.Errorf("%s: parameter %q: %w", b.who(), p.Name, err)
			}
		}
		d.key.nth = nth
		if b.changed != nil {
			b.changed()
		}
		return nil
	}
	b.origin = d
}

// use says that the parameters stay as they are from here on.
func (b *base) use() {
	if b.origin != nil && !b.origin.used.Load() {
		b.origin.used.Store(true)
	}
}

// draws are the draws behind the layer.
func (b *base) draws() []*draw {
	if b.origin == nil {
		return nil
	}
	return []*draw{b.origin}
}

func (g group) draws() []*draw { return drawsOf(g.layers...) }

func (l *BagLayer) draws() []*draw {
	if l.inner == nil {
		return drawsOf(l.over)
	}
	return drawsOf(l.inner, l.over)
}

// drawsOf are the draws behind layers, each once, but for those whose parameters were set.
func drawsOf(ls ...Layer) (all []*draw) {
	seen := map[*draw]bool{}
	for _, l := range ls {
		var some []*draw
		switch v := l.(type) {
		case interface{ draws() []*draw }:
			some = v.draws()
		case interface{ Unwrap() Layer }:
			some = drawsOf(v.Unwrap())
		}
		for _, d := range some {
			if !seen[d] && !d.set.Load() {
				seen[d] = true
				all = append(all, d)
			}
		}
	}
	return all
}

// drawApart draws those layers of a composition again that would otherwise have the same random numbers as another. The
// first keeps them, as does a layer that was used before. Errors: two layers that were used before (ErrParam).
func drawApart(kind string, ls []Layer) error {
	taken, ds := map[streamKey]*draw{}, drawsOf(ls...)
	for _, d := range ds {
		if !d.used.Load() {
			continue
		}
		if first := taken[d.key]; first != nil {
			return fmt.Errorf("layers: %s: %s and %s have the same random numbers, of seed %d, and were used before; "+
				"give one of them another seed by WithSeed, or another name by WithName: %w", kind, first.who, d.who,
				d.key.seed, ErrParam)
		}
		taken[d.key] = d
	}
	for _, d := range ds {
		if d.used.Load() {
			continue
		}
		if key := unused(d.key, taken); key != d.key {
			if err := d.again(key.nth); err != nil {
				return err
			}
		}
		taken[d.key] = d
	}
	return nil
}

// unused is the key itself where it is not taken, or the next that is not.
func unused(key streamKey, taken map[streamKey]*draw) streamKey {
	for taken[key] != nil {
		key.nth++
	}
	return key
}
