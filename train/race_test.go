//go:build race

package train

// RaceEnabled: under the race detector a sync.Pool drops objects at random, and memory cannot be counted.
const RaceEnabled = true
