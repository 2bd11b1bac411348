package data

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
)

// fuzz runs a reader over options that the first argument encodes. A successful read must be consistent, and no read may
// allocate more than the rule of tables.md: the free cells, and a share for each byte, of each of which a
// reader may hold some copies while its slices grow.
func fuzz(f *testing.F, read func(io.Reader, string, Options) (*Set, error), seeds ...string) {
	for i, s := range seeds {
		f.Add(uint16(i), []byte(s))
	}
	f.Fuzz(func(t *testing.T, how uint16, file []byte) {
		if bytes.HasPrefix(file, []byte("\x1f\x8b")) {
			return // the rule counts decompressed bytes
		}
		o := Options{Label: Label(how % 3), Task: Task(how / 3 % 2), Dims: []int{0, 2, 5}[how/6%3], MaxCells: []int{0, 9}[how/18%2], Form: Form(how / 36 % 3)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := read(bytes.NewReader(file), "f", o)
		runtime.ReadMemStats(&after)
		// Buffers and 4 copies of the cells, and for the text of each byte what a token and its error cost.
		most := uint64(8*freeCells + 1<<20 + len(file)*(8*cellsPerByte+4096))
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Fatalf("%d bytes allocated for a file of %d, want at most %d", got, len(file), most)
		}
		if err != nil {
			if s != nil || err.Error() == "" {
				t.Fatal("a set beside an error, or an empty message")
			}
			return
		}
		consistent(t, s, o)
		samples := s.Rows()
		if b, ok := s.X.(*ops.Bags); ok {
			samples = b.Samples().Shape()[0]
		}
		if _, sparse := s.X.(*ops.CSR); !sparse && o.MaxCells > 0 && samples*s.Dims() > o.MaxCells {
			t.Fatalf("%d x %d cells, allowed %d", samples, s.Dims(), o.MaxCells)
		}
	})
}

func FuzzLIBSVM(f *testing.F) {
	fuzz(f, ReadLIBSVM,
		"1 1:2 3:-0.5\n-1 2:1e-3\n", "+1 1:1 # c\r\n\r\n2.5 5:0\n", "\xef\xbb\xbf1 1:1", "cat 1:1 qid:2\n",
		"1 0:1\n", "1 16777216:1\n", "1 4000000000:1\n", "1 2:1 2:1\n", "1 1:nan\n", "1 1:1e999 2:1e-999",
		"1\n1\n1 4096:1\n", "1 1:", ":1\n", "1,2 1:1\n")
}

func FuzzCSV(f *testing.F) {
	fuzz(f, ReadCSV,
		"a,b,y\n1,2,3\n4,5,6\n", "1,2,x\n3,4,y\n", "\xef\xbb\xbfa,b\r\n1,2\r\n", "\"a\nb\",c\n1,2\n", "1,2\n3\n",
		"1,,3\n", "NA,NA\n", "nan,inf,1e999\n", "a;b\n", "0,1,y\n2,3,4\n", "1\n2\n", "\"1")
}

func FuzzNPY(f *testing.F) {
	fuzz(f, ReadNPY,
		arrayOf("<f8", "False", "(2, 3)", six), arrayOf("<f8", "True", "(2, 3)", six),
		arrayOf(">f4", "False", "(2, 3)", make([]float32, 6)), arrayOf("<i8", "True", "(3, 2)", make([]int64, 6)),
		arrayOf("|u1", "False", "(1, 6)", make([]uint8, 6)), arrayOf("<f8", "False", "(6,)", six),
		arrayOf("<f8", "False", "(2000000000, 2000000000)", six), npy("{'shape': (2, 3)}", six),
		"\x93NUMPY\x02\x00\xff\xff\xff\xff", "\x93NUMPY\x01\x00\x00\x00")
}

func FuzzBags(f *testing.F) {
	fuzz(f, ReadBagsCSV,
		"bag,label,x1,x2\na,1,1,2\nb,0,3,4\na,1,5,6\n", "x1,bag,label\n7,a,2.5\n", "bag,x1\n2,7\n1,8\n1,9\n", "bag,label\n1,1\n",
		"bag,label,x\n1,0,2\n1,1,3\n", "bag,label,x\n,0,2\n", "bag,label,x\n1,0,nan\n", "bag,bag,label,x\n", "\xef\xbb\xbfbag,label,x\r\n1,0,2\r\n",
		"bag,label,x\n\"a\nb\",0,1\n", "bag,label,x\n")
}

// FuzzNumber: a number is what strconv reads, to the bit, but for hexadecimal, underscores and what is not finite.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"-7.25", "+3", "0.30000000000000004", "9007199254740993", "1.2345678901234567e-5", "5e-324", "1e999", "1e-999", "-0", "0e-9",
		"00000000000000000000.1", "18446744073709551615", "9999999999999999999e27", "1e", "1_0", "0x1p-2", "nan", ".", "1.7976931348623157e308"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, flaw := number(text)
		want, err := strconv.ParseFloat(text, 64)
		digits := strings.Trim(text, "+-.0123456789eE") == ""
		switch {
		case flaw == sound && (err != nil || math.Float64bits(v) != math.Float64bits(want)):
			t.Errorf("%q is %v, want %v, %v", text, v, want, err)
		case flaw != sound && digits && err == nil && want != 0:
			t.Errorf("%q has the flaw %d, want %v", text, flaw, want)
		case flaw == noNumber && digits && errors.Is(err, strconv.ErrRange), flaw == sound && !digits:
			t.Errorf("%q has the flaw %d, want %v", text, flaw, err)
		}
	})
}

// FuzzFrame: no file, whatever its bytes, makes the readers of tables or what they learn panic; what they make is finite,
// the same in blocks, and columns are restored as they were.
func FuzzFrame(f *testing.F) {
	for i, c := range tableCases {
		f.Add(uint16(i*7), []byte(c.text), []byte(c.later))
	}
	f.Fuzz(func(t *testing.T, how uint16, text, later []byte) {
		o := Options{Label: Label(how % 3), Task: Task(how / 3 % 2), Header: Header(how / 6 % 3), ID: []string{"", "2"}[how/18%2]}
		learn := ColumnOptions{Missing: []Missing{MissingIndicator, MissingFill, MissingError}[how/36%3], Unknown: []Unknown{UnknownOther, UnknownError}[how/108%2],
			Cycles: [][]string{nil, {"weekday", "hour"}}[how/216%2], Rare: int(how / 432 % 3)}
		ext := []string{".csv", ".tsv", ".npy"}[how/1296%3]
		c := tableCase{read: o, learn: learn}
		path := fileOf(t, "train"+ext, string(text))
		set, err := learned(t, path, c)
		streamed, other := learnedInBlocks(t, path, c)
		if (err == nil) != (other == nil) {
			t.Fatalf("whole: %v, in blocks: %v", err, other)
		}
		if err != nil {
			return
		}
		sameSet(t, streamed, set)
		o.Columns = set.Columns
		if s, err := Read(fileOf(t, "later"+ext, string(later)), o); err == nil && (notFiniteAt(cells(s)) >= 0 || s.Dims() != set.Dims()) {
			t.Fatalf("%v", s.X)
		}
	})
}
