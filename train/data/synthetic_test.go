package data

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops"
)

// TestSyntheticSeeds: the seed decides the rows.
func TestSyntheticSeeds(t *testing.T) {
	for name, make := range map[string]func(uint64) *Set{
		"histograms": SyntheticHistograms, "bags": func(seed uint64) *Set { return must(SyntheticBags(seed)) },
	} {
		rows := func(seed uint64) [][]float64 { return eachRow(make(seed).X) }
		if a := rows(1); !slices.EqualFunc(a, rows(1), slices.Equal) || slices.EqualFunc(a, rows(2), slices.Equal) {
			t.Errorf("%s: the same seed makes other rows, or another the same", name)
		}
	}
}

// TestSyntheticHistograms: the rows are counts of 80 words in six equal classes, and the two classes of a pair have equal
// mean histograms, so that no linear function of the counts separates them. A mean over 833 rows has a variance of at
// most the Poisson variance plus the variance of the share of the topics, which for a count c of one topic is below c²/4.
func TestSyntheticHistograms(t *testing.T) {
	set := SyntheticHistograms(1)
	rows, sums := map[string]float64{}, map[string][]float64{}
	for i, row := range eachRow(set.X) {
		words, l := 0.0, set.Labels[i]
		if rows[l]++; sums[l] == nil {
			sums[l] = make([]float64, 60)
		}
		for j, v := range row {
			sums[l][j] += v / 833.5
			if words += v; v < 0 || v != math.Trunc(v) {
				t.Fatalf("row %d holds %v", i, v)
			}
		}
		if words != 80 {
			t.Fatalf("row %d has %v words", i, words)
		}
	}
	if set.Rows() != 5000 || !slices.Equal(NewClasses(set.Labels), []string{"a1", "a2", "b1", "b2", "c1", "c2"}) {
		t.Errorf("%d rows, classes %v", set.Rows(), NewClasses(set.Labels))
	}
	for class, n := range rows {
		if n != 833 && n != 834 {
			t.Errorf("%v rows of class %s", n, class)
		}
	}
	for _, pair := range []string{"a", "b", "c"} {
		for j, m := range sums[pair+"1"] {
			n := sums[pair+"2"][j]
			top := 2 * max(m, n) // the larger of the two topics' means is at most twice the mean of the mix
			if tolerance := 4 * math.Sqrt(2*(top+top*top/4)/833); math.Abs(m-n) > tolerance {
				t.Errorf("pair %s, word %d: means %v and %v, more than %v apart", pair, j, m, n, tolerance)
			}
		}
	}
}

// TestSyntheticBags: the sets are in the unit square, and the classes have the same first two moments, so that it takes
// more to tell them apart: the mean of 333 sets of 60 samples and more, with a standard deviation of .087 of their centres
// and .09 within, and of variances with relative standard deviations of at most √2/√60.
func TestSyntheticBags(t *testing.T) {
	set := must(SyntheticBags(1))
	mean, variance := map[string]float64{}, map[string]float64{}
	for i, x := range eachRow(set.X) {
		n := len(x) / 2
		if n < 60 || n >= 120 || slices.Min(x) < 0 || slices.Max(x) > 1 {
			t.Errorf("set %d has %d samples from %v to %v", i, n, slices.Min(x), slices.Max(x))
		}
		for axis := range 2 {
			sum, square := 0.0, 0.0
			for k := axis; k < len(x); k += 2 {
				sum, square = sum+x[k], square+x[k]*x[k]
			}
			mean[set.Labels[i]] += sum / float64(n) / 2 / 333.3
			variance[set.Labels[i]] += (square - sum*sum/float64(n)) / float64(n-1) / 2 / 333.3
		}
	}
	if set.Rows() != 1000 || set.X.(*ops.Bags).Axes() != 2 || len(mean) != 3 {
		t.Errorf("%d sets of %d classes", set.Rows(), len(mean))
	}
	for label := range mean {
		if math.Abs(mean[label]-.5) > 4*.125/math.Sqrt(333)+.002 || math.Abs(variance[label]/.0081-1) > 4*.19/math.Sqrt(333)+.01 {
			t.Errorf("class %s: mean %v, variance %v, want .5 and .0081", label, mean[label], variance[label])
		}
	}
}
