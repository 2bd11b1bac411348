package service

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// Half of the memory that the model leaves is the budget of all requests in flight. The other half is divided among the
// turns, for what each takes while a body is read and rows are predicted: a window to unpack the body, the rows twice,
// as they grow, and the features of some of them.
const (
	maxWindow   = 8 << 20 // what RFC 8878, section 3.1.1.1.2, recommends to support
	reading     = 1 << 20 // buffers and tables of the readers
	maxFeatures = 8 << 20 // features of a turn in bytes, but of one row at least
	maxAtOnce   = 512     // rows
	maxSureWork = 1 << 30 // multiply-adds of a turn for distributions, some tenths of a second, but of one row at least
	growth      = 18      // bytes a number of the rows, while they grow
	tableGrowth = 36      // bytes a cell of a table, while it grows, beside what its texts take
	tableNames  = 400     // bytes a column of a table or of its matrix, while rows are put into it
	number      = 26      // bytes of a number in JSON, with its comma
	slice       = 24      // bytes of the head of a slice
)

// copies is how many times the bytes of its file a model takes at most: its numbers, packed ones, and the ONNX file.
const copies = 3

// memory is how much the process may take with a model, and how much of it is left for requests: of -max-memory, or by
// default a quarter of the machine's memory for these.
func (l *loaded) memory(o *options) (all, room int64) {
	model := copies * l.file.Size()
	if o.maxMemory > 0 {
		return o.maxMemory, max(o.maxMemory-model, 0)
	}
	have := domain.Memory()
	if have == 0 {
		have = 1 << 30
	}
	return have/4 + model, have / 4
}

// share sets how many rows of the model a request may have, and how many of them are mapped at once.
func (l *loaded) share(o *options) error {
	d, features, outputs := int64(l.model.Dims()), int64(l.model.Map.Features()), int64(l.model.Head.Features())
	read := growth * d                        // bytes a row, while it is read
	row := 8 * (2*d + 3*features + 2*outputs) // a map may need as much again for what lies before its features
	l.atOnce = int(min(max(1, maxFeatures/row), maxAtOnce))
	all, room := l.memory(o)
	more, scratch, work := l.sureTakes()
	l.atOnceSure = int(min(max(1, maxFeatures/(row+more)), maxAtOnce, max(1, maxSureWork/max(1, work))))
	l.dearer = 1 + work/(d*features)
	fixed := maxWindow + reading + max(int64(l.atOnce)*row, int64(l.atOnceSure)*(row+more)+scratch)
	if l.table != nil {
		inputs := int64(len(l.table.names))
		// A request that computes does not give way. The texts of all turns fill half of the budget at most.
		l.table.mostTexts = room / 4 / int64(o.concurrent)
		read, fixed = tableGrowth*inputs+8*d, fixed+tableNames*(inputs+d)
	}
	each := room / 2 / int64(o.concurrent)
	l.maxRows = int(min(int64(o.maxRows), (each-fixed)/read))
	if least := 2 * int64(o.concurrent) * (fixed + read); room < least {
		return fmt.Errorf("-max-memory %d: this model with -concurrent %d takes at least %d bytes; raise -max-memory or lower -concurrent", all, o.concurrent, all-room+least)
	}
	return nil
}

// held is what a request of n rows holds: the rows, the output of the head, the distribution, and the answer while it is
// written.
func (l *loaded) held(n int, a asked, notes []string) int64 {
	d, outputs := int64(l.model.Dims()), int64(l.model.Head.Features())
	name := 24 // digits of a target
	for _, c := range l.model.Classes {
		name = max(name, 16+6*len(c)) // as a string, and in JSON where every byte may become \u0000
	}
	text := int64(name)
	if a.scores || l.model.Classes == nil && outputs > 1 {
		text += number * outputs
	}
	sure := int64(0)
	switch u := l.model.Uncertainty; {
	case !a.distribution:
	case l.model.Classes != nil: // probabilities, and sets as indices and as names
		sure, text = (8+8+16)*outputs+3*slice, text+number*outputs
		for _, c := range l.model.Classes {
			text += int64(3 + 6*len(c))
		}
	default:
		matrices := int64(2)
		if u.Posterior != nil {
			matrices = 4
		}
		sure, text = matrices*(8*outputs+2*slice), text+matrices*number*outputs
	}
	told := int64(0)
	for _, note := range notes {
		told += int64(16 + 6*len(note))
	}
	return int64(n)*(8*d+8*outputs+sure+3*text) + 3*told // a buffer that doubles, and a copy
}
