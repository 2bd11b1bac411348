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

// TellSpill says where rows are kept that were parsed, if they are those of a stream, and how large that is, or why
// they are not.
func TellSpill(rows data.Source) {
	s, ok := rows.(*data.Stream)
	if !ok {
		return
	}
	bytes, why := s.Spilled()
	size := fmt.Sprintf("%d bytes", bytes)
	if bytes >= 1e6 {
		size = fmt.Sprintf("%.4g GB", float64(bytes)/1e9)
	}
	switch {
	case why != nil:
		fmt.Fprintf(os.Stderr, "%v; -spill says how many GB may be kept\n", why)
	case bytes > 0:
		fmt.Fprintf(os.Stderr, "rows are parsed once: %s of numbers are kept in %s until the program ends; -spill 0 parses them in every pass\n", size, os.TempDir())
	}
}
