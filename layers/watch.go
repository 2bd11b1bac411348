package layers

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/tensor"
)

// watch notices that the tensors of Params, once they were handed out, have other values, so that a layer drops what it
// computed from the old ones. A layer on top of another one shares its watch.
type watch struct {
	of *base // whose parameters they are

	out       atomic.Bool // they were handed out
	mu        sync.Mutex
	drawn     uint64 // the print of the parameters when they were handed out first
	last      uint64 // the print at the latest use
	different bool   // they differ from drawn
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
	w.last, w.different = sum, sum != w.drawn
	return w.different
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
