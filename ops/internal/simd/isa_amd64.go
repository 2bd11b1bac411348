//go:build !purego

package simd

import "golang.org/x/sys/cpu"

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
