// Command tables fits tables by train.Auto, by the defaults of a recipe and, beside them, by XGBoost, and prints a
// Markdown table with means over divisions or seeds and their standard errors:
//
//	go run ./examples/tables -data DIR -budget 60s -sets pol,letter
//
// DIR has a folder for each set, with NAME.train.* and NAME.test.* in it, or NAME.all.*, of which a fifth is held out
// in each division. Files are CSV with the target in the last column, or LIBSVM with classes. With test rows, the runs
// differ in their seeds. The score is the root mean squared error of targets, or the accuracy.
//
// peer.py fits XGBoost (Debian's python3-xgboost): five settings, with early stopping on a fifth of the training rows,
// the best of which learns from all training rows. All have as many cores as GOMAXPROCS says.
package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/stat"
)

//go:embed peer.py
var peer string

func main() { program.Main("tables", run) }

type options struct {
	folder, python string
	budget         time.Duration
	trials, seeds  int
}

func run(ctx context.Context, args []string) error {
	var o options
	var sets string
	fs := flag.NewFlagSet("tables", flag.ContinueOnError)
	fs.StringVar(&o.folder, "data", "data", "the `folder` of the sets")
	fs.StringVar(&sets, "sets", "pol,bike,elevators,kin8nm,kin40k,housing,letter,adult,spambase,usps,semeion,optdigits,ijcnn1", "the `names` of the sets")
	fs.DurationVar(&o.budget, "budget", time.Minute, "the time of Auto; 0: without Auto")
	fs.IntVar(&o.trials, "trials", 0, "trials of Auto, whatever time they take, in place of -budget")
	fs.IntVar(&o.seeds, "seeds", 0, "runs of each set (default 3, or 5 divisions)")
	fs.StringVar(&o.python, "python", "/usr/bin/python3", "a Python with xgboost; empty: without XGBoost")
	if err := flags.Parse(fs, "tables compares what learns from tables.", args); err != nil {
		return err
	}
	if o.trials > 0 {
		o.budget = 0
	}
	fmt.Println("| rows | auto | seconds | default | seconds | XGBoost | seconds |\n|---|---|---|---|---|---|---|")
	return try.Catch(func() {
		for _, name := range strings.Split(sets, ",") {
			try.In(name, func() { o.set(ctx, name) })
		}
		fmt.Printf("\npeak memory %d MB, %d cores\n", program.PeakRSS()>>20, runtime.GOMAXPROCS(0))
	})
}

// runs are the results of a way to learn on one set.
type runs struct{ scores, seconds []float64 }

func (r *runs) add(score float64, took time.Duration) {
	r.scores, r.seconds = append(r.scores, score), append(r.seconds, took.Seconds())
}

func (r *runs) String() string {
	if len(r.scores) == 0 {
		return "| "
	}
	mean, std := stat.MeanStdDev(r.scores, nil)
	text := fmt.Sprintf("%.4g", mean)
	if n := len(r.scores); n > 1 {
		text += fmt.Sprintf(" ± %.2g", std/math.Sqrt(float64(n)))
	}
	return fmt.Sprintf("%s | %.1f", text, stat.Mean(r.seconds, nil))
}

// set prints the line of a set.
func (o *options) set(ctx context.Context, name string) {
	read := func(part string) (*data.Set, error) {
		files, err := filepath.Glob(filepath.Join(o.folder, name, "*."+part+".*"))
		if err != nil || len(files) != 1 {
			return nil, errors.Join(err, os.ErrNotExist)
		}
		task := data.Classification
		if strings.Contains(files[0], ".csv") {
			task = data.Regression
		}
		return data.ReadAll(ctx, data.Options{Task: task}, files...)
	}
	all, err := read("all")
	var rows, test *data.Set
	n := 5
	if errors.Is(err, os.ErrNotExist) {
		rows, test, n = try.Get(read("train")), try.Get(read("test")), 3
	} else {
		try.Do(err)
	}
	if o.seeds > 0 {
		n = o.seeds
	}
	var auto, plain, boosted runs
	for seed := range uint64(n) {
		if all != nil {
			kept, held := data.Split(all.Rows(), .2, seed)
			rows, test = all.Take(kept), all.Take(held)
		}
		o.compare(ctx, seed+1, rows, test, &auto, &plain, &boosted)
	}
	fmt.Printf("| %s | %v | %v | %v |\n", name, &auto, &plain, &boosted)
}

// compare fits one division of the rows in each way.
func (o *options) compare(ctx context.Context, seed uint64, rows, test *data.Set, auto, plain, boosted *runs) {
	fit := func(out *runs, how func() (*train.Model, error)) {
		start := time.Now()
		m := try.Get(how())
		took := time.Since(start)
		out.add(scoreOf(m, test), took)
	}
	if o.budget > 0 || o.trials > 0 {
		fit(auto, func() (*train.Model, error) {
			m, _, err := train.Auto(ctx, rows, train.AutoOptions{Budget: o.budget, Trials: o.trials, Seed: seed})
			return m, err
		})
	}
	fit(plain, func() (*train.Model, error) {
		m, _, err := train.Recipe{Spec: layers.Spec{Seed: seed}}.Fit(ctx, rows)
		return m, err
	})
	if o.python != "" {
		start := time.Now()
		score := o.boost(ctx, rows, test, seed)
		boosted.add(score, time.Since(start))
	}
}

// scoreOf is the root mean squared error, or the accuracy, on test rows.
func scoreOf(m *train.Model, test *data.Set) float64 {
	if test.Labels == nil {
		return try.Get(report.RMSE(try.Get(m.PredictTargets(test.X)), test.Y))
	}
	return try.Get(report.Accuracy(try.Get(m.Predict(test.X)), try.Get(m.Classes.Index(test.Labels))))
}

// boost fits XGBoost in a process of its own.
func (o *options) boost(ctx context.Context, rows, test *data.Set, seed uint64) (score float64) {
	dir := try.Get(os.MkdirTemp("", "tables"))
	defer os.RemoveAll(dir)
	classes := data.NewClasses(rows.Labels)
	for name, set := range map[string]*data.Set{"train": rows, "test": test} {
		y := set.Y
		if set.Labels != nil {
			for _, c := range try.Get(classes.Index(set.Labels)) {
				y = append(y, float64(c))
			}
		}
		for part, v := range map[string][]float64{"x": ops.Float64s(try.Get(set.Dense())), "y": y} {
			raw := try.Get(binary.Append(nil, binary.LittleEndian, v))
			try.Do(os.WriteFile(filepath.Join(dir, name+"."+part), raw, 0o600))
		}
	}
	cmd := exec.CommandContext(ctx, o.python, "-c", peer, dir, fmt.Sprint(rows.Dims()), fmt.Sprint(len(classes)),
		fmt.Sprint(seed), fmt.Sprint(runtime.GOMAXPROCS(0)))
	cmd.Stderr = os.Stderr
	try.Do(json.Unmarshal(try.Get(cmd.Output()), &score))
	return score
}
