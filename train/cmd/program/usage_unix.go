//go:build unix

package program

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// usage is what this process has had, or zero where the system does not tell.
func usage() (u syscall.Rusage) {
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return syscall.Rusage{}
	}
	return u
}

// ProcessorTime is what this process has had of all processors together, or 0 where the system does not tell. Unlike
// the time of a clock it does not grow when other work runs on the machine.
func ProcessorTime() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakRSS is the largest resident size of this process so far, in bytes, or 0 where the system does not tell. Linux counts
// the process that started this one into its usage, and tells the size apart in a file.
func PeakRSS() int64 {
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		var kilobytes int64
		if _, line, ok := strings.Cut(string(text), "VmHWM:"); ok {
			if _, err := fmt.Sscan(line, &kilobytes); err == nil {
				return kilobytes * 1024
			}
		}
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage().Maxrss) // bytes there, kilobytes elsewhere
	}
	return int64(usage().Maxrss) * 1024
}
