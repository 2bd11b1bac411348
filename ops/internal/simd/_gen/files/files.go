// Package files is what the generators of package simd share: how functions become files.
package files

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/arm64"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Main is the main function of the generator _gen/<name>: it writes the functions that amd64 puts into the context to <name>_amd64.s,
// those of neon to <name>_arm64.s, and their Go declarations to <name>_amd64.go and <name>_arm64.go, in the folder that -dir names; a
// nil neon writes no files. The same functions give the same bytes: nothing of the machine, the folder or the command line enters them.
func Main(name string, amd64 func(c *build.Context), neon func(f *arm64.File)) {
	dir := flag.String("dir", "..", "folder to write to")
	flag.Parse()
	log.SetFlags(0)

	c := build.NewContext()
	c.ConstraintExpr("!purego")
	amd64(c)
	all, err := c.Result()
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Compile.Execute(all); err != nil {
		log.Fatal(err)
	}
	cfg := printer.Config{Name: "_gen/" + name, Pkg: "simd"}
	for suffix, p := range map[string]printer.Printer{"_amd64.s": printer.NewGoAsm(cfg), "_amd64.go": printer.NewStubs(cfg)} {
		text, err := p.Print(all)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*dir, name+suffix), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if neon == nil {
		return
	}
	if err := arm64.Write(*dir, name, neon); err != nil {
		log.Fatal(err)
	}
}
