//go:build !race

package trial

// RaceEnabled says whether the race detector runs, under which a sync.Pool drops objects at random, and memory cannot be counted.
const RaceEnabled = false
