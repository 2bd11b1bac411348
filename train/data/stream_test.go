package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/klauspost/compress/zstd"
)

// packed is text as gzip or zstd data, or as it is.
func packed(text, ext string) string {
	switch ext {
	case ".gz":
		return zip(text)
	case ".zst":
		return string(must(zstd.NewWriter(nil)).EncodeAll([]byte(text), nil))
	}
	return text
}

// libsvmText is n rows of LIBSVM text, of 11 columns, of which few are not 0.
func libsvmText(n int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 2))
	lines := make([]string, n)
	for i := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "%c", 'a'+rune(rng.IntN(3)))
		for j := 1; j <= 11; j++ {
			if rng.IntN(4) == 0 {
				fmt.Fprintf(&b, " %d:%.3f", j, rng.NormFloat64())
			}
		}
		lines[i] = b.String() + "\n"
	}
	lines[n/2] = "b 11:0\n"
	return lines
}

// folder writes lines to files that end before the rows cuts, in a folder.
func folder(t *testing.T, lines []string, ext string, cuts ...int) string {
	t.Helper()
	dir := t.TempDir()
	for i, end := range append(cuts, len(lines)) {
		start := 0
		if i > 0 {
			start = cuts[i-1]
		}
		pack := filepath.Ext(ext)
		path := filepath.Join(dir, fmt.Sprintf("part-%02d%s", i, ext))
		mustDo(os.WriteFile(path, []byte(packed(strings.Join(lines[start:end], ""), pack)), 0o644))
	}
	return dir
}

func stream(o StreamOptions, paths ...string) *Stream { return must(OpenStream(o, paths...)) }

// collect is every row of an epoch, as shown writes it, and the sizes of the blocks.
func collect(t *testing.T, s *Stream, epoch int) (rows []string, sizes []int) {
	t.Helper()
	for b, err := range s.Blocks(t.Context(), epoch) {
		mustDo(err)
		_, all, _ := strings.Cut(shown(b), "| ")
		rows, sizes = append(rows, strings.Split(all, " | ")...), append(sizes, b.Rows())
	}
	return rows, sizes
}

// TestStreamIsRead: blocks of any size, of rows in any files, packed in any way, are the rows of Read.
func TestStreamIsRead(t *testing.T) {
	lines := libsvmText(103, 1)
	whole := must(ReadLIBSVM(strings.NewReader(strings.Join(lines, "")), "whole", Options{}))
	want := strings.Split(strings.TrimPrefix(shown(whole), "| "), " | ")
	for _, ext := range []string{".libsvm", ".svm.gz", ".txt.zst"} {
		for _, cuts := range [][]int{nil, {1}, {40, 41, 90}} {
			for _, form := range []Form{FormAuto, FormDense, FormSparse} {
				dir := folder(t, lines, ext, cuts...)
				for _, size := range []int{1, 7, 103, 1000} {
					s := stream(StreamOptions{BlockRows: size, Options: Options{Form: form}}, dir)
					v := must(s.Survey(context.Background(), 0))
					if v.Rows != 103 || v.Dims != 11 || !slices.Equal(v.Classes, NewClasses(whole.Labels)) || v.Sample != nil {
						t.Fatalf("survey %+v", v)
					}
					got, sizes := collect(t, s, 0)
					if !slices.Equal(got, want) {
						t.Fatalf("%s cut at %v, blocks of %d: other rows", ext, cuts, size)
					}
					for i, n := range sizes {
						if n != size && (i < len(sizes)-1 || n != (103-1)%size+1) {
							t.Fatalf("blocks of %v rows, want %d", sizes, size)
						}
					}
				}
			}
		}
	}
	all, err := ReadAll(context.Background(), Options{Form: FormDense}, folder(t, lines, ".libsvm", 50, 60))
	if err != nil || !slices.Equal(all.Labels, whole.Labels) || !slices.Equal(cells(all), cells(whole)) {
		t.Errorf("ReadAll gives other rows (%v)", err)
	}
}

// TestStreamOfColumns: CSV and .npy, whose files say their widths, need no survey; a header in each file is none of the rows.
func TestStreamOfColumns(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a.csv":     "u,v,y\n1,2,.5\n3,4,1.5\n",
		"b.csv.zst": packed("5,6,2.5\n7,8,3.5\n9,10,4.5\n", ".zst"),
		"c.npy":     arrayOf("<f8", "False", "(2, 3)", []float64{11, 12, 5.5, 13, 14, 6.5}),
		".hidden":   "",
		"_SUCCESS":  "",
	}
	for name, text := range files {
		mustDo(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	s := stream(StreamOptions{BlockRows: 3, Options: Options{Task: Regression}}, dir)
	rows, sizes := collect(t, s, 0)
	var want []string
	for i := range 7 {
		want = append(want, fmt.Sprintf("%d %d >%g", 2*i+1, 2*i+2, float64(i)+.5))
	}
	if !slices.Equal(rows, want) || !slices.Equal(sizes, []int{3, 3, 1}) || s.Dims() != 2 {
		t.Errorf("%q in blocks of %v, %d columns", rows, sizes, s.Dims())
	}
	v, err := s.Survey(context.Background(), 100)
	if err != nil || v.Rows != 7 || v.Classes != nil || v.Sample.Rows() != 7 || !slices.Equal(cells(v.Sample)[12:], []float64{13, 14}) {
		t.Errorf("survey %+v, %v", v, err)
	}
}

// TestShuffle: every row comes once, in an order that the seed and the epoch alone draw, and goes far from its place.
func TestShuffle(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("%d,%d\n", i, -i))
	}
	dir := folder(t, lines, ".csv", 200, 400, 600, 800)
	o := StreamOptions{BlockRows: 64, Shuffle: 300, Seed: 3, Options: Options{Task: Regression}}
	first, _ := collect(t, stream(o, dir), 0)
	sorted := slices.Sorted(slices.Values(first))
	o.Shuffle = 0
	inOrder, _ := collect(t, stream(o, dir), 0)
	if !slices.Equal(sorted, slices.Sorted(slices.Values(inOrder))) || slices.Equal(first, inOrder) {
		t.Fatal("a shuffled epoch has other rows, or the same order")
	}
	for procs := 1; procs <= 3; procs++ {
		runtime.GOMAXPROCS(procs)
		o.Shuffle = 300
		again, sizes := collect(t, stream(o, dir), 0)
		if !slices.Equal(again, first) || sizes[0] != 64 || len(sizes) != 16 {
			t.Errorf("with %d processors the order is another, blocks %v", procs, sizes)
		}
	}
	next, _ := collect(t, stream(o, dir), 1)
	o.Seed = 4
	other, _ := collect(t, stream(o, dir), 0)
	if slices.Equal(next, first) || slices.Equal(other, first) {
		t.Error("epoch or seed does not change the order")
	}
	// Neighbours: a uniform order leaves a pair of rows side by side with probability 2/n, so 2 pairs in all, in one direction 1.
	side := 0
	for i := range first[1:] {
		var a, b int
		fmt.Sscan(first[i], &a)
		fmt.Sscan(first[i+1], &b)
		if b == a+1 {
			side++
		}
	}
	if side > 12 {
		t.Errorf("%d rows are still behind their neighbours", side)
	}
}

// TestSplitStream: the parts are apart, together all, of about the right size, and do not depend on blocks. A part is
// divided again by the same seed.
func TestSplitStream(t *testing.T) {
	lines := libsvmText(2000, 5)
	dir := folder(t, lines, ".libsvm", 700)
	s := stream(StreamOptions{BlockRows: 97}, dir)
	all := must(s.Survey(context.Background(), 0))
	rest, held := s.Split(.2, 7)
	a, _ := collect(t, rest, 0)
	b, sizes := collect(t, held, 0)
	whole, _ := collect(t, s, 0)
	if len(a)+len(b) != all.Rows || !slices.Equal(slices.Sorted(slices.Values(append(a, b...))), slices.Sorted(slices.Values(whole))) {
		t.Fatal("the parts are not the whole")
	}
	if sd := math.Sqrt(2000 * .2 * .8); math.Abs(float64(len(b))-400) > 4*sd || sizes[0] != 97 {
		t.Errorf("%d of 2000 rows are held out, in blocks of %v", len(b), sizes)
	}
	v, err := held.Survey(context.Background(), 10)
	if err != nil || v.Rows != len(b) || v.Sample.Rows() != 10 {
		t.Errorf("%+v %v", v, err)
	}
	_, part := rest.Split(.2, 7)
	c, _ := collect(t, part, 0)
	if n := float64(len(a)); math.Abs(float64(len(c))-.2*n) > 4*math.Sqrt(n*.2*.8) {
		t.Errorf("of %v rows that are left the same seed holds out %d", n, len(c))
	}
	_, held = stream(StreamOptions{BlockRows: 500, Options: Options{Dims: 11}}, dir).Split(.2, 7)
	again, _ := collect(t, held, 0)
	if !slices.Equal(again, b) {
		t.Error("blocks of another size hold out other rows")
	}
}

// TestSample: each row is as likely as any other, within four standard errors.
func TestSample(t *testing.T) {
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("%d,%d\n", i, i))
	}
	dir := folder(t, lines, ".csv", 20)
	counts := make([]float64, 50)
	const draws = 200
	for seed := range uint64(draws) {
		s := stream(StreamOptions{Seed: seed, BlockRows: 8, Options: Options{Task: Regression}}, dir)
		v := must(s.Survey(context.Background(), 10))
		if !slices.IsSorted(v.Sample.Y) || v.Sample.Rows() != 10 {
			t.Fatal("the sample is not 10 rows in order")
		}
		for _, y := range v.Sample.Y {
			counts[int(y)]++
		}
	}
	for i, c := range counts {
		if math.Abs(c-draws*.2) > 4*math.Sqrt(draws*.2*.8) {
			t.Errorf("row %d is drawn %v times of %d", i, c, draws)
		}
	}
}

// TestSampleForms: a sample has the rows of files that write every cell and of others, rows without values too, in the
// form that is asked for.
func TestSampleForms(t *testing.T) {
	csv, svm := fileOf(t, "a.csv", "1,0,x\n0,2,y\n"), fileOf(t, "b.libsvm", "x\ny 1:3 2:4\nz\nx 2:5\n")
	for want, files := range map[string][]string{
		"[0 0 3 4 0 0 0 5]":         {svm},
		"[1 0 0 2 0 0 3 4 0 0 0 5]": {csv, svm},
		"[0 0 3 4 0 0 0 5 1 0 0 2]": {svm, csv},
	} {
		for _, form := range []Form{FormDense, FormSparse} {
			s := stream(StreamOptions{Options: Options{Form: form, Dims: 2, Header: HeaderNo}}, files...)
			sample := must(s.Survey(t.Context(), 10)).Sample
			if _, sparse := sample.X.(*ops.CSR); sparse != (form == FormSparse) || fmt.Sprint(cells(sample)) != want {
				t.Errorf("form %v: %T %v, want %s", form, sample.X, cells(sample), want)
			}
		}
	}
}

func TestStreamErrors(t *testing.T) {
	last := func(s *Stream, ctx context.Context) (err error) {
		for b, e := range s.Blocks(ctx, 0) {
			if err != nil {
				t.Error("an error is followed by something")
			}
			if err = e; (b == nil) == (e == nil) {
				t.Error("a block and an error")
			}
		}
		return err
	}
	bg := context.Background()
	dir := folder(t, libsvmText(30, 9), ".libsvm", 10)
	fails(t, last(stream(StreamOptions{}, dir), bg), domain.ErrParam, "part-00.libsvm", "Survey")
	fails(t, last(stream(StreamOptions{Options: Options{Dims: 5}}, dir), bg), domain.ErrShape, "part-00.libsvm")
	csv := folder(t, []string{"1,2,3\n", "1,2,3\n", "1,2\n"}, ".csv", 1, 2)
	fails(t, last(stream(StreamOptions{}, csv), bg), domain.ErrShape, "part-02.csv")
	fails(t, failed(stream(StreamOptions{}, csv).Survey(bg, 0)), domain.ErrShape, "part-02.csv")
	fails(t, failed(stream(StreamOptions{}, csv, dir).Survey(bg, 0)), domain.ErrShape, "part-02.csv")
	bad := folder(t, []string{"1,2,3\n", "1,NaN,3\n"}, ".csv", 1)
	fails(t, last(stream(StreamOptions{}, bad), bg), domain.ErrDomain, "part-01.csv:1")
	for _, ext := range []string{".csv.gz", ".csv.zst"} {
		cut := folder(t, slices.Repeat([]string{"1,2,3\n", "4,5,7\n"}, 5000), ext)
		path := filepath.Join(cut, "part-00"+ext)
		raw := must(os.ReadFile(path))
		mustDo(os.WriteFile(path, raw[:len(raw)*2/3], 0o644))
		fails(t, last(stream(StreamOptions{BlockRows: 10}, cut), bg), ErrFormat, "part-00"+ext)
		raw[len(raw)/2] ^= 0x55
		mustDo(os.WriteFile(path, raw, 0o644))
		fails(t, last(stream(StreamOptions{BlockRows: 10}, cut), bg), ErrFormat, "part-00"+ext)
	}
	fortran := fileOf(t, "f.npy", arrayOf("<f8", "True", "(3, 2)", make([]float64, 6)))
	fails(t, last(stream(StreamOptions{BlockRows: 2}, fortran), bg), ErrFormat, "f.npy", "ascontiguousarray")
	cancelled, cancel := context.WithCancel(bg)
	cancel()
	fails(t, last(stream(StreamOptions{}, csv), cancelled), context.Canceled, "part-00.csv")
	one := fileOf(t, "one.csv", "1,2,x\n3,4,y\n") // a file alone is read under the context, as several are
	if s := must(ReadAll(bg, Options{}, one)); s.Rows() != 2 {
		t.Errorf("%d rows", s.Rows())
	}
	var none context.Context
	fails(t, failed(ReadAll(cancelled, Options{}, one)), context.Canceled)
	fails(t, failed(ReadAll(none, Options{}, one)), domain.ErrParam)
	for _, paths := range [][]string{{}, {t.TempDir()}, {"none.csv"}, {folder(t, []string{"1"}, ".xlsx")}, {filepath.Dir(dir)}} {
		if _, err := OpenStream(StreamOptions{}, paths...); err == nil {
			t.Errorf("%q was opened", paths)
		}
	}
	for _, o := range []StreamOptions{{BlockRows: -1}, {Shuffle: -1}, {Ahead: -1}, {Options: Options{Dims: -1}}} {
		fails(t, failed(OpenStream(o, csv)), domain.ErrParam)
	}
	fails(t, failed(Read("x.parquet", Options{})), ErrFormat)
}

// TestStreamStops: who ranges no further leaves no goroutine and no open file behind, and a block tells where its rows were.
func TestStreamStops(t *testing.T) {
	dir := folder(t, slices.Repeat([]string{"1,2,3\n"}, 1000), ".csv", 300)
	before := runtime.NumGoroutine()
	s := stream(StreamOptions{BlockRows: 7}, dir)
	for range 20 {
		for b, err := range s.Blocks(context.Background(), 0) {
			mustDo(err)
			if file, row := b.Place(3); filepath.Base(file) == "part-01.csv" {
				err := b.Locate(&domain.CellError{Who: "map", Row: 3, Col: 1, Value: 2})
				fails(t, err, domain.ErrDomain, file, fmt.Sprintf("x[%d,1]", row))
				break
			}
		}
	}
	for range 100 { // a goroutine that has said that it ends may still be counted
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestStreamMemory: what is held is in proportion to the blocks, not to the rows.
func TestStreamMemory(t *testing.T) {
	var b bytes.Buffer
	for i := range 200_000 {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", i, i+1, i+2, i%3)
	}
	path := fileOf(t, "big.csv", b.String())
	b = bytes.Buffer{}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, n := held(), uint64(0), 0
	for block, err := range stream(StreamOptions{BlockRows: 1000, Shuffle: 3000}, path).Blocks(context.Background(), 0) {
		mustDo(err)
		if n += block.Rows(); n%20_000 == 0 {
			most = max(most, held())
		}
	}
	// A row takes 24 bytes of numbers, a string and a place; in the buffer two slices besides, and five blocks may be on their way.
	if limit := before + 2<<20; n != 200_000 || most > limit {
		t.Errorf("%d rows; %d bytes are held, %d at the start", n, most, before)
	}
}

// TestStreamPassesAtOnce: passes that run at once see one shape; the race detector sees what they share.
func TestStreamPassesAtOnce(t *testing.T) {
	ctx := context.Background()
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("%d,%d,.5,%d\n", i, i%7, i%2))
	}
	dir := folder(t, lines, ".csv", 100, 250)
	count := func(s *Stream) (rows int) {
		for b, err := range s.Blocks(ctx, 0) {
			if err != nil || b.Dims() != 3 || s.Dims() != 3 || s.Sparse() {
				t.Errorf("a block of %d columns, %d of the stream, %v", b.Dims(), s.Dims(), err)
				return rows
			}
			rows += b.Rows()
		}
		return rows
	}
	atOnce := func(fs ...func()) {
		var all sync.WaitGroup
		for _, f := range fs {
			all.Go(f)
		}
		all.Wait()
	}
	t.Run("parts of a Split", func(t *testing.T) {
		a, b := stream(StreamOptions{BlockRows: 16}, dir).Split(.5, 3)
		var m, n int
		atOnce(func() { m = count(a) }, func() { n = count(b) })
		if m+n != 400 {
			t.Errorf("%d and %d rows", m, n)
		}
	})
	t.Run("surveys", func(t *testing.T) {
		s := stream(StreamOptions{BlockRows: 16}, dir)
		survey := func() {
			v, err := s.SurveyScaled(ctx, 5, must(ParseScalers("standard")))
			if err == nil {
				err = v.FitScaler(ctx)
			}
			if err != nil || v.Rows != 400 || v.Dims != 3 || count(s) != 400 {
				t.Errorf("%+v %v", v, err)
			}
		}
		atOnce(survey, survey, func() { s.Dense(); s.Options() })
	})
	t.Run("Learn", func(t *testing.T) {
		s := stream(StreamOptions{BlockRows: 16, Options: Options{Header: HeaderNo}}, dir)
		var errs [2]error
		learn := func(err *error) func() {
			return func() {
				_, *err = s.Learn(ctx, ColumnOptions{})
				s.Options()
			}
		}
		atOnce(learn(&errs[0]), learn(&errs[1]))
		for _, err := range errs {
			if err != nil && !errors.Is(err, domain.ErrParam) {
				t.Error(err)
			}
		}
		if errs[0] != nil && errs[1] != nil || s.Options().Columns == nil {
			t.Errorf("no columns: %v, %v", errs[0], errs[1])
		}
	})
}

// TestSurveyScaled: a scaler whose first pass came with the survey is the scaler that FitBlocks fits, of every format,
// and reads the files once less where rows are dense.
func TestSurveyScaled(t *testing.T) {
	ctx := context.Background()
	files := map[string]string{
		"a.csv":    "1,2.5,x\n3,-4,y\n5,6e3,x\n0,.25,y\n",
		"b.libsvm": "x 1:1 2:2.5\ny 1:3 2:-4\nx 1:5 2:6e3\ny 2:.25\n",
	}
	for name, text := range files {
		path := fileOf(t, name, text)
		for _, scale := range []string{"none", "standard", "minmax", "l1,standard", "standard,minmax", "cube"} {
			o := StreamOptions{Options: Options{Form: FormDense}, BlockRows: 3}
			if name == "a.csv" {
				o.Label, o.Header = LabelLast, HeaderNo
			}
			s := must(OpenStream(o, path))
			got, want := must(ParseScalers(scale)), must(ParseScalers(scale))
			v := must(s.SurveyScaled(ctx, 2, got))
			if learnt := v.learnt != nil; learnt != (name == "a.csv") {
				t.Errorf("%s %s: the survey has learnt: %v", name, scale, learnt)
			}
			mustDo(v.FitScaler(ctx))
			mustDo(want.FitBlocks(Streamed{Stream: s}.Matrices(ctx)))
			mustDo(v.FitScaler(ctx)) // again: all passes
			sameState(t, name+" "+scale, got, want, 1e-13, 0)
		}
	}
	var none *Survey
	fails(t, none.FitScaler(ctx), domain.ErrParam)
	fails(t, new(Survey).FitScaler(ctx), domain.ErrParam)
}
