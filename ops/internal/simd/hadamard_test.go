package simd

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
)

// naiveHadamard is H·x by its definition, in float64.
func naiveHadamard[T Float](x []T) []float64 {
	out := make([]float64, len(x))
	for i := range out {
		for j, v := range x {
			if bits.OnesCount(uint(i&j))%2 == 1 {
				v = -v
			}
			out[i] += float64(v)
		}
	}
	return out
}

// hadamard transforms rows of d numbers in place.
func hadamard[T Float](x []T, d int) {
	for ; len(x) > 0; x = x[d:] {
		machineOf[T](active).hadamard.transform(x[:d], x[:d], slices.Repeat([]T{1}, d))
	}
}

// radix2 is the plain transform that the fast ones are measured against.
func radix2[T Float](x []T) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j, u := range a {
				a[j], b[j] = u+b[j], u-b[j]
			}
		}
	}
}

// within compares with a bound that is a rounding of the norm of the numbers for each stage: the transform keeps the
// norm, but for the factor √d, and each stage rounds every number once.
func within[T Float](t *testing.T, what string, got []T, want []float64, stages int) {
	t.Helper()
	eps, norm := 0x1p-53, 0.0
	if _, single := any(got).([]float32); single {
		eps = 0x1p-24
	}
	for _, v := range want {
		norm += v * v
	}
	tol := 2 * eps * float64(stages+4) * math.Sqrt(norm)
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tol) {
			t.Fatalf("%s: number %d is %v, the reference %v, bound %.2g", what, i, got[i], w, tol)
		}
	}
}

// TestHadamard: every instruction set gives the transform of its definition, for every size, in place, row by row,
// whatever lies around; the transform of the transform is d times the row.
func TestHadamard(t *testing.T) { eachType(t, againstNaive[float32], againstNaive[float64]) }

func againstNaive[T Float](t *testing.T) {
	for d := 1; d <= 8192; d *= 2 {
		stages := bits.Len(uint(d)) - 1
		rows := 3
		if d > 512 {
			rows = 1 // the naive transform is slow
		}
		memory := random[T](rows*d+2, uint64(d))
		before := slices.Clone(memory)
		x := memory[1 : 1+rows*d]
		hadamard(x, d)
		for i := range rows {
			where := fmt.Sprintf("%T, %d numbers, row %d", memory, d, i)
			within(t, where, x[i*d:i*d+d], naiveHadamard(before[1+i*d:1+i*d+d]), stages)
		}
		if memory[0] != before[0] || memory[1+rows*d] != before[1+rows*d] {
			t.Errorf("%T, %d numbers: it writes beside the rows", memory, d)
		}
		hadamard(x, d)
		back := make([]float64, len(x))
		for i := range back {
			back[i] = float64(d) * float64(before[1+i])
		}
		within(t, fmt.Sprintf("%T, %d numbers, twice", memory, d), x, back, 2*stages)
	}
}

// TestHadamardLarge: beyond the sizes that the naive transform can do, the plain one is the reference.
func TestHadamardLarge(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, d := range []int{1 << 14, 1 << 17} {
			x := random[float32](d, 1)
			want := make([]float64, d)
			for i, v := range x {
				want[i] = float64(v)
			}
			radix2(want)
			hadamard(x, d)
			within(t, fmt.Sprint(d), x, want, bits.Len(uint(d)))
		}
	})
}

// TestHadamardScaled: the scale that the first pass applies, out of place and in place.
func TestHadamardScaled(t *testing.T) { eachType(t, scaledAgainst[float32], scaledAgainst[float64]) }

func scaledAgainst[T Float](t *testing.T) {
	k := machineOf[T](active).hadamard
	for d := 1; d <= 1024; d *= 2 {
		src, scale := random[T](d, 1), random[T](d, 2)
		was, scaled := slices.Clone(src), make([]T, d)
		for i := range scaled {
			scaled[i] = src[i] * scale[i]
		}
		dst, want := make([]T, d), naiveHadamard(scaled)
		k.transform(dst, src, scale)
		within(t, fmt.Sprint("out of place, ", d), dst, want, bits.Len(uint(d)))
		if !slices.Equal(src, was) {
			t.Errorf("%d: src is changed", d)
		}
		k.transform(src, src, scale)
		within(t, fmt.Sprint("in place, ", d), src, want, bits.Len(uint(d)))
	}
}

// TestHadamardBits: every instruction set gives the bits of plain Go, as all take the stages in one order and round
// once a stage.
func TestHadamardBits(t *testing.T) { eachType(t, hadamardBits[float32], hadamardBits[float64]) }

func hadamardBits[T Float](t *testing.T) {
	var generic *hadamardKernels[T]
	for d := 1; d <= 1<<15; d *= 2 {
		src, scale := random[T](d, uint64(d)), random[T](d, 2)
		got, want := make([]T, d), make([]T, d)
		machineOf[T](active).hadamard.transform(got, src, scale)
		if generic.transform(want, src, scale); !slices.Equal(got, want) {
			t.Errorf("%T, %d numbers: other bits", src, d)
		}
	}
}

// TestHadamardNotFinite: NaN and infinities go to every number of their row, and to no other.
func TestHadamardNotFinite(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			const d = 256
			x := random[float32](3*d, 1)
			x[d+77] = float32(bad)
			hadamard(x, d)
			for i, v := range x {
				if finite := v-v == 0; finite == (i/d == 1) {
					t.Fatalf("%v: number %d of row %d is %v", bad, i%d, i/d, v)
				}
			}
		}
	})
}
