package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// ReadBags reads a CSV file of bags at path, plain, gzip or zstd. See ReadBagsCSV.
func ReadBags(path string, o Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	return ReadBagsCSV(f, path, o)
}

// ReadBagsCSV reads sets of samples from comma-separated values (RFC 4180), plain, gzip or zstd. name stands for the
// file in messages and in Set.Source. The first line names the columns: "bag", "label" unless Options.Label is
// LabelNone, and the coordinates, which are numbers. Each further line is a sample. The rows of a bag need not be
// consecutive; they keep their order. Set.X is an *ops.Bags of float64.
//
// Options.Task, Dims and MaxCells are as for ReadCSV. Label only says whether there is a label, and Form has no effect.
// Errors: as for ReadCSV; ErrFormat for a header without "bag" or "label", an empty bag name, and rows of one bag
// with different labels.
func ReadBagsCSV(r io.Reader, name string, o Options) (*Set, error) {
	s, err := open(r, name, o, true)
	if err != nil {
		return nil, err
	}
	limits := s.limitRecords(',')
	p := &bagFile{source: s, limits: limits, targets: newTargets(s, "line"), r: csv.NewReader(s.Reader), index: map[string]int{}, label: -1}
	p.r.ReuseRecord = true
	return p.read()
}

// bagFile collects the rows of a file of bags.
type bagFile struct {
	*source
	targets    *targets // one entry a bag, and for a moment one a row
	r          *csv.Reader
	bag, label int      // fields
	columns    []int    // the fields of the coordinates
	header     []string // all names
	limits     *records

	index map[string]int // name of a bag -> its number
	ids   []string
	of    []int // bag of each row
	x     []float64
}

func (p *bagFile) read() (*Set, error) {
	for {
		record, err := p.r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, (&csvFile{tableRows: tableRows{source: p.source}}).syntax(err)
		}
		line, _ := p.r.FieldPos(0)
		for i, f := range record {
			record[i] = strings.TrimSpace(f)
		}
		if p.header == nil {
			err = p.start(line, record)
		} else {
			err = p.row(line, record)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.of) == 0 && p.targets.dropped > 0 {
		return nil, p.targets.none("")
	}
	if len(p.of) == 0 {
		return nil, p.fail(0, ErrFormat, "has no samples")
	}
	return p.finish()
}

// start finds the columns.
func (p *bagFile) start(line int, record []string) error {
	p.limits.most, p.limits.first = len(record), line
	for i, name := range record {
		if name == "" {
			return p.fail(line, ErrFormat, "column %d of the header has no name; give it one", i+1)
		}
		p.header = append(p.header, strings.Clone(name))
		if name != "bag" && (name != "label" || p.o.Label == LabelNone) {
			p.columns = append(p.columns, i)
		}
	}
	p.bag, p.label = slices.Index(p.header, "bag"), slices.Index(p.header, "label")
	if p.o.Label == LabelNone {
		p.label = -1
	}
	switch d := len(p.columns); {
	case p.bag < 0:
		return p.fail(line, ErrFormat, `the header has no column "bag"; the first line must name the columns, bag, label and the coordinates`)
	case p.label < 0 && p.o.Label != LabelNone:
		return p.fail(line, ErrFormat, `the header has no column "label"; name it, or read the file with LabelNone`)
	case d == 0:
		return p.fail(line, ErrFormat, "the header names no coordinate beside the bag and the label")
	case len(p.header) != d+2 && (p.label >= 0 || len(p.header) != d+1):
		return p.fail(line, ErrFormat, `the header has a column "bag" or "label" twice`)
	case p.o.Dims > 0 && d != p.o.Dims:
		return p.fail(line, domain.ErrShape, "the header names %d coordinates, want %d", d, p.o.Dims)
	}
	return nil
}

// row takes one sample.
func (p *bagFile) row(line int, record []string) error {
	if p.label >= 0 && p.targets.lacks(line, []byte(record[p.label])) {
		return nil
	}
	for k, f := range p.columns {
		v, flaw := number(record[f])
		if flaw != sound {
			return p.badCell(line, fmt.Sprintf("column %d (%s)", f+1, quote(p.header[f])), len(p.of), k, record[f], v, flaw)
		}
		p.x = append(p.x, v)
	}
	id := record[p.bag]
	if id == "" {
		return p.fail(line, ErrFormat, "the bag has no name; drop the row or fill it in")
	}
	i, known := p.index[id]
	if !known {
		i = len(p.ids)
		id = strings.Clone(id)
		p.index[id], p.ids = i, append(p.ids, id)
	}
	p.of = append(p.of, i)
	if p.label >= 0 {
		if err := p.targets.add(line, []byte(record[p.label])); err != nil {
			return err
		}
		if known && !p.targets.settle(i) {
			return p.fail(line, ErrFormat, "bag %s has the label %s and had another; a bag has one label", quote(id), quote(record[p.label]))
		}
	}
	return p.allow(len(p.of), len(p.columns))
}

// settle removes the last label if it equals the label of entry i, and says whether it does.
func (t *targets) settle(i int) bool {
	if n := len(t.y) - 1; n >= 0 {
		same := t.y[n] == t.y[i]
		t.y = t.y[:n]
		return same
	}
	n := len(t.labels) - 1
	same := t.labels[n] == t.labels[i]
	t.labels = t.labels[:n]
	return same
}

// finish sorts the rows by bag.
func (p *bagFile) finish() (*Set, error) {
	d := len(p.columns)
	offsets := make([]int, len(p.ids)+1)
	for _, i := range p.of {
		offsets[i+1]++
	}
	for i := range p.ids {
		offsets[i+1] += offsets[i]
	}
	next, x := slices.Clone(offsets), make([]float64, len(p.x))
	for row, i := range p.of {
		copy(x[next[i]*d:], p.x[row*d:row*d+d])
		next[i]++
	}
	bags, err := ops.NewBags(tensor.New(tensor.WithShape(len(p.of), d), tensor.WithBacking(x)), offsets)
	if err != nil {
		return nil, err
	}
	set := &Set{X: bags, IDs: p.ids, Y: p.targets.y, Labels: p.targets.labels, Source: p.name}
	if p.label >= 0 {
		set.LabelNames = []string{"label"}
	}
	for _, f := range p.columns {
		set.Names = append(set.Names, p.header[f])
	}
	return set, nil
}
