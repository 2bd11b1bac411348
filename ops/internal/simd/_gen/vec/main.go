// Command vec writes the vector functions of package simd, vec_amd64.s and the Go declarations beside it, into a folder: cosine, sine,
// both, exponential and logarithm, for float32 and float64, with AVX2 and FMA, and with AVX-512.
//
//	go run -C _gen ./vec -dir ..
//
// The same source gives the same bytes. The coefficients (coef.go) come from coef.py.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	dir := flag.String("dir", "..", "folder to write to")
	flag.Parse()
	log.SetFlags(0)

	c := build.NewContext()
	c.ConstraintExpr("!purego")
	functions(c)
	file, err := c.Result()
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Compile.Execute(file); err != nil {
		log.Fatal(err)
	}
	cfg := printer.Config{Name: "_gen/vec", Pkg: "simd"}
	for name, p := range map[string]printer.Printer{"vec_amd64.s": printer.NewGoAsm(cfg), "vec_amd64.go": printer.NewStubs(cfg)} {
		text, err := p.Print(file)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

func functions(c *build.Context) {
	masks(c)
	for _, f64 := range []bool{false, true} {
		circular := table(c, circularRows(f64), "circular", f64)
		exponential := table(c, expRows(f64), "exp", f64)
		logarithm := table(c, logRows(f64), "log", f64)
		for _, wide := range []bool{false, true} {
			of := func(t constants) *kernel { return &kernel{Context: c, f64: f64, wide: wide, rows: t} }
			of(circular).cos()
			of(circular).sin()
			of(circular).sinCos()
			of(exponential).exp()
			of(logarithm).log(false)
			of(logarithm).log(true)
		}
	}
}
