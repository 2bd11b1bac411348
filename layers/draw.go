package layers

import (
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"unsafe"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// streamKey identifies a stream of random numbers. Layers that draw from the same key draw the same numbers.
type streamKey struct {
	stream string // of spectral.Stream
	seed   uint64
	name   string // given by WithName, empty where the name was made up or comes from a Spec
	nth    int    // which of the layers of a composition that would draw the same
}

// sourceSeed returns the seed to pass to spectral: the seed of the options, or one derived from it, the name and nth.
func (o options) sourceSeed() uint64 {
	if o.stream == "" && o.nth == 0 {
		return o.seed
	}
	return spectral.Stream(o.seed, fmt.Sprintf("layer %d of %q", o.nth, o.stream)).Uint64()
}

// draw records how a layer was drawn. It is nil for a layer that draws nothing or whose parameters are fitted.
type draw struct {
	key   streamKey
	of    *base   // the layer
	by    options // that it was drawn by
	fresh func(o options) (Layer, error)
	used  atomic.Bool // the layer was used, so that its parameters stay as they are
	set   atomic.Bool // its parameters are no longer those that were drawn
}

// paramsOf returns the parameters of a layer to a caller that only reads.
func paramsOf(l Layer) []Param {
	if v, ok := l.(interface{ peek() []Param }); ok {
		return v.peek()
	}
	return l.Params()
}

// drawn records that the layer was drawn from a stream by options o. fresh draws another one by other options.
func (b *base) drawn(stream string, o options, fresh func(o options) (Layer, error)) {
	if o.undrawn {
		return
	}
	o.name = b.name
	b.origin = &draw{key: streamKey{stream, o.seed, o.stream, o.nth}, of: b, by: o, fresh: fresh}
}

// again gives the parameters of the layer the numbers of another draw.
func (d *draw) again(nth int) error {
	b, o := d.of, d.by
	o.nth = nth
	fresh, err := d.fresh(o)
	if err != nil {
		return err
	}
	for i, p := range paramsOf(fresh) {
		if err := ops.Assign(b.params[i].Value, p.Value); err != nil {
			return fmt.Errorf("%s: parameter %q: %w", b.who(), p.Name, err)
		}
	}
	d.key.nth = nth
	b.watch.redrawn()
	if b.changed != nil {
		b.changed()
	}
	return nil
}

// Keep says that the layer is in use, as Transform and Fwd do: no composition draws its parameters again.
func Keep(l Layer) {
	if domain.IsNil(l) {
		return
	}
	for _, d := range drawsOf(l) {
		d.used.Store(true)
	}
}

// use marks the layer as used: its parameters are not drawn again from here on. It drops what was computed from
// parameters that somebody wrote to.
func (b *base) use() {
	if b.watch != nil {
		b.watch.look()
	}
	if b.origin != nil && !b.origin.used.Load() {
		b.origin.used.Store(true)
	}
}

// draws returns the draws behind the layer.
func (b *base) draws() []*draw {
	if b.origin == nil {
		return nil
	}
	return []*draw{b.origin}
}

// drawsOf returns the draws behind layers, each once, without those whose parameters were set.
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
			if !seen[d] && !d.set.Load() && !d.of.watch.look() {
				seen[d] = true
				all = append(all, d)
			}
		}
	}
	return all
}

// drawApart makes the layers of a composition draw different numbers. Of the layers with the same key, the first keeps
// its numbers, and so does one that was used; the others are drawn again. Two such layers that were used are an error
// (ErrParam).
func drawApart(kind string, ls []Layer) error {
	taken, ds := map[streamKey]*draw{}, drawsOf(ls...)
	for _, d := range ds {
		if !d.used.Load() {
			continue
		}
		if first := taken[d.key]; first != nil {
			return fmt.Errorf("layers: %s: %q and %q have the same random numbers, of seed %d, and were used before; "+
				"give one of them another seed by WithSeed, or another name by WithName: %w", kind, first.of.name, d.of.name,
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

// unused returns the key, with the least nth from its own on that is not taken.
func unused(key streamKey, taken map[streamKey]*draw) streamKey {
	for taken[key] != nil {
		key.nth++
	}
	return key
}

// watch notices that the tensors of Params, once they were handed out, have other values, so that a layer drops what it
// computed from the old ones. A layer on top of another one shares its watch.
type watch struct {
	of *base // whose parameters they are

	out   atomic.Bool // they were handed out
	mu    sync.Mutex
	drawn uint64 // the print of the parameters when they were handed out first
	last  uint64 // the print at the latest use
}

// handOut says that somebody has the tensors.
func (w *watch) handOut() {
	sum := w.print()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.out.Load() {
		w.drawn, w.last = sum, sum
		w.out.Store(true)
		if w.of.changed != nil {
			w.of.changed()
		}
	}
}

// look drops what was computed from parameters that have other values now, and says whether they have other values
// than when they were handed out.
func (w *watch) look() bool {
	if !w.out.Load() {
		return false
	}
	sum := w.print()
	w.mu.Lock()
	defer w.mu.Unlock()
	if sum != w.last && w.of.changed != nil {
		w.of.changed()
	}
	w.last = sum
	return sum != w.drawn
}

// redrawn says that the parameters have the values of another draw.
func (w *watch) redrawn() {
	sum := w.print()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drawn, w.last = sum, sum
}

var printSeed = maphash.MakeSeed()

// print returns a number that differs, but for chance, where the frozen parameters differ. Nothing is kept of a tuned
// one.
func (w *watch) print() uint64 {
	var h maphash.Hash
	h.SetSeed(printSeed)
	for _, p := range w.of.params {
		if p.Tuned || p.Value == nil {
			continue
		}
		if p.Value.Dtype() == tensor.Float32 { // Write never fails
			h.Write(bytesOf(p.Value.Float32s()))
		} else {
			h.Write(bytesOf(p.Value.Float64s()))
		}
	}
	return h.Sum64()
}

func bytesOf[T float32 | float64](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}
