package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		v    float64
		f    flaw
	}{
		{"0", 0, sound}, {"7", 7, sound}, {"-7.25", -7.25, sound}, {"+3", 3, sound}, {".5", .5, sound}, {"5.", 5, sound},
		{"0.1", 0.1, sound}, {"123456789012345", 123456789012345, sound}, {"0.30000000000000004", 0.30000000000000004, sound},
		{"1e3", 1000, sound}, {"+1.5E+2", 150, sound}, {"1e", 0, noNumber}, {"1e+", 0, noNumber}, {"e5", 0, noNumber}, {"1.5x", 0, noNumber}, {"1 ", 0, noNumber},
		{"000000000000000000000000.50", .5, sound}, {"12345678901234567890123", 12345678901234567890123, sound}, {"1e00000000000000000001", 10, sound},
		{"0.000000000000000000000000000000000001", 1e-36, sound}, {"1E-300", 1e-300, sound}, {"5e-324", 5e-324, sound}, {"0e999", 0, sound}, {"-0.000", 0, sound},
		{"", 0, noNumber}, {"-", 0, noNumber}, {".", 0, noNumber}, {"+", 0, noNumber}, {"1.2.3", 0, noNumber}, {"1,5", 0, noNumber},
		{"abc", 0, noNumber}, {"1 2", 0, noNumber}, {"0x10", 0, noNumber}, {"0x1p-2", 0, noNumber}, {"0x1p99999", 0, noNumber},
		{"0x_1p4", 0, noNumber}, {"1_000", 0, noNumber}, {"１", 0, noNumber}, {"--1", 0, noNumber}, {"1\x00", 0, noNumber},
		{"nan", math.NaN(), notFinite}, {"-NaN", math.NaN(), notFinite}, {"inf", math.Inf(1), notFinite}, {"-Infinity", math.Inf(-1), notFinite},
		{"1e999", math.Inf(1), overflows}, {"-1e309", math.Inf(-1), overflows}, {"1e-999", 0, vanishes}, {"-2e-324", 0, vanishes},
	} {
		v, f := number(c.text)
		if f != c.f || (f != noNumber && v != c.v && v == v) {
			t.Errorf("number(%q) = %v, %d; want %v, %d", c.text, v, f, c.v, c.f)
		}
	}
	if v, _ := number("-0"); !math.Signbit(v) {
		t.Error("-0 lost its sign")
	}
}

// TestDecimalIsCorrectlyRounded: the bits of strconv, for random digits and for numbers halfway between two of float64,
// and beside them.
func TestDecimalIsCorrectlyRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(w uint64, e int) {
		digits := strconv.FormatUint(w, 10)
		at := rng.IntN(len(digits) + 1)
		whole, fraction := digits[:at], digits[at:]
		for _, text := range []string{whole + "." + fraction, fmt.Sprintf("-%se%+03d", digits, e), fmt.Sprintf("%s.%sE%d", whole, fraction, e)} {
			got, length := decimal(text + " ")
			if want, _ := strconv.ParseFloat(text, 64); length != len(text) || math.Float64bits(got) != math.Float64bits(want) {
				if length == 0 && (len(digits) > 19 || e-len(digits) < -exactPowers || e > exactPowers) {
					continue // left to strconv
				}
				t.Fatalf("decimal(%q) = %v, %d; want %v", text, got, length, want)
			}
		}
	}
	for range 20000 {
		w, e := rng.Uint64()>>rng.IntN(64), rng.IntN(61)-30
		check(w, e)
		half := (1<<53 + rng.Uint64N(1<<53)) | 1 // of 54 bits
		for _, near := range []uint64{half << rng.IntN(11), half - 1, half, half + 1} {
			check(near, e)
		}
		// The fraction of so many bits that ends in a half unit.
		if k := 1 + rng.IntN(3); half < math.MaxUint64/1000 {
			check(half*[]uint64{5, 25, 125}[k-1], -k)
		}
	}
}

func TestNumberAllocatesNothing(t *testing.T) {
	for _, text := range []string{"17", "-0.731854", "1.2345678901234567e-5"} {
		b := []byte(text)
		if n := testing.AllocsPerRun(100, func() { number(string(b)) }); n != 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range [][2]string{
		{"1", "1"}, {"+1", "1"}, {"1.0", "1"}, {"01", "1"}, {"1e0", "1"}, {"-1", "-1"}, {"-1.00", "-1"}, {"-0", "0"}, {"+0.0", "0"}, {"000", "0"},
		{"0.50", "0.5"}, {"1e3", "1000"}, {"1e20", "100000000000000000000"}, {"100000000000000000000", "100000000000000000000"},
		{"9007199254740993", "9007199254740993"}, // would round in float64
		{"1e300", "1e+300"}, {"cat", "cat"}, {"0x10", "0x10"}, {"+-1", "+-1"}, {"+", "+"}, {"e", "e"},
	} {
		if got, f := canonical(c[0]); got != c[1] || f != sound {
			t.Errorf("canonical(%q) = %q, %d; want %q", c[0], got, f, c[1])
		}
	}
	for text, want := range map[string]flaw{"NaN": notFinite, "-inf": notFinite, "1e999": overflows, "1e-999": vanishes} {
		if _, f := canonical(text); f != want {
			t.Errorf("canonical(%q) has flaw %d, want %d", text, f, want)
		}
	}
}
