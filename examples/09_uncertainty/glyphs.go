package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// glyphs are the ten digits, five columns by seven rows.
var glyphs = strings.Fields(`
.###.|#...#|#..##|#.#.#|##..#|#...#|.###.
..#..|.##..|..#..|..#..|..#..|..#..|.###.
.###.|#...#|....#|...#.|..#..|.#...|#####
#####|...#.|..#..|...#.|....#|#...#|.###.
...#.|..##.|.#.#.|#..#.|#####|...#.|...#.
#####|#....|####.|....#|....#|#...#|.###.
..##.|.#...|#....|####.|#...#|#...#|.###.
#####|....#|...#.|..#..|.#...|.#...|.#...
.###.|#...#|#...#|.###.|#...#|#...#|.###.
.###.|#...#|#...#|.####|....#|...#.|.##..`)

const (
	side    = 8
	learned = 8 // digits that a model learns, the others it has not seen
	each    = 150
)

// write makes pictures of some digits, shifted by up to a pixel and a half, dimmed, with noise, and their places in the
// list.
func write(digits []int, n int, rng *rand.Rand) (*tensor.Dense, []int) {
	x, labels := make([]float64, 0, n*side*side), make([]int, n)
	for i := range labels {
		labels[i] = i % len(digits)
		glyph := strings.Split(glyphs[digits[labels[i]]], "|")
		down, right, light := 2*rng.Float64()-.5, 3*rng.Float64(), .6+.4*rng.Float64()
		ink := func(r, c int) float64 {
			if r < 0 || c < 0 || r >= len(glyph) || c >= len(glyph[0]) || glyph[r][c] != '#' {
				return 0
			}
			return light
		}
		for r := range side {
			for c := range side {
				u, v := float64(r)-down, float64(c)-right
				r0, c0 := int(math.Floor(u)), int(math.Floor(v))
				u, v = u-float64(r0), v-float64(c0)
				x = append(x, (1-u)*((1-v)*ink(r0, c0)+v*ink(r0, c0+1))+u*((1-v)*ink(r0+1, c0)+v*ink(r0+1, c0+1))+.15*rng.NormFloat64())
			}
		}
	}
	return rows(x, side*side), labels
}

// unseen prints how well each way to probabilities tells unseen digits from those that were learned.
func unseen() {
	const pairs, control = 5, 1
	ways := []string{"softmax", "softmax, temperature (the control)", "Laplace", "Laplace, temperature"}
	auroc, nll, ece := make([][]float64, len(ways)), make([][]float64, len(ways)), make([][]float64, len(ways))
	for pair := range pairs {
		others := []int{2 * pair, 2*pair + 1}
		var digits []int
		for d := range glyphs {
			if !slices.Contains(others, d) {
				digits = append(digits, d)
			}
		}
		of, ofOthers, labels := probabilities(digits, others, uint64(pair))
		for i := range ways {
			auroc[i] = append(auroc[i], above(entropies(ofOthers[i]), entropies(of[i])))
			nll[i] = append(nll[i], must.Get(calibrate.NLL(of[i], labels)))
			ece[i] = append(ece[i], must.Get(calibrate.ECE(of[i], labels, 0)))
		}
	}
	title(fmt.Sprintf("Entropy of the predicted classes: AUROC of unseen digits against learned ones, mean of %d pairs of unseen digits; NLL and ECE of the learned ones", pairs),
		"probabilities", "AUROC", "less the control's, ± its standard error", "NLL", "ECE")
	mean := func(v []float64) float64 { return stat.Mean(v, nil) }
	for i, way := range ways {
		off := floats.SubTo(make([]float64, pairs), auroc[i], auroc[control])
		gain := fmt.Sprintf(" | %+.4f ± %.4f", mean(off), stat.StdErr(stat.StdDev(off, nil), pairs))
		if i == control {
			gain = " | "
		}
		line(fmt.Sprintf("%s | %s%s", way, short("%.3f", mean(auroc[i])), gain), "%.3f", mean(nll[i]), mean(ece[i]))
	}
	fmt.Println()
	claim(mean(nll[control]) < mean(nll[0]), "with temperature the NLL is %.3f, without %.3f", mean(nll[control]), mean(nll[0]))
}

// probabilities are those of learned and of unseen digits, one matrix for each way, and the classes of the learned
// ones.
func probabilities(digits, others []int, seed uint64) (of, ofOthers []*mat.Dense, labels []int) {
	const features = 256
	rng := rand.New(rand.NewPCG(seed, 4))
	x, y := write(digits, each*learned, rng)
	held, heldLabels := write(digits, 50*learned, rng)
	test, labels := write(digits, 50*learned, rng)
	strange, _ := write(others, 50*learned, rng)

	m := gaussian(4, side*side, features, seed)
	examples := data.Pairs{X: x, Y: must.Get(data.OneVersusRest(y, learned))}
	fit := must.Get(linear.FitLogistic(ctx, m, examples, linear.LogisticOptions{}))
	laplace := must.Get(linear.FitLaplace(ctx, m, examples, fit, linear.LaplaceOptions{}))
	zs := make([]*tensor.Dense, 3)
	for i, x := range []*tensor.Dense{held, test, strange} {
		zs[i] = must.Get(m.Transform(nil, x))
	}
	logits := func(z *tensor.Dense) *mat.Dense {
		n, d := z.Shape()[0], z.Shape()[1]
		out := new(mat.Dense)
		out.Mul(mat.NewDense(n, d, z.Float64s()), fit.W)
		out.Apply(func(_, c int, v float64) float64 { return v + fit.B[c] }, out)
		return out
	}
	bayes := func(z *tensor.Dense) *mat.Dense {
		return must.Get(calibrate.LogProbabilities(must.Get(laplace.Probabilities(z))))
	}
	for _, scores := range []func(*tensor.Dense) *mat.Dense{logits, bayes} {
		warm := must.Get(calibrate.Fit(calibrate.Temperature, scores(zs[0]), heldLabels))
		as := func(f func(*mat.Dense) *mat.Dense) {
			of, ofOthers = append(of, f(scores(zs[1]))), append(ofOthers, f(scores(zs[2])))
		}
		as(softmax)
		as(func(s *mat.Dense) *mat.Dense { return must.Get(warm.Probabilities(s)) })
	}
	return of, ofOthers, labels
}

// softmax is that of each row.
func softmax(s *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(s)
	n, _ := s.Dims()
	for i := range n {
		row := out.RawRowView(i)
		top, sum := slices.Max(row), 0.
		for c := range row {
			row[c] = math.Exp(row[c] - top)
			sum += row[c]
		}
		for c := range row {
			row[c] /= sum
		}
	}
	return out
}

// entropies has one number for each row, in nats.
func entropies(p *mat.Dense) []float64 {
	n, _ := p.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = stat.Entropy(p.RawRowView(i))
	}
	return out
}

// above is the area under the receiver operating characteristic: the share of pairs in which the first is the larger
// one, and half of those that are equal.
func above(a, b []float64) float64 {
	sum := 0.
	for _, a := range a {
		for _, b := range b {
			switch {
			case a > b:
				sum++
			case a == b:
				sum += .5
			}
		}
	}
	return sum / float64(len(a)*len(b))
}
