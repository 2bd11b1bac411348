package data

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// TableWriter writes a file whose columns another package encodes, such as train/data/parquet.
type TableWriter interface {
	// Write appends rows, as Table.Next decodes them.
	Write(columns []Column) error
	// Close completes the file if err is nil, and else removes it and returns err.
	Close(err error) error
}

// NewTableWriter starts a file of columns with names, whose extension says the format: .npy, of numbers alone, or one of
// RegisterTable. like has a column for each name, like those to come: with Texts that are not nil for texts, and Times
// for times. Errors: ErrFormat for another extension, and for texts in a .npy file; domain.ErrShape for no columns, or
// another number of names than of columns, and of Write for columns that are not like these or of different lengths; the
// errors of the file system.
func NewTableWriter(path string, names []string, like []Column) (TableWriter, error) {
	create, err := writerOf(path)
	ext, _ := extension(path)
	switch texts := slices.IndexFunc(like, func(c Column) bool { return c.Texts != nil }); {
	case err != nil:
		return nil, err
	case len(names) == 0 || len(names) != len(like):
		return nil, fmt.Errorf("data: %s: %d names for %d columns; give each column a name: %w", path, len(names), len(like),
			domain.ErrShape)
	case texts >= 0 && ext == ".npy":
		return nil, fmt.Errorf("data: %s: column %s has texts, and .npy holds numbers alone; write .parquet: %w", path,
			quote(names[texts]), ErrFormat)
	}
	w, err := create(path, names, like)
	if err != nil {
		return nil, err
	}
	return likeColumns{w, slices.Clone(like)}, nil
}

// likeColumns writes columns that are like those that a file was started with.
type likeColumns struct {
	TableWriter
	like []Column
}

func (w likeColumns) Write(columns []Column) error {
	same := len(columns) == len(w.like)
	for j := 0; same && j < len(columns); j++ {
		c, like := columns[j], w.like[j]
		same = (c.Texts == nil) == (like.Texts == nil) && c.Times == like.Times && c.Len() == columns[0].Len()
	}
	if !same {
		return fmt.Errorf("data: the %d columns to write are not like the %d that the file was started with, or of different "+
			"lengths: %w", len(columns), len(w.like), domain.ErrShape)
	}
	return w.TableWriter.Write(columns)
}

// writerOf returns what starts a file, by its extension.
func writerOf(path string) (create func(path string, names []string, like []Column) (TableWriter, error), err error) {
	ext, packed := extension(path)
	if create = writers[ext]; create == nil || packed != unpacked {
		err = fmt.Errorf("data: %s: rows are converted to %s (.parquet if the program imports train/data/parquet): %w", path,
			strings.Join(slices.Sorted(maps.Keys(writers)), " or "), ErrFormat)
	}
	return create, err
}

// Convert writes the rows of files in another format: .npy, of numbers alone, which is read several times as fast as
// text, or with train/data/parquet .parquet, which has names, texts and times too. All columns are written in the order
// of the first file; Options.Label and LabelNames have no effect, but the label of LIBSVM text comes last unless Label
// is LabelNone. Missing values are NaN in .npy. The files are read in blocks, twice for .parquet, and out appears under
// its name when it is complete.
//
// Errors: as for ReadFrame and Stream.Survey; ErrFormat for another format, for files with different columns, and for
// texts in a .npy file; the errors of the file system.
func Convert(ctx context.Context, o Options, out string, paths ...string) (err error) {
	create, err := writerOf(out)
	if err != nil {
		return err
	}
	o.LabelNames, o.ID, o.Columns, o.Form = nil, "", nil, FormDense
	s, err := OpenStream(StreamOptions{Options: o}, paths...)
	if err != nil {
		return err
	}
	var like []Column
	if ext, _ := extension(out); ext != ".npy" {
		if like, err = s.kinds(ctx); err != nil {
			return err
		}
	}
	var w TableWriter
	defer func() {
		if w != nil {
			err = w.Close(err)
		}
	}()
	for f, err := range s.allColumns(ctx) {
		if err != nil {
			return err
		}
		if w == nil {
			if w, err = create(out, f.Names, like); err != nil {
				return err
			}
		}
		for j := range f.columns {
			switch c := &f.columns[j]; {
			case like != nil && like[j].Texts != nil:
				c.toTexts()
			case like != nil:
				c.Times = like[j].Times
			case c.Texts != nil:
				i := slices.IndexFunc(c.Texts.Codes, func(code int32) bool { return code >= 0 })
				line, row := f.placeOf(i)
				return newError(f.Source, line, ErrFormat, row+"column %s is %s, and .npy holds numbers alone; write .parquet",
					quote(f.Names[j]), quote(c.text(i)))
			}
		}
		if err := w.Write(f.columns); err != nil {
			return err
		}
	}
	return nil
}

// kinds returns a column without cells for each column of the files. It reads them once.
func (s *Stream) kinds(ctx context.Context) (like []Column, err error) {
	for f, err := range s.allColumns(ctx) {
		if err != nil {
			return nil, err
		}
		if like == nil {
			like = make([]Column, len(f.columns))
		}
		for j, c := range f.columns {
			if like[j].Times = like[j].Times || c.Times; c.Texts != nil {
				like[j].Texts = &Texts{}
			}
		}
	}
	return like, nil
}

// allColumns yields all rows in frames, with the columns of the first file.
func (s *Stream) allColumns(ctx context.Context) iter.Seq2[*Frame, error] {
	all, frames := *s, s.framesOfBlocks
	if ext, _ := extension(s.files[0]); !formats[ext].sparse {
		all.o.Label, frames = LabelNone, all.frames
	}
	var first *Frame
	return each(frames(ctx), func(f *Frame) (*Frame, error) {
		first = cmp.Or(first, f)
		return f, f.inOrderOf(first)
	})
}

// framesOfBlocks are the rows of files without columns.
func (s *Stream) framesOfBlocks(ctx context.Context) iter.Seq2[*Frame, error] {
	if _, err := s.Survey(ctx, 0); err != nil {
		return once[*Frame](nil, err)
	}
	return each(s.Blocks(ctx, 0), (*Set).frame)
}

// frame has the features as columns, and the label if there is one.
func (b *Set) frame() (*Frame, error) {
	x, err := b.Dense()
	if err != nil {
		return nil, err
	}
	f := &Frame{rows: b.Rows(), Source: b.Source, Names: namesFor(nil, b.Dims()), columns: make([]Column, b.Dims())}
	for k, v := range x.Float64s() {
		c := &f.columns[k%b.Dims()]
		c.Numbers = append(c.Numbers, v)
	}
	label := Column{Numbers: b.Y}
	if b.Labels != nil {
		label.Numbers = make([]float64, 0, f.rows)
		for _, l := range b.Labels {
			label.add(l, number)
		}
	}
	if !label.skipped() {
		f.Names, f.columns = append(f.Names, "label"), append(f.columns, label)
	}
	return f, nil
}

// array writes columns to a .npy file.
type array struct{ *MatrixFile }

func newArray(path string, names []string, _ []Column) (TableWriter, error) {
	f, err := NewMatrixFile(path, AnyRows, len(names), tensor.Float64)
	if err != nil {
		return nil, err
	}
	return array{f}, nil
}

func (a array) Write(columns []Column) error {
	n, d := columns[0].Len(), len(columns)
	x := make([]float64, n*d)
	for j, c := range columns {
		for i, v := range c.Numbers {
			x[i*d+j] = v
		}
	}
	return a.MatrixFile.Write(tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x)))
}
