package onnx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gorgonia.org/tensor"
)

// The runtimes are those of testdata/node: run npm ci --ignore-scripts there. Without them the tests are left out.
const nodeFolder = "testdata/node"

// trialTensor is a tensor of a case of testdata/node/run.js.
type trialTensor struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
	File  string `json:"file"`
}

// writeTrial writes a case for run.js, and returns by output how far it may be off.
func writeTrial(t *testing.T, dir string, m *train.Model, x *tensor.Dense, o Options) map[string]float64 {
	t.Helper()
	mustDo(os.Mkdir(dir, 0o777))
	mustDo(Save(filepath.Join(dir, "model.onnx"), m, o))
	dt := o.Dtype
	write := func(name, kind string, shape []int, raw []byte) trialTensor {
		mustDo(os.WriteFile(filepath.Join(dir, name+".bin"), raw, 0o666))
		return trialTensor{name, kind, shape, name + ".bin"}
	}
	var list struct {
		Input   trialTensor   `json:"input"`
		Outputs []trialTensor `json:"outputs"`
	}
	list.Input = write(Input, dt.String(), x.Shape(), rawNumbers(element(dt), ops.Float64s(x)))
	n, most := x.Shape()[0], map[string]float64{}
	f := parse(t, must(os.ReadFile(filepath.Join(dir, "model.onnx"))))
	angle := largestAngle(f, evaluate(t, f, input(x, dt)))
	for name, want := range wanted(m, x, o) {
		kind, elem, shape := dt.String(), element(dt), []int{n, len(want) / n}
		if name == Class {
			whole := make([]int64, n)
			for i, v := range want {
				whole[i] = int64(v)
			}
			list.Outputs = append(list.Outputs, write(name, "int64", []int{n}, rawBytes(whole)))
		} else {
			list.Outputs = append(list.Outputs, write(name, kind, shape, rawNumbers(elem, want)))
		}
		largest := 0.
		for _, v := range want {
			largest = max(largest, v, -v)
		}
		most[name] = tolerance(m, name, dt, largest, angle)
	}
	if o.Labels {
		list.Outputs = append(list.Outputs, write(Label, "string", []int{n}, must(json.Marshal(must(m.PredictClasses(x))))))
		most[Label] = 0
	}
	mustDo(os.WriteFile(filepath.Join(dir, "case.json"), must(json.Marshal(list)), 0o666))
	return most
}

// runtimes are the arguments of run.js.
var runtimes = map[string][]string{"onnxruntime-node": nil, "onnxruntime-web": {"web"}}

// skipShort skips a test that starts other programs, with -short and under the race detector.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() || trial.RaceEnabled {
		t.Skip("not with -short or under the race detector: it starts other programs")
	}
}

// skipWithout skips a test where a runtime is not installed.
func skipWithout(t *testing.T, runtime string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed: nothing is compared with ONNX Runtime")
	}
	if _, err := os.Stat(filepath.Join(nodeFolder, "node_modules", runtime)); err != nil {
		t.Skipf("%s is not installed: run npm ci --ignore-scripts in train/onnx/%s", runtime, nodeFolder)
	}
}

// difference is what run.js says of an output.
type difference struct {
	Off     any     `json:"off"` // a number, or NaN
	Largest float64 `json:"largest"`
	Error   string  `json:"error"`
}

// TestRuntimes compares every model that was saved, and models with all outputs, with what ONNX Runtime says. In
// WebAssembly, which takes longer to start, it is one model of each map, in float32.
func TestRuntimes(t *testing.T) {
	skipShort(t)
	all := allModels(t)
	for runtime, args := range runtimes {
		t.Run(runtime, func(t *testing.T) {
			skipWithout(t, runtime)
			root, most := t.TempDir(), map[string]map[string]float64{}
			for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
				seen := map[string]bool{}
				for _, s := range all {
					kind := s.m.Spec.Map + s.m.Spec.Params.Word("way")
					if runtime == "onnxruntime-web" && (seen[kind] && s.m.Uncertainty == nil || dt == tensor.Float64) {
						continue
					}
					seen[kind] = true
					name := s.name + "-" + dt.String()
					most[name] = writeTrial(t, filepath.Join(root, name), s.m, s.x, everything(s.m, dt))
				}
			}
			var out, log bytes.Buffer
			cmd := exec.Command("node", append([]string{filepath.Join(nodeFolder, "run.js"), root}, args...)...)
			cmd.Stdout, cmd.Stderr = &out, &log
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, log.String())
			}
			results := map[string]map[string]json.RawMessage{}
			if err := json.Unmarshal(out.Bytes(), &results); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			compareTrials(t, results, most)
		})
	}
}

func compareTrials(t *testing.T, results map[string]map[string]json.RawMessage, most map[string]map[string]float64) {
	t.Helper()
	for name, outputs := range most {
		if text := results[name]["error"]; text != nil {
			t.Errorf("%s: %s", name, text)
			continue
		}
		for output, limit := range outputs {
			var d difference
			if err := json.Unmarshal(results[name][output], &d); err != nil || d.Error != "" {
				t.Errorf("%s: %s: %v %s", name, output, err, d.Error)
				continue
			}
			if v, ok := d.Off.(float64); !ok || !(v <= limit) {
				t.Errorf("%s: %s is off by %v, want at most %.2g; the largest is %.2g", name, output, d.Off, limit, d.Largest)
			}
		}
	}
}

// checkFiles prints what onnx.checker says of files, with its inference of shapes.
const checkFiles = `
import sys, onnx
for path in sys.argv[1:]:
    onnx.checker.check_model(onnx.load(path), full_check=True)
print("checked", len(sys.argv) - 1)
`

// TestChecker has onnx.checker look at files, where Python has the package onnx.
func TestChecker(t *testing.T) {
	skipShort(t)
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import onnx").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("no Python with the package onnx: install python3-onnx")
	}
	dir, args := t.TempDir(), []string{"-c", checkFiles}
	for _, s := range allModels(t) {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			path := filepath.Join(dir, s.name+"-"+dt.String()+".onnx")
			mustDo(Save(path, s.m, everything(s.m, dt)))
			args = append(args, path)
		}
	}
	out, err := exec.Command(python, args...).CombinedOutput()
	if want := fmt.Sprintf("checked %d\n", len(args)-2); err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}
