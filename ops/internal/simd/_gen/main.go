// Command _gen writes the assembly of package simd and the Go declarations beside it into a folder.
//
//	go run -C _gen . -dir ..
//
// The same source gives the same bytes: nothing of the machine, the folder or the command line enters the files.
package main

import (
	"flag"
	"log"

	"github.com/bochner-go/bochner/ops/internal/simd/_gen/asm"
)

func main() {
	dir := flag.String("dir", "..", "folder to write to")
	flag.Parse()
	for arch, files := range map[string][]asm.Contents{
		"amd64": {{Name: "gemm", Add: tiles}, {Name: "vec", Add: functions}, {Name: "csr", Add: rows},
			{Name: "fwht", Add: hadamard}},
		"arm64": {{Name: "gemm", Add: neonTiles}, {Name: "vec", Add: neonFunctions}},
	} {
		if err := asm.Write(*dir, arch, files...); err != nil {
			log.Fatal(err)
		}
	}
}
