package simd

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func FuzzCos(f *testing.F)    { fuzzVector(f, "cos") }
func FuzzSin(f *testing.F)    { fuzzVector(f, "sin") }
func FuzzSinCos(f *testing.F) { fuzzVector(f, "pair") }
func FuzzExp(f *testing.F)    { fuzzVector(f, "exp") }
func FuzzLog(f *testing.F)    { fuzzVector(f, "log") }

// fuzzVector takes bytes as a row of float32 and as one of float64, and checks the functions whose names contain name
// with every instruction set.
func fuzzVector(f *testing.F, name string) {
	for _, v := range special {
		seed := binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
		for range 17 {
			seed = binary.LittleEndian.AppendUint32(seed, math.Float32bits(float32(v)))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		if len(row) > 4096 {
			row = row[:4096]
		}
		var x32 []float32
		for at := 0; at+4 <= len(row); at += 4 {
			x32 = append(x32, math.Float32frombits(binary.LittleEndian.Uint32(row[at:])))
		}
		var x64 []float64
		for at := 0; at+8 <= len(row); at += 8 {
			x64 = append(x64, math.Float64frombits(binary.LittleEndian.Uint64(row[at:])))
		}
		eachISA(t, func(t *testing.T) {
			for _, fn := range functions[float32]() {
				if strings.Contains(fn.name, name) {
					check(t, fn, x32)
				}
			}
			for _, fn := range functions[float64]() {
				if strings.Contains(fn.name, name) {
					check(t, fn, x64)
				}
			}
		})
	})
}
