// Command model prints what LLVM's models of cores say of the loops of package simd on arm64: cycles of a turn, and the
// share of the FMA bound of the core, which is what the model says of loops of nothing but FMAs.
//
//	go run -C _gen ./model
//
// It is a model, not a measurement: loads always hit the first-level cache and branches are foreseen. LLVM takes
// apple-m1 for Apple's core of 2013, of half the width, so its cycles are not those of an M1. The others are models of
// these cores, from LLVM 16 on; an older one takes other cores in their place.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
	"github.com/bochner-go/bochner/ops/internal/simd/_gen/llvm"
)

// cores are the models, as LLVM names them.
var cores = []string{"apple-m1", "neoverse-n1", "neoverse-v1", "neoverse-v2"}

// turns of a loop are enough that its first ones count for little.
const turns = 1000

// chains are enough independent sums to hide the latency of an FMA.
const chains = 24

// loop is an innermost loop of a function.
type loop struct {
	function string
	text     []string
	fmas     int
	wide     bool      // whether they are of float64
	cycles   []float64 // of a turn, by core
	least    []float64 // of its FMAs alone
}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "..", "folder of the assembly")
	match := flag.String("match", ".", "functions to print, a regular expression")
	least := flag.Float64("least", 0, "fail where the long loop of a full tile of a product has less than this share, in percent, "+
		"of the FMA bound of a core")
	flag.Parse()
	wanted, err := regexp.Compile(*match)
	if err != nil {
		log.Fatal(err)
	}
	loops, err := read(*dir)
	if err != nil {
		log.Fatal(err)
	}
	all := append(peaks(), loops...)
	for _, core := range cores {
		if err := model(core, all); err != nil {
			log.Fatal(err)
		}
	}
	bound(all)
	show(loops, wanted)
	if err := check(loops, *least); err != nil {
		log.Fatal(err)
	}
}

// read is the loops of all assembly files in a folder.
func read(dir string) (loops []*loop, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_arm64.s"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		functions, err := arm64.Assemble(file)
		if err != nil {
			return nil, err
		}
		for _, f := range functions {
			for _, words := range f.Loops() {
				text, err := llvm.Decode(words)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", f.Name, err)
				}
				l := &loop{function: f.Name, text: text}
				for _, t := range text {
					if strings.HasPrefix(t, "fmla ") || strings.HasPrefix(t, "fmls ") {
						l.fmas, l.wide = l.fmas+1, strings.Contains(t, ".2d")
					}
				}
				loops = append(loops, l)
			}
		}
	}
	return loops, nil
}

// peaks are loops of nothing but FMAs, of registers and of their elements, which LLVM may think of differently.
func peaks() (loops []*loop) {
	for _, wide := range []bool{false, true} {
		for _, last := range [2][2]string{{"v30.4s", "v30.s[0]"}, {"v30.2d", "v30.d[0]"}}[map[bool]int{true: 1}[wide]] {
			l := &loop{fmas: chains, wide: wide}
			for i := range chains {
				l.text = append(l.text, fmt.Sprintf("fmla v%d.%[2]s, v31.%[2]s, %s", i, map[bool]string{false: "4s", true: "2d"}[wide], last))
			}
			loops = append(loops, l)
		}
	}
	return loops
}

// bound gives each loop with FMAs the least time that they alone take, by core.
func bound(all []*loop) {
	for core := range cores {
		one := map[bool]float64{} // cycles of an FMA
		for _, l := range all {
			if c := l.cycles[core] / float64(max(l.fmas, 1)); l.function == "" && (one[l.wide] == 0 || c < one[l.wide]) {
				one[l.wide] = c
			}
		}
		for _, l := range all {
			l.least = append(l.least, one[l.wide]*float64(l.fmas))
		}
	}
}

var total = regexp.MustCompile(`Total Cycles:\s+(\d+)`)

// model adds what the model of a core says to each loop.
func model(core string, loops []*loop) error {
	var in bytes.Buffer
	for i, l := range loops {
		fmt.Fprintf(&in, "# LLVM-MCA-BEGIN %d\n%s\n# LLVM-MCA-END\n", i, strings.Join(l.text, "\n"))
	}
	out, err := llvm.Run(&in, "llvm-mca", "-mtriple=aarch64", "-mcpu="+core, fmt.Sprint("-iterations=", turns),
		"-instruction-info=false", "-resource-pressure=false")
	if err != nil {
		return err
	}
	found := total.FindAllStringSubmatch(out, -1)
	if len(found) != len(loops) {
		return fmt.Errorf("%s: %d loops, but %d results", core, len(loops), len(found))
	}
	for i, m := range found {
		cycles, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return err
		}
		loops[i].cycles = append(loops[i].cycles, cycles/turns)
	}
	return nil
}

// share is the percentage of the FMA bound of a core.
func (l *loop) share(core int) float64 { return 100 * l.least[core] / l.cycles[core] }

func show(loops []*loop, wanted *regexp.Regexp) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(w, "| loop in\t| instructions\t| FMAs\t| %s\t|\n|---\t|---\t|---\t|%s\n", strings.Join(cores, "\t| "),
		strings.Repeat("---\t|", len(cores)))
	for _, l := range loops {
		if !wanted.MatchString(l.function) {
			continue
		}
		fmt.Fprintf(w, "| %s\t| %d\t| %d\t|", l.function, len(l.text), l.fmas)
		for core, cycles := range l.cycles {
			fmt.Fprintf(w, " %.1f cycles", cycles)
			if l.fmas > 0 {
				fmt.Fprintf(w, ", %.0f %%", l.share(core))
			}
			fmt.Fprint(w, "\t|")
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// full are the products of full tiles, and most FMAs are in their long loop.
var full = regexp.MustCompile(`^gemm.*Rows6$`)

func check(loops []*loop, least float64) error {
	long := map[string]*loop{}
	for _, l := range loops {
		if before := long[l.function]; full.MatchString(l.function) && (before == nil || l.fmas > before.fmas) {
			long[l.function] = l
		}
	}
	if len(long) == 0 {
		return fmt.Errorf("there is no loop of a full tile")
	}
	for name, l := range long {
		for core := range cores {
			if s := l.share(core); s < least {
				return fmt.Errorf("%s: %.1f %% of the FMA bound of %s, less than %v", name, s, cores[core], least)
			}
		}
	}
	return nil
}
