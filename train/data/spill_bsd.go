//go:build unix && !linux

package data

import "os"

// inMemory would say whether what is written to the file stays in memory, where the system tells it.
func inMemory(*os.File) bool { return false }
