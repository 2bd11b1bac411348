package data

import (
	"os"
	"syscall"
)

// inMemory says whether the file is in a file system in memory.
func inMemory(f *os.File) bool {
	const tmpfs, ramfs = 0x01021994, 0x858458f6 // statfs(2)
	var s syscall.Statfs_t
	if syscall.Fstatfs(int(f.Fd()), &s) != nil {
		return false
	}
	kind := uint32(s.Type)
	return kind == tmpfs || kind == ramfs
}
