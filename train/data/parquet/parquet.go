// Package parquet makes data.Read and data.OpenStream read Apache Parquet files, the extension .parquet:
//
//	import _ "github.com/bochner-go/bochner/train/data/parquet"
//
// It is a package of its own so that programs which do not import it do not link the decoder, github.com/parquet-go/parquet-go, some megabytes
// with its codecs; that one rather than Apache Arrow's for it is the smaller of the two by far.
//
// A file is a flat table: each column holds booleans (0 and 1), integers, floats or, for classes, text, and no row lacks a value; one that
// does is an error that names it, as is a nested, repeated, decimal or date column. An integer of 2^53 or more in absolute value, which
// float64 may round, is an error too. Row groups are decoded page by page, so memory follows the page; pages may be packed by
// any codec of the format but LZO, and a checksum that a page has is compared.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

func init() { data.RegisterTable(".parquet", open) }

// table reads the columns side by side, row group after row group.
type table struct {
	f      *os.File
	groups []parquet.RowGroup
	names  []string
	whole  []bool // of each column: integers without a sign
	chunks []column
	left   int64 // rows of the row group
	done   int   // rows
}

// column is a chunk of a column, and the values that were decoded ahead.
type column struct {
	pages  parquet.Pages
	values parquet.ValueReader
	buf    []parquet.Value
}

func open(f *os.File) (_ data.Table, err error) {
	defer guard(&err)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("is not a Parquet file, or a damaged one (%v): %w", err, data.ErrFormat)
	}
	t := &table{f: f, groups: p.RowGroups()}
	for _, c := range p.Root().Columns() {
		if err := check(c); err != nil {
			return nil, err
		}
		t.names, t.whole = append(t.names, c.Name()), append(t.whole, unsigned(c))
	}
	return t, nil
}

// check wants a column of the kinds of the package comment.
func check(c *parquet.Column) error {
	if !c.Leaf() || c.Repeated() {
		return fmt.Errorf("the column %q is nested or repeated; write one value a row and column: %w", c.Name(), data.ErrFormat)
	}
	t := c.Type()
	if l := t.LogicalType(); l != nil {
		switch l.Value.(type) {
		case nil, *format.IntType, *format.StringType, *format.EnumType:
		default:
			return fmt.Errorf("the column %q is of type %v; write it as a double: %w", c.Name(), t, data.ErrFormat)
		}
	}
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double, parquet.ByteArray:
		return nil
	default:
		return fmt.Errorf("the column %q is of type %v; write it as a double: %w", c.Name(), t, data.ErrFormat)
	}
}

// unsigned says whether the integers of a column have no sign.
func unsigned(c *parquet.Column) bool {
	l := c.Type().LogicalType()
	if l == nil {
		return false
	}
	i, ok := l.Value.(*format.IntType)
	return ok && !i.IsSigned
}

// guard turns a panic of the decoder over damaged bytes into an error.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the file is damaged (%v): %w", r, data.ErrFormat)
	}
}

func (t *table) Columns() []string { return t.names }

func (t *table) Next(most int) (_ []data.Column, err error) {
	defer guard(&err)
	for t.left == 0 {
		if err := t.closeChunks(); err != nil {
			return nil, damaged(err)
		}
		if len(t.groups) == 0 {
			return nil, io.EOF
		}
		t.start(t.groups[0])
		t.groups = t.groups[1:]
	}
	n := int(min(int64(most), t.left))
	out := make([]data.Column, len(t.chunks))
	for j := range t.chunks {
		if out[j], err = t.column(j, n); err != nil {
			return nil, err
		}
	}
	t.left -= int64(n)
	t.done += n
	return out, nil
}

func (t *table) start(g parquet.RowGroup) {
	t.left = g.NumRows()
	for _, c := range g.ColumnChunks() {
		t.chunks = append(t.chunks, column{pages: c.Pages()})
	}
}

// column decodes n values of column j.
func (t *table) column(j, n int) (out data.Column, err error) {
	c := &t.chunks[j]
	if len(c.buf) < n {
		c.buf = make([]parquet.Value, n)
	}
	for at := 0; at < n; {
		got, err := c.read(c.buf[:n-at])
		for i, v := range c.buf[:got] {
			if err := t.value(&out, j, at+i, v); err != nil {
				return out, err
			}
		}
		at += got
		if err != nil && at < n {
			return out, damaged(err)
		}
	}
	return out, nil
}

// read is some values, page after page; the first call of a page opens it.
func (c *column) read(buf []parquet.Value) (int, error) {
	for {
		if c.values == nil {
			p, err := c.pages.ReadPage()
			if err != nil {
				return 0, err
			}
			c.values = p.Values()
		}
		n, err := c.values.ReadValues(buf)
		if err == io.EOF {
			c.values, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// value appends a value, of row i of those in hand.
func (t *table) value(out *data.Column, j, i int, v parquet.Value) error {
	var f float64
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			f = 1
		}
	case parquet.Int32:
		f = float64(v.Int32())
		if t.whole[j] {
			f = float64(v.Uint32())
		}
	case parquet.Int64:
		f = float64(v.Int64())
		if t.whole[j] {
			f = float64(v.Uint64())
		}
	case parquet.Float:
		f = float64(v.Float())
	case parquet.Double:
		f = v.Double()
	case parquet.ByteArray:
		out.Texts = append(out.Texts, string(v.ByteArray()))
		return nil
	default:
		return fmt.Errorf("row %d has no value in column %d (%q); drop the row or fill the value in: %w", t.done+i, j+1, t.names[j], data.ErrFormat)
	}
	if v.Kind() == parquet.Int64 && math.Abs(f) >= 1<<53 {
		return fmt.Errorf("row %d has the integer %v in column %d (%q), which is 2^53 or more in absolute value, where float64 rounds; write the column as a double if that is meant: %w",
			t.done+i, v, j+1, t.names[j], domain.ErrDomain)
	}
	out.Numbers = append(out.Numbers, f)
	return nil
}

// damaged is for an error of the decoder.
func damaged(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the file is damaged (%v): %w", err, data.ErrFormat)
}

func (t *table) closeChunks() error {
	var errs []error
	for _, c := range t.chunks {
		errs = append(errs, c.pages.Close())
	}
	t.chunks = nil
	return errors.Join(errs...)
}

func (t *table) Close() error { return errors.Join(t.closeChunks(), t.f.Close()) }
