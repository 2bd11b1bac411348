// Package files is what the generators of package simd share: how functions become files.
package files

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Main is the main function of the generator _gen/<name>: it writes the functions that add puts into the context to <name>_amd64.s, and
// their Go declarations to <name>_amd64.go, in the folder that -dir names. The same functions give the same bytes: nothing of the
// machine, the folder or the command line enters the files.
func Main(name string, add func(c *build.Context)) {
	dir := flag.String("dir", "..", "folder to write to")
	flag.Parse()
	log.SetFlags(0)

	c := build.NewContext()
	c.ConstraintExpr("!purego")
	add(c)
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
}
