//go:build !unix

package program

import "time"

// ProcessorTime is what this process has had of all processors together, or 0 where the system does not tell. Unlike
// the time of a clock it does not grow when other work runs on the machine.
func ProcessorTime() time.Duration { return 0 }

// PeakRSS is the largest resident size of this process so far, in bytes, or 0 where the system does not tell.
func PeakRSS() int64 { return 0 }
