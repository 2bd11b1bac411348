package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/wholefile"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// textFile is a file of text that appears when it is whole.
type textFile struct {
	file *wholefile.File
	w    *bufio.Writer
}

func newTextFile(path string) (textFile, error) {
	f, err := wholefile.Create(path)
	if err != nil {
		return textFile{}, err
	}
	return textFile{f, bufio.NewWriterSize(f, 1<<20)}, nil
}

func (t textFile) abort() { t.file.Abort() }

func (t textFile) commit() error {
	if err := t.w.Flush(); err != nil {
		t.abort()
		return err
	}
	return t.file.Commit()
}

// csvPredictions has a line for each row: what names it, its class and the scores of all classes, or its targets.
type csvPredictions struct {
	textFile
	predicted
	csv *csv.Writer
}

func newCSVPredictions(path string, p predicted) (predictions, error) {
	t, err := newTextFile(path)
	if err != nil {
		return nil, err
	}
	c := &csvPredictions{t, p, csv.NewWriter(t.w)}
	head := []string{p.id}
	if p.model.Classes != nil {
		head = append(head, "class")
	}
	head = append(head, p.names...)
	for i, name := range head {
		head[i] = p.text(name)
	}
	if err := c.csv.Write(head); err != nil {
		t.abort()
		return nil, err
	}
	return c, nil
}

func (c *csvPredictions) write(b *data.Block, at int, scores *mat.Dense) error {
	var line []string
	for i := range b.Rows() {
		line = append(line[:0], c.text(name(b, at, i)))
		if c.model.Classes != nil {
			line = append(line, c.text(c.class(scores, i)))
		}
		for _, v := range scores.RawRowView(i) {
			line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if err := c.csv.Write(line); err != nil {
			return err
		}
	}
	c.csv.Flush()
	return c.csv.Error()
}

// text is a text as the file has it.
func (p predicted) text(t string) string {
	if _, err := strconv.ParseFloat(t, 64); p.spreadsheet && err != nil && t != "" && strings.Contains("=+-@\t\r", t[:1]) {
		return "'" + t
	}
	return t
}

// jsonPredictions has an object a line: row or id, and class and scores by class, with a distribution also the set of
// classes, or targets by name.
type jsonPredictions struct {
	textFile
	predicted
}

func newJSONPredictions(path string, p predicted) (predictions, error) {
	t, err := newTextFile(path)
	return &jsonPredictions{t, p}, err
}

func (j *jsonPredictions) write(b *data.Block, at int, scores *mat.Dense) error {
	out := json.NewEncoder(j.w)
	for i := range b.Rows() {
		object := map[string]any{}
		if b.IDs != nil {
			object["id"] = b.IDs[i]
		} else {
			object["row"] = at + i
		}
		values, set := map[string]float64{}, []string{}
		for k, v := range scores.RawRowView(i) {
			switch classes := len(j.model.Classes); {
			case k < classes:
				values[j.model.Classes[k]] = v
			case classes == 0:
				values[j.names[k]] = v
			case v > 0:
				set = append(set, j.model.Classes[k-classes])
			}
		}
		if j.level > 0 && j.model.Classes != nil {
			object["set"] = set
		}
		switch {
		case j.model.Classes == nil:
			object["targets"] = values
		case j.model.Head.Classifies() || j.level > 0:
			object["class"], object["probabilities"] = j.class(scores, i), values
		default:
			object["class"], object["scores"] = j.class(scores, i), values
		}
		if err := out.Encode(object); err != nil {
			return err
		}
	}
	return nil
}

// npyPredictions are the scores of all classes, or the targets.
type npyPredictions struct {
	file *data.MatrixFile
}

func newNPYPredictions(path string, p predicted) (predictions, error) {
	f, err := data.NewMatrixFile(path, data.AnyRows, len(p.names), tensor.Float64)
	return npyPredictions{f}, err
}

func (n npyPredictions) write(_ *data.Block, _ int, scores *mat.Dense) error {
	r, c := scores.Dims()
	return n.file.Write(tensor.New(tensor.WithShape(r, c), tensor.WithBacking(scores.RawMatrix().Data)))
}

func (n npyPredictions) commit() error { return n.file.Close(nil) }

func (n npyPredictions) abort() { _ = n.file.Close(errAborted) }

var errAborted = fmt.Errorf("aborted")

// parquetPredictions has the columns of csvPredictions.
type parquetPredictions struct {
	textFile
	predicted
	w       *parquet.GenericWriter[any]
	columns []int // in the file, of what names the row, the class and the scores
}

func newParquetPredictions(path string, p predicted) (predictions, error) {
	names, group := []string{p.id}, parquet.Group{p.id: parquet.String()}
	if p.model.Classes != nil {
		names = append(names, "class")
	}
	for _, n := range append(names[1:], p.names...) {
		if _, twice := group[n]; twice {
			return nil, fmt.Errorf("two columns would be named %q; write .csv", n)
		}
		group[n] = parquet.Leaf(parquet.DoubleType)
	}
	if p.model.Classes != nil {
		group["class"] = parquet.String()
	}
	t, err := newTextFile(path)
	if err != nil {
		return nil, err
	}
	schema := parquet.NewSchema("predictions", group)
	q := &parquetPredictions{textFile: t, predicted: p, w: parquet.NewGenericWriter[any](t.w, schema)}
	for _, n := range append(names, p.names...) {
		leaf, _ := schema.Lookup(n)
		q.columns = append(q.columns, leaf.ColumnIndex)
	}
	return q, nil
}

func (q *parquetPredictions) write(b *data.Block, at int, scores *mat.Dense) error {
	rows := make([]parquet.Row, b.Rows())
	for i := range rows {
		row := make(parquet.Row, len(q.columns))
		set := func(k int, v parquet.Value) { row[q.columns[k]] = v.Level(0, 0, q.columns[k]) }
		set(0, parquet.ByteArrayValue([]byte(name(b, at, i))))
		k := 1
		if q.model.Classes != nil {
			set(k, parquet.ByteArrayValue([]byte(q.class(scores, i))))
			k++
		}
		for j, v := range scores.RawRowView(i) {
			set(k+j, parquet.DoubleValue(v))
		}
		rows[i] = row
	}
	_, err := q.w.WriteRows(rows)
	return err
}

func (q *parquetPredictions) commit() error {
	if err := q.w.Close(); err != nil {
		q.abort()
		return err
	}
	return q.textFile.commit()
}
