package simd

import (
	"fmt"
	"os"
	"time"
	"unsafe"
)

// isa is an instruction set that has kernels of its own, in rising order; each architecture has a list.
type isa int

const generic isa = 0 // plain Go, on every machine; the reference of the others

func (i isa) String() string { return names[i] }

// forced is the environment variable with which tests and benchmarks choose a path: generic, avx2, avx512 or neon.
const forced = "BOCHNER_SIMD"

// active is the instruction set in use: the best of this machine, or the one that the environment names.
var active = choose(best(), os.Getenv(forced))

// ISA is the name of the instruction set in use.
func ISA() string { return active.String() }

// choose is the instruction set for a machine whose best is given. A name that there is not, or that the machine does
// not have, is a mistake that would otherwise show as an illegal instruction.
func choose(best isa, name string) isa {
	if name == "" {
		return best
	}
	for i := generic; i <= best; i++ {
		if i.String() == name {
			return i
		}
	}
	panic(fmt.Sprintf("simd: %s=%s: this machine and build have instruction sets up to %v", forced, name, best))
}

// machine is what an instruction set has for an element type: nothing where plain Go is all there is, as under generic.
type machine[T Float] struct {
	kernels  []*kernels[T]
	vectors  *vectors[T]
	hadamard *hadamardKernels[T]
}

// machineOf returns the kernels of an instruction set.
func machineOf[T Float](i isa) *machine[T] {
	p := unsafe.Pointer(&machines64[i])
	if sizeof[T]() == 4 {
		p = unsafe.Pointer(&machines32[i])
	}
	return (*machine[T])(p)
}

// Peak is what FMAs on registers reach on one core under the active instruction set, in GFLOP/s for elements of the
// given bytes: the best of a few runs of some milliseconds. The generic path has none, and Peak is 0.
func Peak(bytes int) float64 {
	const rounds, tries = 1 << 20, 5
	p := fmaPeaks[active]
	if p.loop == nil {
		return 0
	}
	best := 0.0
	for range tries {
		start := time.Now()
		p.loop(rounds)
		best = max(best, float64(p.operations*rounds)/float64(time.Since(start).Nanoseconds()))
	}
	return best * 4 / float64(bytes)
}

type fmaPeak struct {
	loop       func(rounds int)
	operations int
}
