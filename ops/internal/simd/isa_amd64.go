//go:build !purego

package simd

import "golang.org/x/sys/cpu"

const (
	avx2   = generic + 1 + iota // AVX2 and FMA
	avx512                      // AVX-512 F, DQ, BW and VL
)

var names = [...]string{"generic", "avx2", "avx512"}

// best is the best instruction set of this machine, the operating system's support included.
func best() isa {
	switch x := cpu.X86; {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX2 && x.HasFMA:
		return avx512
	case x.HasAVX2 && x.HasFMA:
		return avx2
	}
	return generic
}
