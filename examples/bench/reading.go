package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bochner-go/bochner/train/data"
)

//go:embed reading.py
var readingScript string

// reading is one line of the output: a reader at a file that the program made.
type reading struct {
	Lib     string  `json:"lib"`
	Version string  `json:"version"` // of a peer
	Reader  string  `json:"reader"`
	File    string  `json:"file"`
	Digits  string  `json:"digits"` // of each number
	N       int     `json:"n"`
	Dims    int     `json:"d"`
	MB      float64 `json:"mb"`
	Cores   int     `json:"cores"`
	Runs    int     `json:"runs"`
	MS      float64 `json:"ms"`
	MinMS   float64 `json:"min_ms"`
	MBPerS  float64 `json:"mb_per_s"`
	Ratio   float64 `json:"ratio"` // how many times as long as ours
}

// sample is a file to read.
type sample struct {
	format, digits string
	number         func(b []byte, rng *rand.Rand) []byte // appends one
	options        data.Options
}

// samples are what is measured: rows of CSV without a label, and rows of LIBSVM text with a target.
var samples = []sample{
	{"csv", "17", long, data.Options{Label: data.LabelNone}},
	{"csv", "1-6", short, data.Options{Label: data.LabelNone}},
	{"libsvm", "17", long, data.Options{Task: data.Regression}},
	{"libsvm", "1-6", short, data.Options{Task: data.Regression}},
}

// long is a normal variate with the 17 digits that tell all numbers of float64 apart.
func long(b []byte, rng *rand.Rand) []byte {
	return strconv.AppendFloat(b, rng.NormFloat64(), 'g', 17, 64)
}

// short has up to six digits, up to five of them after the point.
func short(b []byte, rng *rand.Rand) []byte {
	scale := []float64{10, 100, 1000, 1e4, 1e5}[rng.IntN(5)]
	return strconv.AppendFloat(b, float64(rng.IntN(1999999)-999999)/scale, 'f', -1, 64)
}

// write makes the file of a shape: CSV with a header, or LIBSVM text with all features in each row.
func (s sample) write(path string, n, d int) (bytes int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w, rng := bufio.NewWriterSize(f, 1<<16), rand.New(rand.NewPCG(1, 4))
	var line []byte
	if s.format == "csv" {
		line = []byte("x1")
		for j := 1; j < d; j++ {
			line = fmt.Appendf(line, ",x%d", j+1)
		}
		line = append(line, '\n')
	}
	for i := range n {
		if s.format == "libsvm" {
			line = strconv.AppendInt(line, int64(i%2), 10)
		}
		for j := range d {
			switch {
			case s.format == "libsvm":
				line = append(strconv.AppendInt(append(line, ' '), int64(j+1), 10), ':')
			case j > 0:
				line = append(line, ',')
			}
			line = s.number(line, rng)
		}
		line = append(line, '\n')
		bytes += len(line)
		if _, err := w.Write(line); err != nil {
			return 0, err
		}
		line = line[:0]
	}
	return bytes, w.Flush()
}

// measureReading makes the files, one after the other, and reads each by data.Read and then by the peers.
func measureReading(ctx context.Context, o *options, host hostInfo) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if !o.json {
		fmt.Printf("%v; median of %d\n\n| file | rows×columns | digits | MB | reader | cores | ms | MB/s | ratio |\n|---|---|---|---|---|---|---|---|---|\n", host, o.runs)
	}
	for _, s := range samples {
		found, err := s.measure(ctx, filepath.Join(folder, "rows."+s.format), o)
		if err != nil {
			return fmt.Errorf("-reading: %w", err)
		}
		for _, m := range found {
			if o.json {
				err = printJSON(struct {
					reading
					hostInfo
				}{m, host})
			} else {
				_, err = fmt.Println(m)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// String is a row of the table.
func (m reading) String() string {
	return fmt.Sprintf("| %s | %d×%d | %s | %.1f | %s | %d | %.1f | %.1f | %.2f |", m.File, m.N, m.Dims, m.Digits, m.MB,
		strings.Join(strings.Fields(m.Lib+" "+m.Version+" "+m.Reader), " "), m.Cores, m.MS, m.MBPerS, m.Ratio)
}

func (s sample) measure(ctx context.Context, path string, o *options) ([]reading, error) {
	n, d := o.reading[0], o.reading[1]
	size, err := s.write(path, n, d)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	base := reading{File: s.format, Digits: s.digits, N: n, Dims: d, MB: float64(size) / 1e6, Cores: 1}
	ours := base
	ours.Lib, ours.Reader = "bochner", "data.Read"
	if err := ours.time(ctx, path, s.options, o.runs); err != nil {
		return nil, err
	}
	out := []reading{ours}
	if !o.peers {
		return out, nil
	}
	var found []struct {
		Lib, Version, Reader string
		MS                   []float64
	}
	args := []string{readingScript, path, s.format, strconv.Itoa(o.runs)}
	if err := python(ctx, setting{}, 1, &found, args...); err != nil {
		return nil, err
	}
	for _, p := range found {
		if len(p.MS) == 0 {
			return nil, fmt.Errorf("python3 did not time %s", p.Reader)
		}
		m := base
		m.Lib, m.Version, m.Reader = p.Lib, p.Version, p.Reader
		m.summarise(p.MS)
		m.Ratio = m.MS / ours.MS
		out = append(out, m)
	}
	return out, nil
}

// time reads the file once to warm up, and then so many times. Each time starts without the memory of the one before, as
// the peers' times do.
func (m *reading) time(ctx context.Context, path string, o data.Options, runs int) error {
	var times []float64
	for i := range runs + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		set, err := data.Read(path, o)
		took := time.Since(start)
		if err != nil {
			return err
		}
		if set.Rows() != m.N || set.Dims() != m.Dims {
			return fmt.Errorf("%d×%d were read of %d×%d", set.Rows(), set.Dims(), m.N, m.Dims)
		}
		if i > 0 {
			times = append(times, float64(took.Nanoseconds())/1e6)
		}
		debug.FreeOSMemory()
	}
	m.summarise(times)
	m.Ratio = 1
	return nil
}

// summarise fills in what follows from times in milliseconds.
func (m *reading) summarise(times []float64) {
	slices.Sort(times)
	m.Runs, m.MS, m.MinMS = len(times), median(times), times[0]
	m.MBPerS = m.MB / m.MS * 1e3
}
