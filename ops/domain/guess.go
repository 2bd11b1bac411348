package domain

import (
	"fmt"
	"unicode/utf8"
)

// Guess returns the question ` (did you mean "x"?)` for a name that is not in names, where x is the nearest of them. It
// returns "" if x differs from name by more than two letters, or by half of its letters.
func Guess(name string, names []string) string {
	best, least := "", min(2, (utf8.RuneCountInString(name)-1)/2)+1
	for _, n := range names {
		if d := edits(name, n); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// edits is the Levenshtein distance: the least number of letters to insert, delete or change.
func edits(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for _, c := range a {
		diagonal := row[0]
		row[0]++
		for j, d := range to {
			change := diagonal
			if c != d {
				change++
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, change)
		}
	}
	return row[len(to)]
}
