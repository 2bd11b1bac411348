package spectral

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// promise is a line of the table in samplers.md: the mean squared error of the Gaussian relative to IID with as many
// frequencies, at some distances along a direction.
type promise struct {
	s         Sampler
	d, m      int // m = 0 stands for any, in whole blocks and pairs
	direction string
	ratios    []string
}

// promiseDistances are the distances of the table, in bandwidths.
var promiseDistances = []float64{.1, .5, 1, 2, 3, 4, 5}

// readPromises reads the table, whose lines have a sampler, d, m, a direction and a number for each distance, and the
// guide.
func readPromises(t *testing.T) (lines []promise, guide string) {
	t.Helper()
	guide, table, _ := strings.Cut(string(must(os.ReadFile("samplers.md"))), "```text\n")
	for _, line := range strings.Split(strings.TrimSuffix(table, "\n```\n"), "\n")[1:] {
		f := strings.Fields(line)
		if len(f) != 4+len(promiseDistances) {
			t.Fatalf("a line of the table that is none: %s", line)
		}
		p := promise{s: must(SamplerByName(f[0])), d: must(strconv.Atoi(f[1])), direction: f[3], ratios: f[4:]}
		if f[2] != "any" {
			p.m = must(strconv.Atoi(f[2]))
		}
		lines = append(lines, p)
	}
	return lines, guide
}

// unit is the direction: axis, diagonal, or two coordinates i and j from 0 on, i+j by the same amount and i-j by
// opposite ones.
func (p promise) unit(t *testing.T) []float64 {
	t.Helper()
	if p.direction == "axis" || p.direction == "any" {
		return axis(p.d, 0, 1)
	}
	if p.direction == "diagonal" {
		return slices.Repeat([]float64{1 / math.Sqrt(float64(p.d))}, p.d)
	}
	var i, j int
	var sign rune
	if _, err := fmt.Sscanf(p.direction, "%d%c%d", &i, &sign, &j); err != nil {
		t.Fatalf("direction %q: %v", p.direction, err)
	}
	e := axis(p.d, i, math.Sqrt(.5))
	if e[j] = e[i]; sign == '-' {
		e[j] = -e[i]
	}
	return e
}

// drawn are estimates of the kernel by so many lines of one sampler, d and m: of each line at each distance, one a
// draw.
func drawn(t *testing.T, k Random, lines []promise) [][][]float64 {
	t.Helper()
	p, out := lines[0], make([][][]float64, len(lines))
	for l := range out {
		out[l] = make([][]float64, len(promiseDistances))
	}
	along := make([]float64, p.m)
	src := Stream(6, fmt.Sprint(p.s, p.d, p.m))
	for range max(100, min(500, 1<<17/(p.d*p.m))) { // as many as a test has time for
		w := sample(p.s, p.d, p.m, k, src)
		for l, line := range lines {
			clear(along)
			for i, v := range line.unit(t) {
				if v != 0 {
					for j := range along {
						along[j] += v * w[i*p.m+j]
					}
				}
			}
			for i, r := range promiseDistances {
				sum := 0.0
				for _, v := range along {
					sum += math.Cos(r * v)
				}
				out[l][i] = append(out[l][i], sum/float64(p.m))
			}
		}
	}
	return out
}

// TestSamplerPromises: the table is what the samplers predict, where they do, and else what draws of them give. With -v
// it prints both.
func TestSamplerPromises(t *testing.T) {
	lines, _ := readPromises(t)
	if len(lines) < 50 {
		t.Fatalf("%d lines of the table are found", len(lines))
	}
	for len(lines) > 0 {
		p, n := lines[0], 1
		for n < len(lines) && lines[n].s == p.s && lines[n].d == p.d && lines[n].m == p.m {
			n++
		}
		checkPromises(t, lines[:n])
		lines = lines[n:]
	}
}

// checkPromises is for lines of one sampler, d and m.
func checkPromises(t *testing.T, lines []promise) {
	k := Gaussian{1}
	for l := range lines {
		if lines[l].m == 0 {
			lines[l].m = 2 * lines[l].d
		}
	}
	predictor, predicts := lines[0].s.(Predictor)
	var estimates [][][]float64
	if !predicts { // TestSamplersGiveTheKernel compares predictions with draws
		estimates = drawn(t, k, lines)
	}
	for l, p := range lines {
		z, said := make([]float64, p.d), fmt.Sprintf("%v %d %d %s:", p.s, p.d, p.m, p.direction)
		for i, text := range p.ratios {
			stated := must(strconv.ParseFloat(text, 64))
			rounding := .5000001 // of the last digit
			for range len(text) - 1 - strings.Index(text, ".") {
				rounding /= 10
			}
			x := p.unit(t)
			for c := range x {
				x[c] *= promiseDistances[i]
			}
			iid := must(IID{}.Variance(k, x, z, p.m))
			where := fmt.Sprintf("%v, d = %d, m = %d, %s, distance %v", p.s, p.d, p.m, p.direction, promiseDistances[i])
			if predicts {
				exact, err := predictor.Variance(k, x, z, p.m)
				if err != nil || math.Abs(exact/iid-stated) > rounding+1e-5 {
					t.Errorf("%s: predicted ratio %.4f (%v), stated is %v", where, exact/iid, err, text)
				}
				said += fmt.Sprintf("  %.4f", exact/iid)
				continue
			}
			mse, se := squaredErrors(estimates[l][i], k.At(x, z))
			ratio, se := mse/iid, se/iid
			if math.Abs(ratio-stated) > 4.15*se+rounding { // the table was drawn as well, sixteen times as often or more
				t.Errorf("%s: ratio %.4f ± %.4f, stated is %v", where, ratio, se, text)
			}
			said += fmt.Sprintf("  %.4f ± %.4f", ratio, se)
		}
		t.Log(said)
	}
}

// TestGuideOfSamplers: samplers.md has a line for each sampler, and each list of errors by distance in it is a line of
// the sampler's table.
func TestGuideOfSamplers(t *testing.T) {
	number := `\d*\.\d+`
	list := regexp.MustCompile(number + strings.Repeat(", "+number, len(promiseDistances)-2))
	promises, guide := readPromises(t)
	lines, found := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*$").FindAllStringSubmatch(guide, -1), 0
	if len(lines) != len(Samplers()) {
		t.Errorf("samplers.md has %d samplers, want %d", len(lines), len(Samplers()))
	}
	for i, line := range lines {
		if name := Samplers()[i].String(); line[1] != name {
			t.Errorf("line %d of samplers.md is about %s, want %s", i, line[1], name)
		}
		for _, numbers := range list.FindAllString(line[0], -1) {
			found++
			if !slices.ContainsFunc(promises, func(p promise) bool {
				return p.s.String() == line[1] && strings.Join(p.ratios[1:], ", ") == numbers
			}) {
				t.Errorf("%s: %s is no line of its table", line[1], numbers)
			}
		}
	}
	if found < 9 {
		t.Errorf("%d lists of errors in samplers.md", found)
	}
}
