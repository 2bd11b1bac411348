//go:build unix

package cli

import (
	"runtime"
	"syscall"
	"time"
)

// ProcessorTime is what this process has had of all processors together, or 0 where the system does not tell. Unlike the time of a clock it does not
// grow when other work runs on the machine.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakRSS is the largest resident size of this process so far, in bytes, or 0 where the system does not tell.
func PeakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes there, kilobytes elsewhere
	}
	return int64(u.Maxrss) * 1024
}

// CPUSeconds is what this process has used of the processors, in its own code and in the system's, or 0 where the system does not tell.
func CPUSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
