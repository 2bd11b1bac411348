package predictions

import (
	"bufio"
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/wholefile"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// ParquetFile is a table of texts and numbers while it is written. The file appears under its name when it is complete.
type ParquetFile struct {
	file    *wholefile.File
	buffer  *bufio.Writer
	w       *parquet.GenericWriter[any]
	columns []int // in the file, of the texts and then the numbers
	texts   int
}

// NewParquet starts a file with columns of texts and columns of numbers, by their names. Errors: domain.ErrParam for two
// columns of one name; the errors of the file system.
func NewParquet(path string, texts, numbers []string) (*ParquetFile, error) {
	group := parquet.Group{}
	names := append(append([]string(nil), texts...), numbers...)
	for k, name := range names {
		if _, twice := group[name]; twice {
			return nil, fmt.Errorf("two columns would be named %q; write .csv: %w", name, domain.ErrParam)
		}
		if group[name] = parquet.Leaf(parquet.DoubleType); k < len(texts) {
			group[name] = parquet.String()
		}
	}
	file, err := wholefile.Create(path)
	if err != nil {
		return nil, err
	}
	schema, buffer := parquet.NewSchema("rows", group), bufio.NewWriterSize(file, 1<<20)
	w := &ParquetFile{file: file, buffer: buffer, w: parquet.NewGenericWriter[any](buffer, schema), texts: len(texts)}
	for _, name := range names {
		leaf, _ := schema.Lookup(name)
		w.columns = append(w.columns, leaf.ColumnIndex)
	}
	return w, nil
}

// Write appends rows: their texts, column by column, and their numbers. Errors: from the file system.
func (w *ParquetFile) Write(texts [][]string, numbers *mat.Dense) error {
	n, _ := numbers.Dims()
	rows := make([]parquet.Row, n)
	for i := range rows {
		rows[i] = make(parquet.Row, len(w.columns))
		for k, column := range w.columns {
			var v parquet.Value
			if k < w.texts {
				v = parquet.ByteArrayValue([]byte(texts[k][i]))
			} else {
				v = parquet.DoubleValue(numbers.At(i, k-w.texts))
			}
			rows[i][column] = v.Level(0, 0, column)
		}
	}
	_, err := w.w.WriteRows(rows)
	return err
}

// Close completes the file, or gives it up if err is not nil. It returns err, or what went wrong.
func (w *ParquetFile) Close(err error) error {
	if err == nil {
		err = w.w.Close()
	}
	if err == nil {
		err = w.buffer.Flush()
	}
	if err != nil {
		w.file.Abort()
		return err
	}
	return w.file.Commit()
}
