package ops_test

import (
	"fmt"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/blas"
)

// BenchmarkDraw draws frequencies, with the products of ops/blas under the QR factorisations, as in the programs:
//
//	go test ./ops_test -run '^$' -bench Draw -benchtime 1x
func BenchmarkDraw(b *testing.B) {
	blas.Use()
	for _, c := range []struct{ d, m int }{{64, 4096}, {784, 4096}, {4096, 16384}} {
		for _, s := range spectral.Samplers() {
			if _, err := spectral.Frequencies(spectral.Gaussian{Sigma: 1}, s, c.d, 1, 1); err != nil {
				continue // too many dimensions for a sequence
			}
			b.Run(fmt.Sprintf("%v/%dx%d", s, c.d, c.m), func(b *testing.B) {
				for seed := range uint64(b.N) {
					if _, err := spectral.Frequencies(spectral.Gaussian{Sigma: 1}, s, c.d, c.m, seed); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
