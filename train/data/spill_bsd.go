//go:build unix && !linux

package data

import "os"

// inMemory returns false: this system does not tell whether a file stays in memory.
func inMemory(*os.File) bool { return false }
