package domain

import (
	"testing"
	"testing/fstest"
)

// TestMemory: the least of the machine and of the limits of the groups, in both versions of control groups, in a
// container and outside.
func TestMemory(t *testing.T) {
	const machine = "MemTotal:       24683520 kB\nMemFree:        1 kB\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing": {nil, 0},
		"no limit": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n"}, 24683520 << 10},
		"no limit, 1": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n"}, 24683520 << 10},
		"version 2": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1073741824\n"}, 1 << 30},
		"the group above": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": "1048576\n", "sys/fs/cgroup/a/b/memory.max": "2097152\n"}, 1 << 20},
		"a container": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		"version 1": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1048576\n"}, 1 << 20},
		"version 1, a container": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup":                           "4:memory:/docker/0123\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1048576\n"}, 1 << 20},
		"another controller": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "4:hugetlb:/a\n",
			"sys/fs/cgroup/a/memory.max": "1048576\n"}, 24683520 << 10},
		"a limit above the whole": {map[string]string{"proc/meminfo": "MemTotal: 1 kB\n", "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 10},
		"garbage": {map[string]string{"proc/meminfo": "MemTotal: x kB\n",
			"proc/self/cgroup": "nothing\n"}, 0},
	} {
		files := fstest.MapFS{}
		for path, text := range tc.files {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryIn(files); got != tc.want {
			t.Errorf("%s: %d bytes, want %d", name, got, tc.want)
		}
	}
}

// TestAddressable: addresses of 32 bits reach 4 GiB, whatever the machine has.
func TestAddressable(t *testing.T) {
	const reach = 1 << 32
	for _, tc := range []struct {
		memory  int64
		arch    string
		intSize int
		want    int64
	}{
		{0, "amd64", 64, 0}, {reach + 1, "amd64", 64, reach + 1}, {0, "386", 32, reach}, {reach + 1, "386", 32, reach},
		{1 << 20, "386", 32, 1 << 20}, {0, "wasm", 64, reach}, {reach + 1, "wasm", 64, reach},
	} {
		if got := addressable(tc.memory, tc.arch, tc.intSize); got != tc.want {
			t.Errorf("%d bytes, %s, %d bits: %d, want %d", tc.memory, tc.arch, tc.intSize, got, tc.want)
		}
	}
}
