// Package parquet makes data.Read and data.OpenStream read, and data.Convert write, Apache Parquet files (.parquet):
//
//	import _ "github.com/bochner-go/bochner/train/data/parquet"
//
// It is a separate package so that other programs do not link its decoder, github.com/parquet-go/parquet-go, which with
// its codecs takes some megabytes.
//
// A file is a flat table: each column holds booleans (0 and 1), integers, decimals, floats, text, dates or timestamps.
// For data.Frame and data.Columns a missing value is a gap, and dates and timestamps are days since 1970. A column of
// another type, or a nested or repeated one, is an error that names it. So is an integer of 2^53 or more in absolute
// value, which float64 may round. Without data.Columns missing values, dates and timestamps are errors too. Row groups
// are decoded page by page, so memory is proportional to a page. Pages may have any codec of the format but LZO, and
// their checksums are verified if they have one.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"time"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

func init() {
	data.RegisterTable(".parquet", open, create)
}

// table reads the columns together, one row group after another.
type table struct {
	f      *os.File
	groups []parquet.RowGroup
	names  []string
	kinds  []kind
	chunks []parquet.ColumnChunkValueReader // of the row group
	buf    []parquet.Value                  // of a chunk, decoded last
	left   int64                            // rows of the row group
	done   int                              // rows
}

// kind is the type of the values of a column.
type kind struct {
	unsigned, text bool
	perDay         float64 // units per day of a date or timestamp; else 0
	scale          int32   // digits after the decimal point of a decimal
	decimal        bool
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
	t := &table{f: f, groups: p.RowGroups(), buf: make([]parquet.Value, 1<<13)}
	for _, c := range p.Root().Columns() {
		k, err := kindOf(c)
		if err != nil {
			return nil, err
		}
		t.names, t.kinds = append(t.names, c.Name()), append(t.kinds, k)
	}
	return t, nil
}

// kindOf returns an error for a column that is not of a kind in the package comment.
func kindOf(c *parquet.Column) (k kind, err error) {
	if !c.Leaf() || c.Repeated() {
		return k, fmt.Errorf("the column %q is nested or repeated; write one value a row and column: %w", c.Name(), data.ErrFormat)
	}
	t, known := c.Type(), true
	if l := t.LogicalType(); l != nil {
		switch v := l.Value.(type) {
		case nil, *format.StringType, *format.EnumType:
		case *format.IntType:
			k.unsigned = !v.IsSigned
		case *format.DateType:
			k.perDay = 1
		case *format.TimestampType:
			if v.Unit.Value != nil {
				k.perDay = float64(24 * time.Hour / v.Unit.Value.Duration())
			}
			known = k.perDay > 0
		case *format.DecimalType:
			k.decimal, k.scale = true, v.Scale
			known = v.Scale >= 0 && v.Scale <= 100
		default:
			known = false
		}
	}
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
	case parquet.ByteArray:
		k.text = !k.decimal
	default:
		known = known && k.decimal && t.Kind() == parquet.FixedLenByteArray
	}
	if !known {
		err = fmt.Errorf("the column %q is of type %v; write it as a double: %w", c.Name(), t, data.ErrFormat)
	}
	return k, err
}

// guard turns a panic of the decoder into an error about a damaged file.
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
		t.left = t.groups[0].NumRows()
		for _, c := range t.groups[0].ColumnChunks() {
			t.chunks = append(t.chunks, parquet.NewColumnChunkValueReader(c))
		}
		t.groups = t.groups[1:]
	}
	n := int(min(int64(most), int64(len(t.buf)), t.left))
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

// column decodes n values of column j.
func (t *table) column(j, n int) (out data.Column, err error) {
	out.Times = t.kinds[j].perDay > 0
	for at := 0; at < n; {
		got, err := t.chunks[j].ReadValues(t.buf[:n-at])
		for i, v := range t.buf[:got] {
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

// value appends a value of row i of the current block.
func (t *table) value(out *data.Column, j, i int, v parquet.Value) error {
	k := t.kinds[j]
	switch {
	case k.text:
		if out.Texts == nil {
			out.Texts = new(data.Texts)
		}
		out.Texts.Add(string(v.ByteArray())) // "" for a null
		return nil
	case v.IsNull():
		out.Numbers = append(out.Numbers, math.NaN())
		return nil
	}
	f, exact := k.number(v)
	if !exact {
		return fmt.Errorf("row %d has the integer %v in column %d (%q), which is 2^53 or more in absolute value, where float64 rounds; write the column as a double if that is meant: %w",
			t.done+i, v, j+1, t.names[j], domain.ErrDomain)
	}
	out.Numbers = append(out.Numbers, f)
	return nil
}

// number returns a value as float64, and false for an integer that float64 may have rounded.
func (k kind) number(v parquet.Value) (f float64, exact bool) {
	switch t := v.Kind(); {
	case t == parquet.Boolean && v.Boolean():
		return 1, true
	case t == parquet.Boolean:
		return 0, true
	case t == parquet.Float:
		return float64(v.Float()), true
	case t == parquet.Double:
		return v.Double(), true
	case k.decimal:
		return k.fraction(v)
	case t == parquet.Int32 && k.unsigned:
		return float64(v.Uint32()), true
	case t == parquet.Int32:
		f = float64(v.Int32())
	case k.unsigned:
		f = float64(v.Uint64())
	default:
		f = float64(v.Int64())
	}
	if k.perDay > 0 {
		return f / k.perDay, true
	}
	return f, math.Abs(f) < 1<<53
}

// fraction is a decimal, rounded once.
func (k kind) fraction(v parquet.Value) (f float64, exact bool) {
	unscaled := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		unscaled.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		unscaled.SetInt64(v.Int64())
	default: // big-endian, in two's complement
		b := v.ByteArray()
		if unscaled.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	f, _ = new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k.scale)), nil)).Float64()
	return f, k.scale > 0 || math.Abs(f) < 1<<53
}

// damaged wraps an error of the decoder.
func damaged(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the file is damaged (%v): %w", err, data.ErrFormat)
}

func (t *table) closeChunks() error {
	var errs []error
	for _, c := range t.chunks {
		errs = append(errs, c.Close())
	}
	t.chunks = nil
	return errors.Join(errs...)
}

func (t *table) Close() error { return errors.Join(t.closeChunks(), t.f.Close()) }
