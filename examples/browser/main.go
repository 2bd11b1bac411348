// Command browser builds a page on which this library works in a browser: digits that the reader draws are
// recognised by a model that Go has trained and ONNX Runtime runs, and features learn in WebAssembly while the
// reader sets points.
//
//	npm ci --ignore-scripts --omit=dev --prefix train/onnx/testdata/node
//	go run ./examples/browser -build page -serve 127.0.0.1:8080
//
// The page is static. Any server may serve its folder, without a network beyond it, and nothing that is drawn
// leaves it. The digits that the model learns are made: see write. With -digits they are those of a file of MNIST,
// LIBSVM text of 784 columns from 0 to 255.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/onnx"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/wholefile"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

//go:embed page
var page embed.FS

// packages is where npm puts ONNX Runtime.
const packages = "train/onnx/testdata/node"

// runtime are the files of ONNX Runtime that the page needs.
var runtime = []string{"ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"}

func main() {
	folder := flag.String("build", "", "the folder to put the page in")
	digits := flag.String("digits", "", "a file of MNIST to learn digits from; empty: made digits")
	rows := flag.Int("rows", 8000, "how many digits to make")
	features := flag.Int("features", 2048, "of the model of digits")
	seed := flag.Uint64("seed", 1, "of the made digits and of the features")
	serve := flag.String("serve", "", "an address to serve the folder at, such as 127.0.0.1:8080")
	flag.Parse()
	if *folder == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "browser: give -build FOLDER, and flags only")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := try.Catch(func() {
		build(ctx, *folder, *digits, *rows, *features, *seed)
		if *serve != "" {
			serveFolder(ctx, *folder, *serve)
		}
	})
	if err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

// build writes the whole page.
func build(ctx context.Context, folder, digits string, rows, features int, seed uint64) {
	try.Do(os.MkdirAll(folder, 0o777))
	for _, name := range runtime {
		path := filepath.Join(packages, "node_modules/onnxruntime-web/dist", name)
		if err := try.Catch(func() { copyFile(filepath.Join(folder, name), path) }); err != nil {
			try.Fail("%w; run in the root of the repository, after npm ci --ignore-scripts --omit=dev --prefix %s", err, packages)
		}
	}
	copyPage(folder)
	start := time.Now()
	live(ctx, folder)
	size := try.Get(os.Stat(filepath.Join(folder, "live.wasm"))).Size()
	fmt.Printf("live.wasm: %.1f MB, in %.1f s\n", float64(size)/1e6, time.Since(start).Seconds())
	model(ctx, folder, digits, rows, features, seed)
}

// copyPage copies what is written by hand.
func copyPage(folder string) {
	for _, f := range try.Get(page.ReadDir("page")) {
		put(filepath.Join(folder, f.Name()), try.Get(page.ReadFile("page/"+f.Name())))
	}
}

// live compiles what learns in the page, and copies what starts it.
func live(ctx context.Context, folder string) {
	dir := try.Get(os.MkdirTemp(folder, "build"))
	defer os.RemoveAll(dir)
	wasm := filepath.Join(dir, "live.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "./examples/browser/live")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		try.Fail("go build ./examples/browser/live: %w\n%s", err, said)
	}
	try.Do(os.Rename(wasm, filepath.Join(folder, "live.wasm")))
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		try.Fail("go env GOROOT: %w", err)
	}
	copyFile(filepath.Join(folder, "wasm_exec.js"), filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"))
}

// about is what the page says of its model.
type about struct {
	Digits   string  `json:"digits"` // where they come from
	Rows     int     `json:"rows"`   // it has learned from
	Test     int     `json:"test"`   // digits that it has not
	Accuracy float64 `json:"accuracy"`
	Features int     `json:"features"`
	Version  string  `json:"version"`
}

// model trains the model of digits on five rows in six, and writes it with its accuracy on the others.
func model(ctx context.Context, folder, digits string, rows, features int, seed uint64) {
	set, a := &data.Set{}, about{Digits: "digits that the program has made", Version: modelfile.Version}
	if digits == "" {
		if rows < 100 {
			try.Fail("-rows %d: too few digits to learn from; make 100 or more", rows)
		}
		set = made(rows, seed)
	} else {
		set = try.Get(data.Read(digits, data.Options{Form: data.FormDense}))
		if set.Dims() != side*side || set.Labels == nil {
			try.Fail("%s: rows of %d columns; want MNIST's %d and a label", digits, set.Dims(), side*side)
		}
		floats.Scale(1./255, set.X.(*tensor.Dense).Float64s())
		a.Digits = filepath.Base(digits)
	}
	start := time.Now()
	learn, test := data.Split(set.Rows(), 1./6, seed)
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: features, Seed: seed}, Fitter: linear.LogisticOptions{Tol: 1e-3},
		Uncertainty: &train.UncertaintyOptions{}}
	m, _, err := recipe.Fit(ctx, set.Take(learn))
	try.Do(err)
	held := set.Take(test)
	a.Accuracy = try.Get(report.Accuracy(try.Get(m.Predict(held.X)), try.Get(m.Classes.Index(held.Labels))))
	a.Rows, a.Test, a.Features = len(learn), len(test), m.Map.Features()
	fmt.Printf("model.onnx: learned from %d rows of %s in %.1f s, accuracy %.4f on %d others\n", a.Rows, a.Digits, time.Since(start).Seconds(), a.Accuracy, a.Test)
	try.Do(onnx.Save(filepath.Join(folder, "model.onnx"), m, onnx.Options{Probabilities: true}))
	put(filepath.Join(folder, "about.json"), try.Get(json.Marshal(a)))
}

func copyFile(to, from string) { put(to, try.Get(os.ReadFile(from))) }

// put writes a file as a whole.
func put(path string, b []byte) {
	try.Do(wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}))
}

// serveFolder serves a folder until the context ends.
func serveFolder(ctx context.Context, folder, address string) {
	listener := try.Get(net.Listen("tcp", address))
	server := &http.Server{Handler: http.FileServer(http.Dir(folder)), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Printf("open http://%s\n", listener.Addr())
	if err := server.Serve(listener); ctx.Err() == nil {
		try.Do(err)
	}
}
