package clitest

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// Words draws n bags of so many words out of d, as LIBSVM text with the counts of the words that are there. Of the two
// classes one has more words of the first half of the dictionary, the other of the second.
func Words(n, d, words int, seed uint64) string {
	rng, text := rand.New(rand.NewPCG(seed, 1)), []byte(nil)
	bag := make([]int, words)
	for i := range n {
		second := i%2 == 1
		for k := range bag {
			bag[k] = rng.IntN(d / 2)
			if (rng.IntN(10) < 8) == second {
				bag[k] += d - d/2
			}
		}
		slices.Sort(bag)
		text = append(text, "ab"[i%2])
		for k := 0; k < words; {
			times := 1
			for k+times < words && bag[k+times] == bag[k] {
				times++
			}
			text = append(text, ' ')
			text = strconv.AppendInt(text, int64(bag[k]+1), 10)
			text = append(text, ':')
			text = strconv.AppendInt(text, int64(times), 10)
			k += times
		}
		text = append(text, '\n')
	}
	return string(text)
}
