//go:build !race

package train

// raceEnabled: under the race detector a sync.Pool drops objects at random, and memory cannot be counted.
const raceEnabled = false
