package cli

import (
	"fmt"
	"os"

	"github.com/bochner-go/bochner/train/data"
)

// MaxSpill is the most that -spill takes, in GB.
const MaxSpill = 1e6

// SpillBytes is what -spill asks for in GB, as data.StreamOptions.SpillBytes.
func SpillBytes(gb float64) int64 {
	if gb == 0 {
		return -1
	}
	return max(1, int64(gb*1e9))
}

// TellSpill says where a stream keeps the rows that its survey has parsed, and how large that is, or why it does not.
func TellSpill(s *data.Stream) {
	switch bytes, why := s.Spilled(); {
	case why != nil:
		fmt.Fprintln(os.Stderr, why)
	case bytes > 0:
		fmt.Fprintf(os.Stderr, "rows are parsed once: %.3g GB of numbers are kept in %s until the program ends; -spill 0 parses them in every pass\n", float64(bytes)/1e9, os.TempDir())
	}
}
