// Command gemm writes the product kernels of package simd, gemm_amd64.s and the Go declarations beside it, into a folder.
//
//	go run -C _gen ./gemm -dir ..
//
// The same source gives the same bytes: nothing of the machine, the folder or the command line enters the files.
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

// kernels are the register tiles. Every height up to the full one is a kernel of its own, so that a block of rows splits into
// tiles of almost equal height and no row outside the matrix is read.
var kernels = []kernel{
	{isa: "AVX512", bytes: 64, elem: 4, height: 12, vecs: 2},
	{isa: "AVX512", bytes: 64, elem: 8, height: 8, vecs: 3},
	{isa: "AVX2", bytes: 32, elem: 4, height: 6, vecs: 2},
	{isa: "AVX2", bytes: 32, elem: 8, height: 6, vecs: 2},
}

func main() {
	dir := flag.String("dir", "..", "folder to write to")
	flag.Parse()
	log.SetFlags(0)

	c := build.NewContext()
	c.ConstraintExpr("!purego")
	for _, k := range kernels {
		for rows := 1; rows <= k.height; rows++ {
			k.tile(c, rows)
		}
		k.pack(c)
	}
	for _, k := range []kernel{kernels[0], kernels[2]} {
		k.peak(c)
	}
	file, err := c.Result()
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Compile.Execute(file); err != nil {
		log.Fatal(err)
	}
	cfg := printer.Config{Name: "_gen/gemm", Pkg: "simd"}
	for name, p := range map[string]printer.Printer{"gemm_amd64.s": printer.NewGoAsm(cfg), "gemm_amd64.go": printer.NewStubs(cfg)} {
		text, err := p.Print(file)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
