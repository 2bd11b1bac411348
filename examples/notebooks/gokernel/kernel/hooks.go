//go:build gokernel

// The kernel is gophernotes and these hooks. The installer builds them together.
package main

import (
	"fmt"
	"go/build"
	"reflect"

	_ "github.com/bochner-go/bochner/examples/notebooks/gokernel/thirdparty"
	_ "github.com/bochner-go/bochner/train/data/parquet" // which notebooks need not import, and which exports nothing
	"github.com/cosmos72/gomacro/imports"
)

func init() {
	// gophernotes v0.7.5 declares this proxy with another result than its interface, which gomacro refuses at start-up.
	delete(display.Proxies, "JSONer")

	// All that can be imported is linked in. Without a GOROOT gomacro does not look for the export data of the standard
	// library.
	build.Default.GOROOT = "/nonexistent"

	// A cell shows the values of its last expression, which for fmt.Println are a count and an error. Here it has none.
	std := imports.Packages["fmt"].Binds
	std["Print"] = reflect.ValueOf(func(a ...any) { fmt.Print(a...) })
	std["Printf"] = reflect.ValueOf(func(format string, a ...any) { fmt.Printf(format, a...) })
	std["Println"] = reflect.ValueOf(func(a ...any) { fmt.Println(a...) })
}
