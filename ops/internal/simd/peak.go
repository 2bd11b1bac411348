package simd

import "time"

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
