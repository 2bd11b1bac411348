package flags

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train/cmd/program"
)

// TestParse: what is wrong with a flag is a UsageError that points to -h; what was set is known.
func TestParse(t *testing.T) {
	parse := func(args ...string) (map[string]bool, error) {
		fs := flag.NewFlagSet("prog", flag.ContinueOnError)
		fs.Int("n", 3, "a `number`")
		fs.Bool("v", false, "more")
		err := Parse(fs, "prog does this.", args)
		return Given(fs), err
	}
	if given, err := parse("-n", "3"); err != nil || !given["n"] || given["v"] || len(given) != 1 {
		t.Errorf("-n 3: %v, %v", given, err)
	}
	for _, args := range [][]string{{"-n"}, {"-n", "x"}, {"-m", "3"}, {"more"}, {"-v", "--", "-n"}} {
		var usage *program.UsageError
		if _, err := parse(args...); !errors.As(err, &usage) || !strings.HasSuffix(err.Error(), "; -h lists the flags") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := parse("-h"); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}
