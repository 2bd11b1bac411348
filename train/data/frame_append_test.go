package data

import (
	"slices"
	"testing"
	"time"
)

// TestAppendExact: a name that is a long number keeps its digits, and a time after a gap is one.
func TestAppendExact(t *testing.T) {
	const long = "9007199254740993" // 2^53 + 1
	f := must(NewFrame("id", "when"))
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range [][]any{{nil, nil}, {long, day}, {"7", nil}, {long, day.Add(24 * time.Hour)}} {
		mustDo(f.Append(row...))
	}
	var ids []string
	for i := range f.Rows() {
		ids = append(ids, f.columns[0].text(i))
	}
	if want := []string{"", long, "7", long}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
	if c := f.columns[1]; !c.Times || !c.gap(0) || c.Numbers[1] != timeDays(day) || c.Numbers[3] != timeDays(day)+1 {
		t.Errorf("the times are %+v", c)
	}
}
