//go:build race

package simd

// raceEnabled: under the race detector a sync.Pool drops objects at random.
const raceEnabled = true
