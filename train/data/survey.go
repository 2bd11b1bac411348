package data

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// maxClasses is the largest number of classes of a stream; all are kept.
const maxClasses = 1 << 16

// Survey is the result of one pass over a stream.
type Survey struct {
	Rows    int
	Dims    int
	Stored  int     // cells that are not 0 for LIBSVM text; all cells for other formats
	Classes Classes // nil in regression
	Targets int     // number of targets of a row, in regression
	Counts  []int   // number of rows of each class
	// Sample is a random sample of the rows without replacement, in the order of the files; nil if none was asked for.
	Sample *Set

	stream *Stream
	scaler *Scaler
	learnt *learning // of the scaler, after the pass of its first step that learns; nil: no pass is done
}

// Survey reads all rows once and draws a random sample of at most sample rows (Vitter 1985, algorithm R, under Seed).
// Afterwards the stream knows its width and whether its blocks are sparse. Errors: as for Blocks; ErrFormat for more
// than 65536 classes, for no feature, and for no row.
func (s *Stream) Survey(ctx context.Context, sample int) (*Survey, error) {
	return s.SurveyScaled(ctx, sample, nil)
}

// SurveyScaled is Survey, and lets the scaler learn from the same pass where rows are dense. Survey.FitScaler completes
// the fit; until then the scaler is as before.
func (s *Stream) SurveyScaled(ctx context.Context, sample int, scaler *Scaler) (*Survey, error) {
	rng := rand.New(spectral.Stream(s.o.Seed, "data/sample"))
	w := &surveyor{Survey: Survey{stream: s, scaler: scaler}, reservoir: reservoir[entry]{size: sample, rng: rng},
		classes: map[string]int{}}
	if scaler != nil {
		w.learnt = newLearning(scaler)
	}
	if err := w.read(ctx); err != nil {
		return nil, err
	}
	return w.result()
}

// FitScaler fits the scaler of SurveyScaled to the rows of the stream. It reads them once for each step of the scaler
// that learns, except the first where the survey has done that. Errors: domain.ErrParam without a scaler, and as for
// Scaler.FitBlocks.
func (v *Survey) FitScaler(ctx context.Context) error {
	if v == nil || v.scaler == nil {
		return fmt.Errorf("data: FitScaler: the survey has no scaler; take it by SurveyScaled: %w", domain.ErrParam)
	}
	l := v.learnt
	if v.learnt = nil; l == nil {
		l = newLearning(v.scaler)
	} else if err := l.next(); err != nil {
		return err
	}
	return l.fit(Streamed{Stream: v.stream}.Matrices(ctx))
}

type surveyor struct {
	reservoir[entry]
	like    *Set
	classes map[string]int // the number of rows of each
	fixed   bool           // whether a file states its width at the start
	text    bool           // whether a file does not
	Survey
}

// read reads the files. LIBSVM text is read sparse, since its width is not known before its end.
func (v *surveyor) read(ctx context.Context) error {
	o := v.stream.Options().Options
	return v.stream.pieces(ctx, nil, &o, func() int { return v.stream.o.BlockRows }, func(r rows, at place) error {
		fixed := r.fixed()
		_, d := r.inHand()
		if (v.fixed || fixed && v.Rows > 0) && d > 0 && (d > v.Dims || fixed && d < v.Dims) {
			return fmt.Errorf("data: %s: has %d features, the files before it have %d: %w", v.stream.files[at.file], d, v.Dims, domain.ErrShape)
		}
		v.fixed, v.text, v.Dims = v.fixed || fixed, v.text || !fixed, max(v.Dims, d)
		if v.fixed {
			o.Dims = v.Dims
		}
		return v.stream.block(r, max(d, 1), !fixed, at, v.block)
	})
}

func (v *surveyor) block(b *Set) error {
	v.like = b
	if x, ok := b.X.(*ops.CSR); ok {
		v.Stored += x.Stored()
	} else {
		v.Stored += b.Rows() * b.Dims()
	}
	if v.text || v.learnt != nil && v.learnt.block(b.X) != nil { // FitScaler says what is wrong
		v.learnt = nil
	}
	for i, l := range b.Labels {
		if v.classes[l]++; len(v.classes) > maxClasses {
			file, row := b.Place(i)
			return fmt.Errorf("data: %s: with row %d there are more than %d classes; read targets as regression: %w", file, row, maxClasses, ErrFormat)
		}
	}
	v.Rows += b.Rows()
	return b.entries(func(e entry) error { v.slot().keep(e); return nil })
}

func (v *surveyor) result() (*Survey, error) {
	v.Dims = max(v.Dims, v.stream.Options().Dims)
	switch {
	case v.Dims == 0:
		return nil, fmt.Errorf("data: %s: no row of any file names a feature; if all are 0, say how many features there are (Options.Dims): %w", v.stream.files[0], ErrFormat)
	case v.Rows == 0:
		return nil, fmt.Errorf("data: %s: no row of any file belongs to this part of a Split: %w", v.stream.files[0], ErrFormat)
	}
	settled := v.stream.shape.learn(func(k *facts) {
		if k.dims = v.Dims; !k.settled {
			k.sparse, k.settled = v.stream.o.sparse(v.Rows, v.Dims, v.Stored, v.fixed), true
		}
	})
	if settled.sparse {
		v.learnt = nil
	}
	v.Targets = v.like.Targets()
	if v.like.Labels != nil {
		v.Classes = NewClasses(slices.Sorted(maps.Keys(v.classes)))
		for _, l := range v.Classes {
			v.Counts = append(v.Counts, v.classes[l])
		}
	}
	if len(v.pool) == 0 {
		return &v.Survey, nil
	}
	slices.SortFunc(v.pool, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.row, b.at.row))
	})
	sample := &cutter{size: len(v.pool), like: v.like, dims: v.Dims, sparse: settled.sparse,
		emit: func(b *Set) error { v.Sample = b; return nil }}
	for _, e := range v.pool {
		if err := sample.one(e.in(v.Dims, settled.sparse)); err != nil {
			return nil, err
		}
	}
	return &v.Survey, nil
}
