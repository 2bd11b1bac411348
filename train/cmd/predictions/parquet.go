package predictions

import (
	"fmt"
	"io"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// parquetFile is a table of texts and numbers.
type parquetFile struct {
	*parquet.GenericWriter[any]
	columns []int // in the file, of the texts and then the numbers
}

// newParquet starts a file with columns of texts and columns of numbers, by their names. Errors: domain.ErrParam for
// two columns of one name.
func newParquet(w io.Writer, texts, numbers []string) (encoder, error) {
	group := parquet.Group{}
	names := slices.Concat(texts, numbers)
	for k, name := range names {
		if _, twice := group[name]; twice {
			return nil, fmt.Errorf("two columns would be named %q; write .csv: %w", name, domain.ErrParam)
		}
		if group[name] = parquet.Leaf(parquet.DoubleType); k < len(texts) {
			group[name] = parquet.String()
		}
	}
	schema := parquet.NewSchema("rows", group)
	f := &parquetFile{GenericWriter: parquet.NewGenericWriter[any](w, schema)}
	for _, name := range names {
		leaf, _ := schema.Lookup(name)
		f.columns = append(f.columns, leaf.ColumnIndex)
	}
	return f, nil
}

func (f *parquetFile) Write(texts [][]string, numbers *mat.Dense) error {
	n, _ := numbers.Dims()
	rows := make([]parquet.Row, n)
	for i := range rows {
		rows[i] = make(parquet.Row, len(f.columns))
		for k, column := range f.columns {
			var v parquet.Value
			if k < len(texts) {
				v = parquet.ByteArrayValue([]byte(texts[k][i]))
			} else {
				v = parquet.DoubleValue(numbers.At(i, k-len(texts)))
			}
			rows[i][column] = v.Level(0, 0, column)
		}
	}
	_, err := f.WriteRows(rows)
	return err
}
