// Package predictions writes what a model predicts to files: CSV, JSON, NumPy arrays and Parquet.
package predictions

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	_ "github.com/bochner-go/bochner/train/data/parquet" // writes .parquet
	"github.com/bochner-go/bochner/train/wholefile"
	"gonum.org/v1/gonum/mat"
)

// Options are the options of Write.
type Options struct {
	// ID is the column that names the rows, as in data.Options; empty: they are numbered from 0.
	ID string
	// Level asks for what Model.Uncertainty adds: of classes calibrated probabilities and which of them are in a set of
	// this probability, of targets the standard deviation, if there is a posterior, and the ends of an interval. 0: only
	// classes and scores, or targets.
	Level float64
	// Spreadsheet puts ' before texts in CSV that begin with =, +, - or @ and are not numbers, which spreadsheets would
	// compute.
	Spreadsheet bool
}

// Formats returns the endings of the files that Write writes.
func Formats() []string { return []string{".csv", ".jsonl", ".npy", ".parquet"} }

// Check returns what is wrong with the options for a file (domain.ErrParam): another ending than those of Formats, a
// Level outside [0, 1), and Spreadsheet for another file than CSV.
func (o Options) Check(path string) error {
	ext := filepath.Ext(path)
	switch {
	case !slices.Contains(Formats(), ext):
		return fmt.Errorf("%s: want a name that ends with %s: %w", path, strings.Join(Formats(), ", "), domain.ErrParam)
	case !(o.Level >= 0 && o.Level < 1):
		return fmt.Errorf("level %v: want a probability between 0 and 1: %w", o.Level, domain.ErrParam)
	case o.Spreadsheet && ext != ".csv":
		return fmt.Errorf("%s: texts are quoted for spreadsheets in .csv alone: %w", path, domain.ErrParam)
	}
	return nil
}

// Write writes what a model predicts for rows to a file, and returns their number. The ending of the name is the format:
//
//   - .csv and .parquet: what names a row, its class, and a column for each class or target, in this order;
//   - .jsonl: an object a line, with row or id, and class and scores or probabilities by class, or targets by name;
//   - .npy: the numbers alone.
//
// The file appears under its name when it is complete. Errors: see Check and, for a Level, train.Uncertainty.Check; from
// the rows, the model and the file system.
func Write(path string, m *train.Model, rows iter.Seq2[*data.Set, error], o Options) (int, error) {
	err := o.Check(path)
	if err == nil && o.Level > 0 {
		err = m.Uncertainty.Check(o.Level)
	}
	if err != nil {
		return 0, fmt.Errorf("predictions: %w", err)
	}
	t := tableOf(m, o)
	f, err := t.create(path)
	if err != nil {
		return 0, err
	}
	n, err := t.write(f, rows)
	return n, f.Close(err)
}

// writer appends rows to a file: their texts, column by column, and their numbers. Close completes the file, or removes
// it and returns the error that it is given.
type writer interface {
	Write(texts [][]string, numbers *mat.Dense) error
	Close(err error) error
}

// table has the columns of a prediction.
type table struct {
	Options
	model    *train.Model
	texts    []string // the column that names the rows, and class
	names    []string // of the numbers
	numbered bool     // whether the rows in hand have numbers and no names
}

// tableOf are the columns that a model predicts.
func tableOf(m *train.Model, o Options) *table {
	t := &table{Options: o, model: m, texts: []string{cmp.Or(o.ID, "row")}}
	if c := m.Columns; c != nil && !c.Named && o.ID != "" {
		t.texts[0] = cmp.Or(c.ID, o.ID)
	}
	percent := strconv.FormatFloat(100*o.Level, 'g', 4, 64) + "%"
	if m.Classes != nil {
		t.texts = append(t.texts, "class")
		what := "score "
		if m.Head.Classifies() || o.Level > 0 {
			what = "probability "
		}
		for _, class := range m.Classes {
			t.names = append(t.names, what+class)
		}
		for _, class := range m.Classes {
			if o.Level > 0 {
				t.names = append(t.names, "in "+percent+" set "+class)
			}
		}
		return t
	}
	outputs := m.Head.Features()
	for k := range outputs {
		switch {
		case m.Columns != nil && len(m.Columns.Labels) == outputs:
			t.names = append(t.names, m.Columns.Labels[k])
		case outputs == 1:
			t.names = append(t.names, "target")
		default:
			t.names = append(t.names, "target "+strconv.Itoa(k+1))
		}
	}
	if o.Level == 0 {
		return t
	}
	ends := []string{" lower " + percent, " upper " + percent}
	if m.Uncertainty.Posterior != nil {
		ends = append([]string{" std"}, ends...)
	}
	for _, end := range ends {
		for _, name := range t.names[:outputs] {
			t.names = append(t.names, name+end)
		}
	}
	return t
}

// numbers are the columns of some rows.
func (t *table) numbers(x ops.Matrix) (*mat.Dense, error) {
	if t.Level == 0 {
		return t.model.Scores(x)
	}
	p, err := t.model.Prediction(x)
	if err != nil {
		return nil, err
	}
	if t.model.Classes != nil {
		sets, err := p.Sets(t.Level)
		if err != nil {
			return nil, err
		}
		n, k := p.Probabilities.Dims()
		in := mat.NewDense(n, k, nil)
		for i, set := range sets {
			for _, c := range set {
				in.Set(i, c, 1)
			}
		}
		return beside(p.Probabilities, in), nil
	}
	lower, upper, err := p.Intervals(t.Level)
	if err != nil {
		return nil, err
	}
	if p.Distribution != nil {
		return beside(p.Scores, p.Distribution.Std, lower, upper), nil
	}
	return beside(p.Scores, lower, upper), nil
}

func beside(out *mat.Dense, more ...*mat.Dense) *mat.Dense {
	for _, m := range more {
		wider := new(mat.Dense)
		wider.Augment(out, m)
		out = wider
	}
	return out
}

// write writes what the model predicts of blocks of rows, and counts these.
func (t *table) write(w writer, blocks iter.Seq2[*data.Set, error]) (rows int, err error) {
	for b, err := range blocks {
		if err != nil {
			return rows, err
		}
		numbers, err := t.numbers(b.X)
		if err != nil {
			return rows, b.Locate(err)
		}
		texts := make([][]string, len(t.texts))
		for i := range b.Rows() {
			if b.IDs != nil {
				texts[0] = append(texts[0], b.IDs[i])
			} else {
				texts[0] = append(texts[0], strconv.Itoa(rows+i))
			}
		}
		if classes := len(t.model.Classes); classes > 0 {
			for _, c := range train.ArgMax(numbers.Slice(0, b.Rows(), 0, classes).(*mat.Dense)) {
				texts[1] = append(texts[1], t.model.Classes[max(0, c)]) // scores that are all NaN are of the first class
			}
		}
		t.numbered = b.IDs == nil
		if err := w.Write(texts, numbers); err != nil {
			return rows, err
		}
		rows += b.Rows()
	}
	return rows, nil
}

// create starts a file in the format of its ending.
func (t *table) create(path string) (writer, error) {
	ext := filepath.Ext(path)
	if ext == ".npy" || ext == ".parquet" {
		return t.columns(path)
	}
	f, err := wholefile.Create(path)
	if err != nil {
		return nil, err
	}
	to := lineFile{t, f, bufio.NewWriterSize(f, 1<<20)}
	if ext == ".jsonl" {
		return &jsonFile{to, json.NewEncoder(to.buffer)}, nil
	}
	c := &csvFile{to, csv.NewWriter(to.buffer)}
	if err := c.line(slices.Concat(t.texts, t.names)...); err != nil {
		return nil, fmt.Errorf("%s: %w", path, c.Close(err))
	}
	return c, nil
}

// columnFile has the texts, unless it is .npy, and the numbers.
type columnFile struct {
	data.TableWriter
	texts bool
}

// columns starts a file of columns. Errors: domain.ErrParam for two columns of one name.
func (t *table) columns(path string) (columnFile, error) {
	f, names, like := columnFile{texts: filepath.Ext(path) != ".npy"}, t.names, make([]data.Column, len(t.names))
	if f.texts {
		names, like = slices.Concat(t.texts, t.names), slices.Concat(textColumns(make([][]string, len(t.texts))), like)
	}
	for k, name := range names {
		if f.texts && slices.Contains(names[:k], name) {
			return f, fmt.Errorf("%s: two columns would be named %q; write .csv: %w", path, name, domain.ErrParam)
		}
	}
	var err error
	f.TableWriter, err = data.NewTableWriter(path, names, like)
	return f, err
}

// textColumns are columns of texts.
func textColumns(texts [][]string) (all []data.Column) {
	for _, column := range texts {
		t := &data.Texts{Distinct: column}
		for i := range column {
			t.Codes = append(t.Codes, int32(i))
		}
		all = append(all, data.Column{Texts: t})
	}
	return all
}

func (f columnFile) Write(texts [][]string, numbers *mat.Dense) error {
	var all []data.Column
	if f.texts {
		all = textColumns(texts)
	}
	_, k := numbers.Dims()
	for j := range k {
		all = append(all, data.Column{Numbers: mat.Col(nil, j, numbers)})
	}
	return f.TableWriter.Write(all)
}

// lineFile is a file of lines.
type lineFile struct {
	*table
	file   *wholefile.File
	buffer *bufio.Writer
}

func (f lineFile) Close(err error) error { return f.file.Close(cmp.Or(err, f.buffer.Flush())) }

// csvFile has a line for each row.
type csvFile struct {
	lineFile
	csv *csv.Writer
}

// line writes texts, as a spreadsheet may read them.
func (f *csvFile) line(texts ...string) error {
	for i, t := range texts {
		if _, err := strconv.ParseFloat(t, 64); f.Spreadsheet && err != nil && t != "" && strings.Contains("=+-@\t\r", t[:1]) {
			texts[i] = "'" + t
		}
	}
	return f.csv.Write(texts)
}

func (f *csvFile) Write(texts [][]string, numbers *mat.Dense) error {
	n, _ := numbers.Dims()
	var line []string
	for i := range n {
		line = line[:0]
		for _, column := range texts {
			line = append(line, column[i])
		}
		for _, v := range numbers.RawRowView(i) {
			line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if err := f.line(line...); err != nil {
			return err
		}
	}
	return nil
}

func (f *csvFile) Close(err error) error {
	f.csv.Flush()
	return f.lineFile.Close(cmp.Or(err, f.csv.Error()))
}

// jsonFile has an object a line.
type jsonFile struct {
	lineFile
	out *json.Encoder
}

func (f *jsonFile) Write(texts [][]string, numbers *mat.Dense) error {
	m := f.model
	for i, name := range texts[0] {
		object := map[string]any{"id": name}
		if f.numbered {
			object = map[string]any{"row": json.Number(name)}
		}
		values, set := map[string]float64{}, []string{}
		for k, v := range numbers.RawRowView(i) {
			switch classes := len(m.Classes); {
			case k < classes:
				values[m.Classes[k]] = v
			case classes == 0:
				values[f.names[k]] = v
			case v > 0:
				set = append(set, m.Classes[k-classes])
			}
		}
		switch {
		case m.Classes == nil:
			object["targets"] = values
		case m.Head.Classifies() || f.Level > 0:
			object["class"], object["probabilities"] = texts[1][i], values
		default:
			object["class"], object["scores"] = texts[1][i], values
		}
		if f.Level > 0 && m.Classes != nil {
			object["set"] = set
		}
		if err := f.out.Encode(object); err != nil {
			return err
		}
	}
	return nil
}
