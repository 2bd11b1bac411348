package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// group is a control group of Linux that bounds the memory of the server.
type group struct{ path string }

// newGroup makes one of so many bytes, without swap, in version 1 or 2 of control groups. It takes the right to do so.
func newGroup(limit int64) (*group, error) {
	name := fmt.Sprintf("bochner-load-%d", os.Getpid())
	var errs []error
	for _, v := range []struct{ path, limit, swap, off string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", strconv.FormatInt(limit, 10)},
		{"/sys/fs/cgroup", "memory.max", "memory.swap.max", "0"},
	} {
		g := &group{filepath.Join(v.path, name)}
		if _, err := os.Stat(filepath.Join(v.path, "cgroup.procs")); err != nil {
			errs = append(errs, err)
			continue
		}
		err := os.Mkdir(g.path, 0o755)
		if err == nil {
			if err = os.WriteFile(filepath.Join(g.path, v.limit), []byte(strconv.FormatInt(limit, 10)),
				0o644); err == nil {
				_ = os.WriteFile(filepath.Join(g.path, v.swap), []byte(v.off), 0o644) // a system without swap has no such file
				return g, nil
			}
			g.remove()
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// into makes a command start in the group, so that it finds the limit as it starts.
func (g *group) into(cmd *exec.Cmd) *exec.Cmd {
	return exec.Command("sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(g.path,
		"cgroup.procs")}, cmd.Args...)...)
}

// remove removes the group, once no process is in it.
func (g *group) remove() { _ = os.Remove(g.path) }

// peak is the largest resident size that a process has had so far, in bytes, or 0 where the system does not tell.
func peak(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
