package data

import (
	"math"
	"reflect"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestSyntheticHistograms: the same seed makes the same rows, which are counts of 80 words in six equal classes.
func TestSyntheticHistograms(t *testing.T) {
	a, b, other := SyntheticHistograms(1), SyntheticHistograms(1), SyntheticHistograms(2)
	if !reflect.DeepEqual(a.X.(*tensor.Dense).Float64s(), b.X.(*tensor.Dense).Float64s()) || !reflect.DeepEqual(a.Labels, b.Labels) {
		t.Error("the same seed makes other rows")
	}
	if reflect.DeepEqual(a.X.(*tensor.Dense).Float64s(), other.X.(*tensor.Dense).Float64s()) {
		t.Error("another seed makes the same rows")
	}
	classes := NewClasses(a.Labels)
	if a.Rows() != 5000 || a.Dims() != 60 || !reflect.DeepEqual([]string(classes), []string{"a1", "a2", "b1", "b2", "c1", "c2"}) {
		t.Errorf("%d rows, %d columns, classes %v", a.Rows(), a.Dims(), classes)
	}
	for i := range a.Rows() {
		sum := 0.0
		for _, v := range a.X.(*tensor.Dense).Float64s()[i*60 : (i+1)*60] {
			if sum += v; v < 0 || v != math.Trunc(v) {
				t.Fatalf("row %d holds %v", i, v)
			}
		}
		if sum != 80 {
			t.Fatalf("row %d has %v words", i, sum)
		}
	}
	seen := map[string]int{}
	for _, l := range a.Labels {
		seen[l]++
	}
	for class, n := range seen {
		if n != 833 && n != 834 {
			t.Errorf("%d rows of class %s", n, class)
		}
	}
}

// TestMeansOfPairs: the two classes of a pair have equal mean histograms, so no linear function of the counts separates
// them. A mean over 833 rows has a variance of at most the Poisson variance plus the variance of the share of the topics, which for
// a count c of one topic is below c²/4.
func TestMeansOfPairs(t *testing.T) {
	set := SyntheticHistograms(1)
	sums := map[string][]float64{}
	for i, l := range set.Labels {
		if sums[l] == nil {
			sums[l] = make([]float64, 60)
		}
		for j, v := range set.X.(*tensor.Dense).Float64s()[i*60 : (i+1)*60] {
			sums[l][j] += v / 833.5
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

// TestSyntheticBags: the same seed makes the same sets, in the unit square, and the classes have the same first two moments,
// so that it takes more to tell them apart: the mean of 333 sets of 60 samples and more, with a standard deviation of
// .087 of their centres and .09 within, and of variances with relative standard deviations of at most √2/√60.
func TestSyntheticBags(t *testing.T) {
	sets := make([]*Set, 3)
	for i, seed := range []uint64{1, 1, 2} {
		sets[i] = must(SyntheticBags(seed))
	}
	a, b := sets[0].X.(*ops.Bags), sets[1].X.(*ops.Bags)
	if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(sets[0].Labels, sets[1].Labels) || reflect.DeepEqual(a, sets[2].X) {
		t.Error("the sets differ between runs of one seed")
	}
	mean, variance := map[string]float64{}, map[string]float64{}
	for i, label := range sets[0].Labels {
		x := a.Bag(i).Float64s()
		if n := len(x) / 2; n < 60 || n >= 120 {
			t.Errorf("set %d has %d samples", i, n)
		}
		m, square := 0.0, 0.0
		for _, v := range x {
			if v < 0 || v > 1 {
				t.Errorf("set %d has the coordinate %v", i, v)
			}
			m += v / float64(len(x))
		}
		for k := range x {
			axis := 0.0 // the mean of this coordinate
			for j := k % 2; j < len(x); j += 2 {
				axis += 2 * x[j] / float64(len(x))
			}
			square += (x[k] - axis) * (x[k] - axis) / float64(len(x)-2)
		}
		mean[label] += m / 333.3
		variance[label] += square / 333.3
	}
	for label := range mean {
		if math.Abs(mean[label]-.5) > 4*.125/math.Sqrt(333)+.002 || math.Abs(variance[label]/.0081-1) > 4*.19/math.Sqrt(333)+.01 {
			t.Errorf("class %s: mean %v, variance %v, want .5 and .0081", label, mean[label], variance[label])
		}
	}
}
