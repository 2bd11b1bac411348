package data

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// Shuffle returns the numbers 0..n-1 in a random order that the seed determines. It panics when n is negative or so
// large that memory cannot hold the numbers.
func Shuffle(n int, seed uint64) []int { return order("shuffle", n, seed) }

// Split holds out round(fraction·n) of the rows 0..n-1, drawn without replacement; the others are for training. Both
// lists ascend. It panics as Shuffle does, and when fraction is not in [0, 1].
func Split(n int, fraction float64, seed uint64) (train, held []int) {
	checkFraction(fraction)
	rows := order("split", n, seed)
	k := int(math.Round(fraction * float64(n)))
	held, train = rows[:k:k], rows[k:]
	slices.Sort(held)
	slices.Sort(train)
	return train, held
}

// SplitStratified is Split with each class in proportion: it holds out ⌊fraction·m⌋ or ⌈fraction·m⌉ rows of a class of
// m rows, and round(fraction·n) in all. Unless fraction is 1, each class keeps at least one row for training, which may
// lower the total. Classes are numbered as by Classes.Index. It panics when fraction is not in [0, 1].
func SplitStratified(classes []int, fraction float64, seed uint64) (train, held []int) {
	checkFraction(fraction)
	members := make(map[int][]int)
	for _, row := range order("split", len(classes), seed) {
		members[classes[row]] = append(members[classes[row]], row)
	}
	before, due := 0, 0 // rows in the classes so far, and how many of them were to be held out
	for _, c := range slices.Sorted(maps.Keys(members)) {
		// Rounding the running total spreads the rounding error over the classes.
		rows := members[c]
		before += len(rows)
		total := int(math.Round(fraction * float64(before)))
		k := total - due
		due = total
		if fraction < 1 {
			k = min(k, len(rows)-1)
		}
		held = append(held, rows[:k]...)
		train = append(train, rows[k:]...)
	}
	slices.Sort(held)
	slices.Sort(train)
	return train, held
}

func checkFraction(f float64) {
	if !(f >= 0 && f <= 1) {
		panic(fmt.Sprintf("data: the fraction %v is not in [0, 1]", f))
	}
}

// order permutes 0..n-1 by the random stream of that name under a seed.
func order(name string, n int, seed uint64) []int {
	if n < 0 {
		panic(fmt.Sprintf("data: %d rows to put in order", n))
	}
	if err := domain.CheckSize("data: an order of rows", 8, n); err != nil {
		panic(err.Error())
	}
	return rand.New(spectral.Stream(seed, "data/"+name)).Perm(n)
}
