package domain

import (
	"io/fs"
	"iter"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Memory returns the number of bytes of memory that this process may use: the memory of the machine, or the least limit
// of its control groups, and at most the size of the address space. It is 0 where the system does not tell and
// addresses have 64 bits.
func Memory() int64 { return addressable(memoryIn(os.DirFS("/")), runtime.GOARCH, strconv.IntSize) }

// addressable limits memory to the address space: 4 GiB where int has 32 bits, and in WebAssembly, where int has 64
// bits but addresses have 32.
func addressable(memory int64, arch string, intSize int) int64 {
	const reach = 1 << 32
	if (intSize == 32 || arch == "wasm") && (memory == 0 || memory > reach) {
		return reach
	}
	return memory
}

// memoryIn reads the memory from the files of Linux: proc(5), cgroups(7).
func memoryIn(root fs.FS) int64 {
	var total int64
	for line := range lines(root, "proc/meminfo") {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				total = kb << 10
			}
		}
	}
	for line := range lines(root, "proc/self/cgroup") {
		parts := strings.SplitN(line, ":", 3) // number, controllers, path; version 2 has no controllers here
		if len(parts) < 3 {
			continue
		}
		file, mounts := "memory.max", []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}
		if slices.Contains(strings.Split(parts[1], ","), "memory") {
			file, mounts = "memory.limit_in_bytes", []string{"sys/fs/cgroup/memory"}
		} else if parts[1] != "" {
			continue
		}
		// In a container the path may be a path of the host, and what is mounted the group itself: then there is
		// nothing but the last step.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			for _, mount := range mounts {
				// a group without a limit says "max", or a number of 2^63
				for text := range lines(root, path.Join(mount, group, file)) {
					if limit, err := strconv.ParseInt(text, 10, 64); err == nil && limit > 0 && (total == 0 ||
						limit < total) {
						total = limit
					}
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return total
}

// lines yields the lines of a file, an empty one if it cannot be read.
func lines(root fs.FS, name string) iter.Seq[string] {
	text, _ := fs.ReadFile(root, name)
	return strings.SplitSeq(strings.TrimSpace(string(text)), "\n")
}
