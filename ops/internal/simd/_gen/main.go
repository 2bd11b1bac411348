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
	for _, file := range []struct {
		name, arch string
		add        func(*asm.File)
	}{
		{"gemm", "amd64", tiles}, {"gemm", "arm64", neonTiles},
		{"vec", "amd64", functions}, {"vec", "arm64", neonFunctions},
		{"csr", "amd64", rows}, {"fwht", "amd64", hadamard},
	} {
		if err := asm.Write(*dir, file.name, file.arch, file.add); err != nil {
			log.Fatal(err)
		}
	}
}

// floats are the letters at the end of an instruction of amd64 for floats of so many bytes.
func floats(elem int, name string) string { return name + map[int]string{4: "S", 8: "D"}[elem] }
