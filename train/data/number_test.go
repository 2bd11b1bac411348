package data

import (
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
		{"1e3", 1000, sound}, {"1E-300", 1e-300, sound}, {"5e-324", 5e-324, sound}, {"0e999", 0, sound}, {"-0.000", 0, sound},
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

// The short path must give the bits of strconv.
func TestShortDecimalIsCorrectlyRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		digits := strconv.FormatInt(rng.Int64N(int64(pow10[1+rng.IntN(15)])), 10)
		at := rng.IntN(len(digits) + 1)
		text := digits[:at] + "." + digits[at:]
		got, ok := shortDecimal(text)
		if want, _ := strconv.ParseFloat(text, 64); !ok || got != want {
			t.Fatalf("shortDecimal(%q) = %v, %v; want %v", text, got, ok, want)
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
