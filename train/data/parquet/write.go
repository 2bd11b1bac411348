package parquet

import (
	"bufio"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/wholefile"
	"github.com/parquet-go/parquet-go"
)

// writer writes columns as optional doubles, texts, and timestamps in microseconds.
type writer struct {
	path string
	file *wholefile.File
	buf  *bufio.Writer
	w    *parquet.GenericWriter[any]
	rows []parquet.Row
}

// ordered is a group of fields in their order. That of a parquet.Group is by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

func create(path string, names []string, like []data.Column) (data.TableWriter, error) {
	root := ordered{Group: parquet.Group{}}
	for j, name := range names {
		node := parquet.Leaf(parquet.DoubleType)
		switch {
		case like[j].Texts != nil:
			node = parquet.String()
		case like[j].Times:
			node = parquet.Timestamp(parquet.Microsecond)
		}
		root.Group[name] = parquet.Optional(node)
		root.fields = append(root.fields, parquet.Group{name: root.Group[name]}.Fields()[0])
	}
	file, err := wholefile.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	buf := bufio.NewWriterSize(file, 1<<20)
	w := parquet.NewGenericWriter[any](buf, parquet.NewSchema("rows", root), parquet.Compression(&parquet.Zstd))
	return &writer{path: path, file: file, buf: buf, w: w}, nil
}

func (w *writer) Write(columns []data.Column) error {
	n := columns[0].Len()
	w.rows = w.rows[:0]
	for i := range n {
		row := make(parquet.Row, len(columns))
		for j, c := range columns {
			there := 1
			switch {
			case c.Texts != nil && c.Texts.Codes[i] >= 0:
				row[j] = parquet.ByteArrayValue([]byte(c.Texts.Distinct[c.Texts.Codes[i]]))
			case c.Texts != nil || math.IsNaN(c.Numbers[i]):
				row[j], there = parquet.NullValue(), 0
			case c.Times:
				row[j] = parquet.Int64Value(int64(math.Round(c.Numbers[i] * 864e8)))
			default:
				row[j] = parquet.DoubleValue(c.Numbers[i])
			}
			row[j] = row[j].Level(0, there, j)
		}
		w.rows = append(w.rows, row)
	}
	_, err := w.w.WriteRows(w.rows)
	return err
}

func (w *writer) Close(err error) error {
	for _, end := range []func() error{w.w.Close, w.buf.Flush} {
		if e := end(); err == nil {
			err = e
		}
	}
	if err = w.file.Close(err); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	return nil
}
