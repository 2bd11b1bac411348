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
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/onnx"
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
	err := build(ctx, *folder, *digits, *rows, *features, *seed)
	if err == nil && *serve != "" {
		err = serveFolder(ctx, *folder, *serve)
	}
	if err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

// build writes the whole page.
func build(ctx context.Context, folder, digits string, rows, features int, seed uint64) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, name := range runtime {
		path := filepath.Join(packages, "node_modules/onnxruntime-web/dist", name)
		if err := copyFile(filepath.Join(folder, name), path); err != nil {
			return fmt.Errorf("%w; run in the root of the repository, after npm ci --ignore-scripts --omit=dev --prefix %s", err, packages)
		}
	}
	if err := copyPage(folder); err != nil {
		return err
	}
	start := time.Now()
	if err := live(ctx, folder); err != nil {
		return err
	}
	size, err := os.Stat(filepath.Join(folder, "live.wasm"))
	if err != nil {
		return err
	}
	fmt.Printf("live.wasm: %.1f MB, in %.1f s\n", float64(size.Size())/1e6, time.Since(start).Seconds())
	return model(ctx, folder, digits, rows, features, seed)
}

// copyPage copies what is written by hand.
func copyPage(folder string) error {
	files, err := fs.ReadDir(page, "page")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := page.ReadFile("page/" + f.Name())
		if err != nil {
			return err
		}
		if err := put(filepath.Join(folder, f.Name()), text); err != nil {
			return err
		}
	}
	return nil
}

// live compiles what learns in the page, and copies what starts it.
func live(ctx context.Context, folder string) error {
	dir, err := os.MkdirTemp(folder, "build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	wasm := filepath.Join(dir, "live.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "./examples/browser/live")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./examples/browser/live: %w\n%s", err, said)
	}
	if err := os.Rename(wasm, filepath.Join(folder, "live.wasm")); err != nil {
		return err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	return copyFile(filepath.Join(folder, "wasm_exec.js"), filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"))
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
func model(ctx context.Context, folder, digits string, rows, features int, seed uint64) error {
	set, a := &data.Set{}, about{Digits: "digits that the program has made", Version: modelfile.Version}
	if digits == "" {
		if rows < 100 {
			return fmt.Errorf("-rows %d: too few digits to learn from; make 100 or more", rows)
		}
		set = made(rows, seed)
	} else {
		var err error
		if set, err = data.Read(digits, data.Options{Form: data.FormDense}); err != nil {
			return err
		}
		if set.Dims() != side*side || set.Labels == nil {
			return fmt.Errorf("%s: rows of %d columns; want MNIST's %d and a label", digits, set.Dims(), side*side)
		}
		floats.Scale(1./255, set.X.(*tensor.Dense).Float64s())
		a.Digits = filepath.Base(digits)
	}
	start := time.Now()
	learn, test := data.Split(set.Rows(), 1./6, seed)
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: features, Seed: seed}, Fitter: linear.LogisticOptions{Tol: 1e-3},
		Uncertainty: &train.UncertaintyOptions{}}
	m, _, err := recipe.Fit(ctx, set.Take(learn))
	if err != nil {
		return err
	}
	held := set.Take(test)
	guess, err := m.PredictClasses(held.X)
	if err != nil {
		return err
	}
	for i, g := range guess {
		if g == held.Labels[i] {
			a.Accuracy += 1 / float64(len(guess))
		}
	}
	a.Rows, a.Test, a.Features = len(learn), len(test), m.Map.Features()
	fmt.Printf("model.onnx: learned from %d rows of %s in %.1f s, accuracy %.4f on %d others\n", a.Rows, a.Digits, time.Since(start).Seconds(), a.Accuracy, a.Test)
	if err := onnx.Save(filepath.Join(folder, "model.onnx"), m, onnx.Options{Probabilities: true}); err != nil {
		return err
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return put(filepath.Join(folder, "about.json"), text)
}

func copyFile(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return put(to, b)
}

// put writes a file as a whole.
func put(path string, b []byte) error {
	return wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// serveFolder serves a folder until the context ends.
func serveFolder(ctx context.Context, folder, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(folder)), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Printf("open http://%s\n", listener.Addr())
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}
