package sgd

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/modelfile"
	"gorgonia.org/tensor"
)

// Checkpoints says where and how often Fit saves its state: the parameters, the moments of the solver, and the position
// in the epoch. On the same machine a resumed fit ends with the same bits as one that was never interrupted.
//
// Each checkpoint is a file, named by Path and the number of steps, such as fit.ckpt.000000000640. It appears under its
// name when it is complete, and holds a checksum (train/modelfile). Another one is written when the fit or its context
// ends. Concurrent fits need different Paths.
type Checkpoints struct {
	Path string
	// Epochs is the number of epochs between checkpoints. 0 is 1 if Every is 0, and otherwise no checkpoints by epochs.
	Epochs int
	Every  time.Duration // the time between checkpoints, which are written between two batches; 0: none by time
	Keep   int           // the number of files that are kept, the last ones; 0: 2
	// Resume continues from the last checkpoint, or starts afresh if there is none. The rows, map, head and options must
	// be as before. Without Resume an existing checkpoint is an error.
	Resume bool
}

// fill sets the defaults and checks the ranges.
func (c *Checkpoints) fill() error {
	if c.Path == "" && *c != (Checkpoints{}) {
		return fmt.Errorf("train: Fit: Checkpoints without a Path do nothing: %w", domain.ErrParam)
	}
	if c.Epochs < 0 || c.Every < 0 || c.Keep < 0 {
		return fmt.Errorf("train: Fit: Checkpoints: Epochs = %d, Every = %v or Keep = %d is negative: %w", c.Epochs,
			c.Every, c.Keep, domain.ErrParam)
	}
	if c.Epochs == 0 && c.Every == 0 {
		c.Epochs = 1
	}
	if c.Keep == 0 {
		c.Keep = 2
	}
	return nil
}

// keeper writes and reads the checkpoints of a fit. It does nothing without a Path.
type keeper struct {
	Checkpoints
	m    layers.Layer // as it was given, and
	rows data.Examples
	of   string // identifies the fit
	last time.Time
}

// identify makes the identity of the fit from its options, its rows with the unit of their targets, and the map and
// head at its start.
func (k *keeper) identify(f *fitter) {
	o := f.FitOptions
	o.Checkpoints, o.Progress, o.Chosen, o.CacheBytes = Checkpoints{}, nil, nil, 0
	h := sha256.New()
	identify(h, k.rows)
	if f.unit != nil {
		fmt.Fprintln(h, *f.unit)
	}
	for _, p := range append(slices.Clone(k.m.Params()), f.head.Params()...) {
		fmt.Fprintln(h, p.Name, p.Tuned, p.Value.Shape())
		writeBits(h, p.Value)
	}
	k.of = fmt.Sprintf("%+v %x", o, h.Sum(nil))
}

// files are the existing checkpoints, the latest one last, and the temporary files of a fit that was killed.
func (k *keeper) files() (saved, temporary []string, err error) {
	dir, base := filepath.Split(k.Path)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return nil, nil, fmt.Errorf("train: Fit: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		number, ok := strings.CutPrefix(name, base+".")
		if _, err := strconv.ParseUint(number, 10, 64); ok && len(number) == 12 && err == nil {
			saved = append(saved, dir+name)
		}
		if strings.HasPrefix(name, "."+base+".") && strings.HasSuffix(name, ".tmp") {
			temporary = append(temporary, dir+name)
		}
	}
	slices.Sort(saved)
	return saved, temporary, nil
}

// remove removes files.
func remove(names []string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("train: Fit: %w", err)
		}
	}
	return nil
}

// begin identifies the fit, and resumes it if that is wanted and possible.
func (k *keeper) begin(f *fitter) error {
	if k.Path == "" {
		return nil
	}
	k.identify(f)
	k.last = time.Now()
	names, temporary, err := k.files()
	if err == nil {
		err = remove(temporary)
	}
	if err != nil || len(names) == 0 {
		return err
	}
	name := names[len(names)-1]
	if !k.Resume {
		return fmt.Errorf("train: Fit: there is the checkpoint %s of an earlier fit; resume that one, or remove "+
			"its files: %w", name, domain.ErrParam)
	}
	if err := k.load(f, name); err != nil {
		return fmt.Errorf("train: Fit: %s: %w; remove it to go on from the one before", name, err)
	}
	return nil
}

// due saves a checkpoint if one is due: after an epoch, or between two batches if epoch is 0.
func (k *keeper) due(f *fitter, epoch int) error {
	if k.Path == "" {
		return nil
	}
	byEpoch := epoch > 0 && (k.Epochs > 0 && epoch%k.Epochs == 0 || epoch == f.Epochs || f.report.Stopped)
	if byEpoch || k.Every > 0 && time.Since(k.last) >= k.Every {
		return k.save(f)
	}
	return nil
}

// progress is the metadata of a checkpoint.
type progress struct {
	Of    string
	At    position
	Steps [2]int // of the solvers
}

// save writes a checkpoint, and removes the oldest ones beyond Keep.
func (k *keeper) save(f *fitter) error {
	text, err := json.Marshal(progress{k.of, f.at, [2]int{f.solvers[0].steps, f.solvers[1].steps}})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s.%012d", k.Path, f.solvers[1].steps)
	if err := modelfile.Write(name, map[string]string{"fit": string(text)}, k.tensors(f)); err != nil {
		return fmt.Errorf("train: Fit: checkpoint: %w", err)
	}
	k.last = time.Now()
	names, _, err := k.files()
	if err != nil {
		return err
	}
	return remove(names[:max(0, len(names)-k.Keep)])
}

// state has the memory of what a step changes: the parameters, and the moments of the solvers.
func (f *fitter) state() map[string]*tensor.Dense {
	all := map[string]*tensor.Dense{}
	for i, t := range tuned(f.m, f.head) {
		all[fmt.Sprintf("param.%d", i)] = t
	}
	for i, s := range f.solvers {
		for j := range s.m {
			all[fmt.Sprintf("m.%d.%d", i, j)], all[fmt.Sprintf("v.%d.%d", i, j)] = s.m[j], s.v[j]
		}
	}
	return all
}

// tensors are the state, the parameters of the best epoch, the report, and the loss of the epoch so far.
func (k *keeper) tensors(f *fitter) map[string]*tensor.Dense {
	all := f.state()
	for i, t := range f.kept {
		all[fmt.Sprintf("best.%d", i)] = t
	}
	numbers := []float64{f.at.loss}
	for _, e := range f.report.Epochs {
		numbers = append(numbers, e.Loss, e.Score, e.HeldLoss, e.HeldScore)
	}
	all["losses"] = tensor.New(tensor.WithShape(len(numbers)), tensor.WithBacking(numbers))
	return all
}

// load restores the fit from a checkpoint.
func (k *keeper) load(f *fitter, name string) error {
	meta, all, err := modelfile.Read(name)
	if err != nil {
		return err
	}
	var p progress
	if err := json.Unmarshal([]byte(meta["fit"]), &p); err != nil {
		return fmt.Errorf("is no checkpoint (%v): %w", err, modelfile.ErrCorrupt)
	}
	if p.Of != k.of {
		return fmt.Errorf("is of a fit with other rows, layers or options: %w", domain.ErrParam)
	}
	for name, t := range f.state() {
		if err := tensor.Copy(t, all[name]); err != nil {
			return err
		}
	}
	for i := 0; all[fmt.Sprintf("best.%d", i)] != nil; i++ {
		f.kept = append(f.kept, all[fmt.Sprintf("best.%d", i)])
	}
	losses := all["losses"].Float64s()
	f.at, f.at.loss = p.At, losses[0]
	for i, s := range f.solvers {
		s.steps = p.Steps[i]
	}
	for v := range slices.Chunk(losses[1:], 4) {
		f.observe(fits.Epoch{Number: len(f.report.Epochs) + 1, Of: f.Epochs, Loss: v[0], Score: v[1], HeldLoss: v[2],
			HeldScore: v[3]})
	}
	f.report.Resumed = true
	return nil
}
