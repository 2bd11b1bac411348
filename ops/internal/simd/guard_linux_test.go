package simd

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// guarded copies v to memory that ends where a page begins that nobody may touch: a fault ends the test binary. Under
// the race detector, which does not look there, it is a plain copy.
func guarded[E any](t *testing.T, v []E) []E {
	if len(v) == 0 || raceEnabled {
		return slices.Clone(v)
	}
	page := syscall.Getpagesize()
	size := len(v) * int(unsafe.Sizeof(v[0]))
	room := roundUp(size, page)
	m, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[room:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	w := unsafe.Slice((*E)(unsafe.Pointer(&m[room-size])), len(v))
	copy(w, v)
	return w
}
