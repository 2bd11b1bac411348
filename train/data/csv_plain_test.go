package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bochner-go/bochner/ops/domain"
)

// outcome is all that comes of reading text as CSV in pieces of so many rows, as one text. Each line goes through
// encoding/csv where plain is false.
func outcome(r io.Reader, size int, o Options, plain bool, piece int) string {
	var out strings.Builder
	o.Tell = func(note string) { fmt.Fprintln(&out, "told:", note) }
	s, err := open(r, "f.csv", o, true)
	if err != nil {
		return err.Error()
	}
	s.size = int64(size)
	file, err := newCSV(s)
	if err != nil {
		return err.Error()
	}
	p := file.(*csvFile)
	for n := piece; n == piece; {
		if plain {
			n, err = p.more(piece)
		} else {
			for n, p.want = 0, piece; n < piece && !p.ended && err == nil; n = p.rows {
				line, record, e := p.records.read()
				if p.ended = e == io.EOF; p.ended {
					err = p.finish()
				} else if err = e; err == nil {
					err = p.record(line, record)
				}
			}
		}
		if err != nil {
			fmt.Fprintln(&out, "error:", err, errors.Is(err, ErrFormat), errors.Is(err, ErrTooLarge), errors.Is(err, domain.ErrDomain), errors.Is(err, domain.ErrShape))
			return out.String()
		}
		if p.rows == 0 {
			break
		}
		if o.frames {
			f := p.frame()
			for j, c := range f.columns {
				fmt.Fprintf(&out, "%q of lines %v: %v %v\n", f.Names[j], f.lines, c.Times, c.skipped())
				for i := range c.Len() {
					fmt.Fprintf(&out, "%v %q ", c.gap(i), c.text(i))
				}
				for _, v := range c.Numbers {
					fmt.Fprintf(&out, "%#x ", math.Float64bits(v))
				}
			}
			fmt.Fprintf(&out, "%q %v %q\n", f.Labels, f.Y, f.IDs)
			continue
		}
		set, err := p.take(0, false)
		if err != nil {
			return err.Error()
		}
		for _, v := range cells(set) {
			fmt.Fprintf(&out, "%#x ", math.Float64bits(v))
		}
		fmt.Fprintf(&out, "%v %q %v %q %q\n", set.X.Shape(), set.Labels, set.Y, set.Names, set.LabelNames)
	}
	return out.String()
}

// samePlain checks that plain lines make of a text what encoding/csv makes.
func samePlain(t *testing.T, text []byte, how uint) {
	t.Helper()
	o := Options{Label: Label(how % 3), Task: Task(how / 3 % 2), Header: Header(how / 6 % 3), MaxCells: []int{0, 20}[how/18%2], ID: []string{"", "2"}[how/36%2],
		Delimiter: []rune{0, ',', ';', ' ', '5'}[how/72%5], frames: how/360%2 == 1}
	piece := []int{math.MaxInt, 1, 3}[how/720%3]
	want := outcome(bytes.NewReader(text), len(text), o, false, piece)
	if got := outcome(bytes.NewReader(text), len(text), o, true, piece); got != want {
		t.Fatalf("%q with %+v in pieces of %d:\n%s\nwant\n%s", text, o, piece, got, want)
	}
	if got := outcome(iotest.OneByteReader(bytes.NewReader(text)), len(text), o, true, piece); got != want {
		t.Fatalf("%q with %+v in pieces of %d, byte by byte:\n%s\nwant\n%s", text, o, piece, got, want)
	}
}

func FuzzPlainLines(f *testing.F) {
	for i, c := range tableCases {
		f.Add(uint(i*37), []byte(c.text))
	}
	f.Add(uint(2), []byte("a,b\r\n1,2\r\n\r\n 3 ,\"4\"\r\n-5.5,6e-3\n7,\"8\n\"\n9,x"))
	f.Fuzz(func(t *testing.T, how uint, text []byte) { samePlain(t, text, how) })
}

// TestPlainLines: lines of all kinds of cells, most of them numbers, so that many rows are read before an error.
func TestPlainLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	odd := []string{" 2", "3 ", "+4", "1e5", "1e-300", "1e999", "1e-999", "nan", "-inf", "NA", "", "\"5\"", "\"a\nb\"", "\"c\r\nd\"", "a\"b", "\"a\"b", "9007199254740993", "9007199254740993.0", "1_0", "0x1p3",
		"12345678901234567890.5", "\xff", "cat", "1,5", "1;5", "1\t5", "\r", "7\r", "-", "-0", ".5", "5.", "1.2.3", "2020-01-02", "\u00a08", "  ", "00000000000000000000000000000.25"}
	for round := range 1500 {
		comma, end := []string{",", ";", "\t", "|", " "}[rng.IntN(5)], []string{"\n", "\r\n", "\n\n", "\r"}[rng.IntN(4)]
		var text strings.Builder
		width := 1 + rng.IntN(5)
		if rng.IntN(2) == 0 {
			fmt.Fprint(&text, strings.Join([]string{"a", "b", "c", "d", "e"}[:width], comma), end)
		}
		for range rng.IntN(12) {
			var cells []string
			for range width {
				cell := fmt.Sprint([]any{rng.IntN(300) - 100, rng.NormFloat64(), float32(rng.NormFloat64()), rng.ExpFloat64() * math.Pow(10, float64(rng.IntN(70)-35))}[rng.IntN(4)])
				if rng.IntN(30) == 0 {
					cell = odd[rng.IntN(len(odd))]
				}
				cells = append(cells, cell)
			}
			if rng.IntN(60) == 0 {
				cells = cells[1:]
			}
			fmt.Fprint(&text, strings.Join(cells, comma), end)
		}
		b := []byte(text.String())
		if rng.IntN(3) == 0 {
			b = bytes.TrimRight(b, "\r\n")
		}
		samePlain(t, b, uint(rng.IntN(2160)))
		if t.Failed() {
			t.Fatal(round)
		}
	}
}

// TestPlainLinesAreUsed: of a file of numbers encoding/csv gets the first line alone, long lines included.
func TestPlainLinesAreUsed(t *testing.T) {
	for _, width := range []int{2, 300, 50000} {
		row := strings.Repeat("-0.25,1e3,17,", width/2) + "1\n"
		text := strings.Repeat(row, 5)
		s := must(open(strings.NewReader(text), "f.csv", Options{Label: LabelNone}, true))
		r := must(newCSV(s))
		p := r.(*csvFile)
		if n, err := p.more(math.MaxInt); n != 5 || err != nil || p.no != 5 {
			t.Fatal(n, err, p.no)
		}
		if p.records.lines > 1 {
			t.Errorf("%d columns: encoding/csv read %d of %d lines", width, p.records.lines, p.no)
		}
		set, err := p.take(0, false)
		if err != nil || set.Dims() != width/2*3+1 || !strings.HasPrefix(fmt.Sprint(cells(set)), "[-0.25 1000 17") {
			t.Error(set, err)
		}
	}
}

// BenchmarkCSV reads rows of sixteen numbers.
func BenchmarkCSV(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 4))
	for name, number := range map[string]func() string{
		"0.1234":   func() string { return fmt.Sprintf("%.4f", rng.Float64()) },
		"integers": func() string { return fmt.Sprint(rng.IntN(100000)) },
		"17":       func() string { return fmt.Sprintf("%.17g", rng.NormFloat64()) },
	} {
		var text bytes.Buffer
		for range 20000 {
			for range 15 {
				text.WriteString(number() + ",")
			}
			text.WriteString(number() + "\n")
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := ReadCSV(bytes.NewReader(text.Bytes()), "f", Options{Label: LabelNone}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
