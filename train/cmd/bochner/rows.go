package main

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
)

// testShare is the share of the rows that is set aside for testing where no test file is given.
const testShare = .2

// testRows gets the rows to test a model on, as it takes them: scaled, with targets, of classes as OneVersusRest. The
// training rows have been read by then.
type testRows func(m *train.Model) (data.Examples, error)

// open gets the training rows and the test rows.
func (f *fitting) open(ctx context.Context) (data.Source, testRows, error) {
	switch {
	case f.Stream.on:
		s, held, err := f.openTrain(ctx)
		return s, func(m *train.Model) (data.Examples, error) { return f.openTest(m, s, held) }, err
	case len(f.Train) > 0 && !f.bags && (f.recipe.Columns != nil || tables(f.Train)):
		return f.readTable(ctx)
	}
	var set *data.Set
	var err error
	switch {
	case len(f.Train) > 0:
		set, err = readFiles(ctx, f.bags, f.Train, f.read)
	case f.bags:
		set, err = data.SyntheticBags(f.recipe.Spec.Seed)
	default:
		set = data.SyntheticHistograms(f.recipe.Spec.Seed)
	}
	if err != nil {
		return nil, nil, err
	}
	return f.divided(ctx, set)
}

// readTable gets the rows of tables. Test rows wait for the columns of the model.
func (f *fitting) readTable(ctx context.Context) (data.Source, testRows, error) {
	table, err := data.ReadFrame(ctx, f.read, f.Train...)
	if err != nil {
		return nil, nil, err
	}
	if f.recipe.Columns == nil {
		if set := plain(table); set != nil {
			return f.divided(ctx, set)
		}
		f.recipe.Columns = new(data.ColumnOptions)
	}
	f.first = table
	if len(f.Test) > 0 {
		return table, func(m *train.Model) (data.Examples, error) {
			o, err := readFor(m, f.read, f.Labels)
			if err != nil {
				return nil, err
			}
			set, err := data.ReadAll(ctx, o, f.Test...)
			if err != nil {
				return nil, err
			}
			return examplesOf(m, set)
		}, nil
	}
	rows, test, err := setAside(f, table, table.Source, table.Labels)
	return rows, func(m *train.Model) (data.Examples, error) { return examplesOf(m, test) }, err
}

// divided adds the test rows to a set that was read: from the files of --test, or set aside where there are none.
func (f *fitting) divided(ctx context.Context, set *data.Set) (data.Source, testRows, error) {
	var test *data.Set
	var err error
	if len(f.Test) > 0 {
		test, err = f.readTest(ctx, set)
	} else {
		set, test, err = setAside(f, set, set.Source, set.Labels)
	}
	return set, func(m *train.Model) (data.Examples, error) { return examplesOf(m, test) }, err
}

// readTest reads the test rows for a set, which they may widen: a sparse file need not name its last columns.
func (f *fitting) readTest(ctx context.Context, set *data.Set) (*data.Set, error) {
	o := f.read
	if f.bags || tables(f.Train) {
		o.Dims = set.Dims()
	}
	test, err := readFiles(ctx, f.bags, f.Test, o)
	if err != nil {
		return nil, err
	}
	want, got := set.Dims(), test.Dims()
	if want < got {
		o.Dims = got
		if wider, err := data.ReadAll(ctx, o, f.Train...); err == nil {
			*set, want = *wider, got
		}
	}
	if want == got {
		return test, nil
	}
	o.Dims = want
	return data.ReadAll(ctx, o, f.Test...)
}

// setAside divides rows: a fifth of them is for testing, of each class in classification.
func setAside[T interface {
	Rows() int
	Take(idx []int) T
}](f *fitting, all T, source string, labels []string) (rest, test T, err error) {
	n := all.Rows()
	if n < 5 {
		return rest, test, fmt.Errorf("%s: %d rows are too few to set a fifth aside; give --test", source, n)
	}
	kept, held := data.Split(n, testShare, f.recipe.Spec.Seed)
	if f.task == data.Classification {
		names := data.NewClasses(labels)
		if err := names.Check(n); err != nil { // most classes have one row, which cannot be set aside
			return rest, test, fmt.Errorf("%s: %w", source, err)
		}
		classes, err := names.Index(labels)
		if err != nil {
			return rest, test, err
		}
		kept, held = data.SplitStratified(classes, testShare, f.recipe.Spec.Seed)
	}
	if len(held) == 0 {
		return rest, test, fmt.Errorf("%s: the classes have too few rows to set some aside for testing; give --test, or name the label by --label", source)
	}
	return all.Take(kept), all.Take(held), nil
}

// examplesOf makes examples of rows in memory, scaled for a model.
func examplesOf(m *train.Model, rows data.Source) (b data.Pairs, err error) {
	set, ok := rows.(*data.Set)
	if !ok {
		if set, err = m.Rows(rows.(*data.Frame)); err != nil {
			return b, err
		}
	}
	b.Locate = set.Locate
	if m.Classes == nil {
		b.Y = mat.NewDense(set.Rows(), set.Targets(), set.Y)
	} else {
		labels, err := m.Classes.Index(set.Labels)
		if err == nil {
			b.Y, err = data.OneVersusRest(labels, len(m.Classes))
		}
		if err != nil {
			return b, set.Locate(err)
		}
	}
	b.X, err = m.Prepare(set.X)
	return b, set.Locate(err)
}

// openTrain opens the training files to be read in blocks, and without --test the part of them that is set aside.
func (f *fitting) openTrain(ctx context.Context) (s, held *data.Stream, err error) {
	so := data.StreamOptions{Options: f.read, Seed: f.recipe.Spec.Seed, BlockRows: f.blockRows()}
	if mini, ok := f.recipe.Fitter.(sgd.MiniBatch); ok {
		so.Shuffle = f.Stream.shuffle
		batch := max(1, cmp.Or(mini.Batch, 256))
		so.BlockRows += (batch - so.BlockRows%batch) % batch // whole batches
	}
	s, err = data.OpenStream(so, f.Train...)
	if err == nil && len(f.Test) == 0 {
		s, held = s.Split(testShare, f.recipe.Spec.Seed)
	}
	if err == nil {
		err = f.learnStream(ctx, s)
	}
	return s, held, err
}

func (f *fitting) blockRows() int { return data.BlockRows(1, max(1, f.recipe.Spec.Features)) }

// learnStream learns the columns of files that are read in blocks, where they are a table that needs it.
func (f *fitting) learnStream(ctx context.Context, s *data.Stream) error {
	columns := f.recipe.Columns
	if f.recipe.Columns = nil; columns == nil && !tables(f.Train) {
		return nil
	}
	quiet := f.read
	quiet.Tell = nil
	first, err := data.PeekFrame(quiet, s.Files()[0], 1000)
	if err != nil || columns == nil && plain(first) != nil {
		return err
	}
	f.first = first
	_, err = s.Learn(ctx, *cmp.Or(columns, new(data.ColumnOptions)))
	return err
}

// openTest is the rows of --test, or the rows that the training rows leave.
func (f *fitting) openTest(m *train.Model, rows, held *data.Stream) (data.Examples, error) {
	s, err := held, error(nil)
	if len(f.Test) == 0 {
		s = held.InOrder()
	} else {
		o := rows.Options().Options
		o.Dims, o.Form = rows.Dims(), data.FormDense
		if rows.Sparse() {
			o.Form = data.FormSparse
		}
		if o.Columns != nil && f.Labels.last() {
			o.LabelNames = nil // which Columns know
		}
		s, err = data.OpenStream(data.StreamOptions{Options: o, BlockRows: f.blockRows()}, f.Test...)
	}
	return data.Streamed{Stream: s, Scaler: m.Scaler, Classes: m.Classes, Dtype: m.Spec.ElementType()}, err
}

// checkTest counts the test rows, and finds what is wrong with them before the model is fitted.
func (r *result) checkTest(ctx context.Context, f *fitting, m *train.Model, rows data.Examples) error {
	on, err := m.Spec.Domain()
	if err != nil {
		return err
	}
	for b, err := range rows.Blocks(ctx, 0) {
		if err != nil {
			return err
		}
		r.TestRows += b.X.Shape()[0]
		if low, _, _ := on.Low(); m.Spec.Tuned() && low < 0 && !math.IsInf(low, -1) {
			continue // the shift of a skewed map is tuned, and with it the domain
		}
		if err := ops.CheckRows(on, "map "+m.Spec.Map, b.X); err != nil {
			return b.Locate(err)
		}
	}
	if r.TestRows == 0 {
		return fmt.Errorf("%s: no row is left to test on; give --test", f.Train[0])
	}
	return nil
}

// score is what a model predicts of rows, and how good that is; watch, if there is one, sees each block.
func score(ctx context.Context, m *train.Model, rows data.Examples, watch func(x ops.Matrix) error) (*scores, error) {
	s := new(scores)
	for b, err := range rows.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		raw, err := m.ScoresPrepared(b.X)
		if err == nil && watch != nil {
			err = watch(b.X)
		}
		if err != nil {
			return nil, b.Locate(err)
		}
		if m.Classes != nil {
			s.guess, s.truth = append(s.guess, train.ArgMax(raw)...), append(s.truth, train.ArgMax(b.Y)...)
			for i := 0; i < b.X.Shape()[0] && len(m.Classes) == 2; i++ {
				s.margins = append(s.margins, raw.At(i, 1)-raw.At(i, 0))
			}
			continue
		}
		for i := range b.X.Shape()[0] {
			s.predicted, s.target = append(s.predicted, raw.RawRowView(i)...), append(s.target, b.Y.RawRowView(i)...)
		}
	}
	return s, s.measure()
}
