package beam

import (
	"context"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/modelfile"
)

func init() {
	register.DoFn3x1[context.Context, string, func(*sums), error](&accumulateFn{})
	register.DoFn2x1[context.Context, *sums, error](&saveFn{})
	register.Emitter1[*sums]()
	register.Combiner1[*sums](&mergeFn{})
	beam.RegisterCoder(reflect.TypeFor[*sums](), encodeSums, decodeSums)
}

// Fit adds to a pipeline the steps that fit a ridge head on the features of the rows of files (List), and save the model, whole or not at all,
// under the name save, local or remote. lambda is relative, as in linear.FitRidge; 0 is 1e-6 times the number of rows. Errors:
// as for train.Model.MarshalBinary; domain.ErrParam for a recipe that reads no labels and for a lambda that is negative or not finite.
func Fit(s beam.Scope, r *Recipe, files []string, lambda float64, save string) error {
	shipped, err := r.ship()
	if err == nil {
		err = r.checkRead()
	}
	if err == nil && !(lambda >= 0 && lambda-lambda == 0) {
		err = fmt.Errorf("beam: lambda = %v is not a finite number >= 0; 0 is the default: %w", lambda, domain.ErrParam)
	}
	if err != nil {
		return err
	}
	s = s.Scope("bochner.Fit")
	parts := beam.ParDo(s, &accumulateFn{Recipe: shipped}, spread(s, files))
	beam.ParDo0(s, &saveFn{Recipe: shipped, Files: len(files), Lambda: lambda, Path: save}, beam.Combine(s, &mergeFn{}, parts))
	return nil
}

// spread hands the names of files to all workers. Without the Reshuffle an engine would fuse what follows with the one impulse that names
// them, and one worker would read them all.
func spread(s beam.Scope, files []string) beam.PCollection {
	return beam.Reshuffle(s, beam.CreateList(s, files))
}

// accumulateFn reads files, maps their rows and adds them up: one value for all files of a bundle.
type accumulateFn struct {
	Recipe shipped

	recipe *Recipe
	sums   *sums
}

func (f *accumulateFn) Setup() (err error) {
	f.recipe, err = f.Recipe.recipe()
	return err
}

func (f *accumulateFn) StartBundle(func(*sums)) {
	f.sums = &sums{stats: &linear.RidgeStats{Of: f.Recipe.fingerprint()}}
}

func (f *accumulateFn) ProcessElement(ctx context.Context, file string, _ func(*sums)) error {
	f.sums.files++
	return f.recipe.read(ctx, file, func(rows data.Streamed) error {
		return f.sums.stats.AddRows(ctx, f.recipe.Model.Map, rowsInTurn{rows})
	})
}

func (f *accumulateFn) FinishBundle(emit func(*sums)) {
	if f.sums.files > 0 {
		emit(f.sums)
	}
	f.sums = nil
}

// saveFn solves the sums of all files and saves the model.
type saveFn struct {
	Recipe shipped
	Files  int
	Lambda float64
	Path   string
}

func (f *saveFn) ProcessElement(ctx context.Context, s *sums) error {
	if s.files != f.Files {
		return fmt.Errorf("beam: the sums are of %d files and the job has %d: the engine lost or repeated some, or has read none; run it again", s.files, f.Files)
	}
	r, err := f.Recipe.recipe()
	if err != nil {
		return err
	}
	m := *r.Model
	if m.Head, err = f.head(m.Map, s.stats); err != nil {
		return err
	}
	return deliver(ctx, f.Path, m.Save)
}

// head is the ridge head of the sums.
func (f *saveFn) head(l layers.Layer, stats *linear.RidgeStats) (layers.Head, error) {
	lambda := f.Lambda
	if lambda == 0 {
		lambda = 1e-6 * float64(stats.N())
	}
	fit, err := stats.Solve(lambda)
	if err != nil {
		return nil, err
	}
	return fit.Head("linear", layers.WithDtype(l.Dtype()), layers.WithName("head"))
}

// sums are the statistics of the rows of some files.
type sums struct {
	files int
	stats *linear.RidgeStats
}

// encodeSums is the number of files, and the statistics as they marshal themselves, with their version and checksum.
func encodeSums(s *sums) ([]byte, error) {
	b, err := s.stats.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint64(b, uint64(s.files)), nil
}

func decodeSums(b []byte) (*sums, error) {
	at := len(b) - 8
	if at < 0 {
		return nil, fmt.Errorf("beam: sums of %d bytes: %w", len(b), modelfile.ErrCorrupt)
	}
	s := &sums{int(binary.LittleEndian.Uint64(b[at:])), new(linear.RidgeStats)}
	return s, s.stats.UnmarshalBinary(b[:at])
}

// mergeFn adds sums up.
type mergeFn struct{}

func (*mergeFn) CreateAccumulator() *sums { return &sums{stats: new(linear.RidgeStats)} }

// MergeAccumulators returns the sum of both, one of which it may change.
func (*mergeFn) MergeAccumulators(a, b *sums) (*sums, error) {
	if a.files == 0 {
		return b, nil // without another D x D matrix
	}
	a.files += b.files
	return a, a.stats.Merge(b.stats)
}
