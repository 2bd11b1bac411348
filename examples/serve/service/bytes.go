package service

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// byteCount is a number of bytes, as 500000000, 500MB or 512MiB.
type byteCount int64

var units = map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}

// UnmarshalText reads a number and one of the units.
func (b *byteCount) UnmarshalText(text []byte) error {
	digits := strings.TrimRight(string(text), "BKMGTibkmgt ")
	unit, known := units[strings.ToLower(strings.TrimSpace(string(text[len(digits):])))]
	n, err := strconv.ParseFloat(digits, 64)
	if n *= unit; err != nil || !known || !(math.Abs(n) < 1<<62) || n != math.Trunc(n) {
		return fmt.Errorf("%q is not a number of bytes; write 500000000, 500MB or 512MiB", text)
	}
	*b = byteCount(n)
	return nil
}
