//go:build !unix

package cli

// PeakRSS is the largest resident size of this process so far, in bytes, or 0 where the system does not tell.
func PeakRSS() int64 { return 0 }
