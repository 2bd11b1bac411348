package spectral_test

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
)

// The kernel that the features are to approximate, and what they do approximate: no density has the kernel itself.
func ExampleSRF() {
	k := spectral.SRF{A: 2, P: 10}
	split, err := k.Split(16, 1, spectral.Independent)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, z := make([]float64, 16), make([]float64, 16)
	x[0], z[1] = 1, 1
	fmt.Printf("exact %.3f, estimated %.3f, off by at most %.3f anywhere\n", k.At(x, z), split.At(x, z), split.Error)
	// Output: exact 0.001, estimated -0.001, off by at most 0.003 anywhere
}

// The law draws frequencies as others do, with any sampler for a uniform direction.
func ExampleSRF_Split() {
	split, err := spectral.SRF{A: 3, P: 1}.Split(4, 8, spectral.Independent)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := spectral.Frequencies(split.Parts[0].Of, spectral.Orthogonal{}, 4, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Shape())
	// Output: (4, 8)
}

// Features of (½ x·z + ½)³: products of up to three projections on random signs.
func ExampleDrawProducts() {
	w, degrees, scales, err := spectral.DrawProducts(spectral.SpherePolynomial{A: 2, P: 3}, 5, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("degrees %v, scales %.3f, signs %v\n", degrees, scales[:2], w.Shape())
	// Output: degrees [1 0 2 1 0 1 0 1], scales [1.186 0.484], signs (5, 24)
}

// Two sketches of vectors of three coordinates in eight buckets.
func ExampleDrawCountSketches() {
	buckets, signs, err := spectral.DrawCountSketches(2, 3, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("buckets\n%.0f\nsigns\n%.0f\n", buckets, signs)
	// Output:
	// buckets
	// ⎡4  7  7⎤
	// ⎣3  6  0⎦
	//
	// signs
	// ⎡ 1   1   1⎤
	// ⎣ 1   1  -1⎦
}
