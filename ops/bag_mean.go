package ops

import (
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
)

// BagMean is the mean of the rows of each bag of z, 1/N_i Σ_s z_s. z is [N, D]; bag i has the rows offsets[i] to
// offsets[i+1], which are fixed in the graph; the result is [n, D]. For features of a kernel it is the feature map of
// the mean embedding, whose squared distances are the squared maximum mean discrepancy. Gretton et al. (2012), A kernel
// two-sample test.
//
// Backward: dz_s = g_i/N_i for every row s of bag i. Errors while building: offsets, shapes.
func BagMean(offsets []int, a Attr) Op {
	return Op{decl: &bagMean, attr: a, params: slices.Clone(offsets)}
}

var bagMean = decl{kind: "BagMean", sig: parse("ND->nD"), names: []string{"z"}, in: []Inputs{X}, unchecked: true,
	check: func(c *call) error {
		offsets := c.params.([]int)
		c.set('n', len(offsets)-1)
		return checkOffsets(c.who(), offsets, c.at('N'))
	},
	forward:  kernel{meansOfBags[float32], meansOfBags[float64]},
	backward: kernel{spreadBags[float32], spreadBags[float64]}}

// meansOfBags sums in float64.
func meansOfBags[T domain.Float](c *call) error {
	dst, z, d, offsets := result[T](c), cells[T](c, 0), c.at('D'), c.params.([]int)
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
	return nil
}

// spreadBags gives g_i/N_i to every row of bag i.
func spreadBags[T domain.Float](c *call) error {
	dst, g, d, offsets := gradientFor[T](c, 0), gradientOf[T](c), c.at('D'), paramsOf[[]int](c)
	for i, lo := range offsets[:len(offsets)-1] {
		share := 1 / T(offsets[i+1]-lo)
		for s := lo; s < offsets[i+1]; s++ {
			for j, v := range g[i*d : i*d+d] {
				dst[s*d+j] = share * v
			}
		}
	}
	return nil
}
