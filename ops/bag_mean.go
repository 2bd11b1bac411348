package ops

import (
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BagMean is the mean of the rows of each bag, 1/N_i Σ_s z_s. z is [N, D]; bag i has the rows offsets[i] to
// offsets[i+1], which are fixed in the graph; the result is [n, D]. For features of a kernel it is the feature map of
// the mean embedding, whose squared distances are the squared maximum mean discrepancy. Gretton et al. (2012), A kernel
// two-sample test.
//
// Backward: dz_s = g_i/N_i for every row s of bag i. Errors while building: offsets, shapes.
func BagMean(z *G.Node, offsets []int, a Attr) (*G.Node, error) {
	offsets = slices.Clone(offsets)
	return apply(&op{kind: "BagMean", params: offsets, in: []Inputs{X}, ranks: "22", attr: a,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if err := checkOffsets(a.who("BagMean"), offsets, in[0][0]); err != nil {
				return nil, err
			}
			return tensor.Shape{len(offsets) - 1, in[0][1]}, nil
		},
		forward:  func(_ Matrix, in []*tensor.Dense) (Matrix, error) { return BagMeanInto(nil, in[0], offsets, a) },
		backward: func(t *tracer) { t.gradient(X, bagSpread(offsets), t.grad) },
	}, z)
}

// BagMeanInto writes the means of the bags of z [N, D] to dst [n, D], allocated if nil, without a graph. Sums are in
// float64.
func BagMeanInto(dst, z *tensor.Dense, offsets []int, a Attr) (*tensor.Dense, error) {
	who := a.who("BagMean")
	z, err := matrixOf(who, "z", "[N, D]", z)
	if err != nil {
		return nil, err
	}
	if err := checkOffsets(who, offsets, z.Shape()[0]); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, z.Dtype(), len(offsets)-1, z.Shape()[1]); err != nil {
		return nil, err
	}
	typed(z.Dtype(), bagMean[float32], bagMean[float64])(dst, z, offsets)
	return dst, nil
}

func bagMean[T domain.Float](means, rows *tensor.Dense, offsets []int) {
	dst, z, d := data[T](means), data[T](rows), rows.Shape()[1]
	sum := make([]float64, d)
	for i, lo := range offsets[:len(offsets)-1] {
		clear(sum)
		for s := lo; s < offsets[i+1]; s++ {
			for j, v := range z[s*d : s*d+d] {
				sum[j] += float64(v)
			}
		}
		for j, v := range sum {
			dst[i*d+j] = T(v / float64(offsets[i+1]-lo))
		}
	}
}

// bagSpread gives g_i/N_i to every row of bag i.
func bagSpread(offsets []int) *op {
	const kind = "gradient of BagMean"
	return &op{kind: kind, params: offsets, ranks: "22",
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if in[0][0] != len(offsets)-1 {
				return nil, misfit(kind, in)
			}
			return tensor.Shape{offsets[len(offsets)-1], in[0][1]}, nil
		},
		fill: func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(out.Dtype(), spreadBags[float32], spreadBags[float64])(out, in[0], offsets)
			return nil
		}}
}

func spreadBags[T domain.Float](rows, means *tensor.Dense, offsets []int) {
	dst, g, d := data[T](rows), data[T](means), rows.Shape()[1]
	for i, lo := range offsets[:len(offsets)-1] {
		share := 1 / T(offsets[i+1]-lo)
		for s := lo; s < offsets[i+1]; s++ {
			for j, v := range g[i*d : i*d+d] {
				dst[s*d+j] = share * v
			}
		}
	}
}
