package data

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// Limits on what is kept of a column.
const (
	mostValues   = 1000    // distinct numbers
	mostTexts    = 1 << 20 // distinct texts
	medianSample = 1 << 16 // numbers for the median, a uniform sample if there are more
	mostRare     = 10_000  // rare levels
	fewRows      = 20      // with fewer rows texts that all differ are levels
)

// Learn decides from the rows of the frame what its columns are. The median is exact for up to 65536 numbers, and
// otherwise the median of 65536 of them, drawn uniformly. f.Tell reports the columns that are left out: those without
// values, with a single value, with texts that differ from row to row, and row numbers.
//
// Errors: domain.ErrParam for options out of range and for names that no column has; domain.ErrShape for no rows;
// ErrFormat for a column of numbers with a few texts or with thousands separators, for missing values under
// MissingError, and if no column is left; domain.ErrDomain for numbers that float64 cannot hold; ErrTooLarge for a
// category of more than 2²⁰ texts.
func (f *Frame) Learn(o ColumnOptions) (*Columns, error) {
	return learn(o, once(f, nil))
}

// learn learns from frames with the same columns, one after the other.
func learn(o ColumnOptions, frames iter.Seq2[*Frame, error]) (*Columns, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	l := &learner{o: o}
	for f, err := range frames {
		if err == nil {
			err = l.add(f)
		}
		if err != nil {
			return nil, err
		}
	}
	return l.columns()
}

// Plain returns Columns that take all columns of the frame as numbers, by position. Errors: ErrFormat for a column of
// texts or times.
func (f *Frame) Plain() (*Columns, error) {
	c := &Columns{Width: len(f.Names), Labels: f.LabelNames, Unknown: UnknownError}
	for j, name := range f.Names {
		col := &f.columns[j]
		if col.skipped() {
			continue
		}
		if col.Texts != nil || col.Times {
			return nil, fmt.Errorf("data: %s: column %s is not of numbers: %w", f.Source, quote(name), ErrFormat)
		}
		c.Inputs = append(c.Inputs, Input{Name: name, Place: j, Kind: Number, Strict: true})
	}
	return c, nil
}

// learner holds what learn has seen.
type learner struct {
	o     ColumnOptions
	like  *Frame
	rows  int
	stats []columnStats
}

// columnStats are the statistics of a column.
type columnStats struct {
	name      string
	place     int
	names     bool // whether its numbers are declared to be names
	numbering bool // whether its name suggests that it numbers the rows
	gaps      int
	firstGap  string // the place of the first gap
	numbers   reservoir[float64]
	texts     map[string]int
	textual   int    // cells of texts
	flawed    int    // cells of numbers that float64 cannot hold
	first     string // the first text, and where it is
	at        string
	values    map[float64]int // distinct numbers, nil if there are too many
	least     float64
	most      float64
	whole     bool // whether all numbers are whole
	rising    bool // whether each number is larger than the one before
	times     bool
}

// add learns from the rows of a frame.
func (l *learner) add(f *Frame) error {
	if l.stats == nil {
		if err := l.start(f); err != nil {
			return err
		}
	}
	at, err := f.placesOf(l.like)
	if err != nil {
		return err
	}
	for k := range l.stats {
		s := &l.stats[k]
		c := &f.columns[at[s.place]]
		if c.Times != s.times {
			return fmt.Errorf("data: %s: column %s is of times in some files and of texts or numbers in others; write it alike: %w", f.Source, quote(s.name), ErrFormat)
		}
		s.add(f, c)
		if len(s.texts) > mostTexts {
			return fmt.Errorf("data: %s: column %s has more than %d distinct texts; leave it out: %w", f.Source, quote(s.name), mostTexts, ErrTooLarge)
		}
	}
	l.rows += f.rows
	return nil
}

// start takes the columns of the first frame.
func (l *learner) start(f *Frame) error {
	l.like = f
	used := map[string]bool{}
	for j, name := range f.Names {
		drop, keep, names := named(l.o.Drop, f.Names, j), named(l.o.Keep, f.Names, j), named(l.o.Categorical, f.Names, j)
		used[drop], used[keep], used[names] = true, true, true
		if f.columns[j].skipped() || drop != "" || l.o.Keep != nil && keep == "" {
			continue
		}
		rng := rand.New(spectral.Stream(0, fmt.Sprintf("data/column %d", j)))
		l.stats = append(l.stats, columnStats{name: name, place: j, names: names != "",
			numbering: keep == "" && names == "" && namesRows(strings.ToLower(name)),
			texts:     map[string]int{}, values: map[float64]int{}, least: math.Inf(1), most: math.Inf(-1), whole: true, rising: true, times: f.columns[j].Times,
			numbers: reservoir[float64]{size: medianSample, rng: rng}})
	}
	for _, p := range slices.Concat(l.o.Drop, l.o.Keep, l.o.Categorical) {
		if !used[p] {
			e := newError(f.Source, 0, domain.ErrParam, "no column is named %s%s; the columns are %s", quote(p), domain.Guess(p, f.Names), listed(f.Names, 20))
			e.Column = p
			return e
		}
	}
	return nil
}

// numberings are names of columns that number the rows if their cells fit.
var numberings = []string{"", "id", "index", "idx", "row", "rowid", "row number", "rownumber", "nr", "no"}

// namesRows says whether a name in small letters suggests that the column numbers the rows.
func namesRows(name string) bool {
	ends := func(end string) bool { return strings.HasSuffix(name, end) }
	return slices.Contains(numberings, name) || strings.HasPrefix(name, "unnamed:") || ends("_id") || ends("-id") || ends(" id")
}

func (s *columnStats) add(f *Frame, c *Column) {
	gap := func(i int) {
		if s.gaps++; s.gaps == 1 {
			s.firstGap = f.where(i)
		}
	}
	if c.Texts == nil {
		for i, v := range c.Numbers {
			if v == v {
				s.number(v, 1)
			} else {
				gap(i)
			}
		}
		return
	}
	counts := make([]int, len(c.Texts.Distinct))
	at := make([]int, len(counts)) // their first rows
	for i, code := range c.Texts.Codes {
		switch {
		case code < 0:
			gap(i)
			continue
		case counts[code] == 0:
			at[code] = i
		}
		counts[code]++
	}
	for code, n := range counts {
		t := c.Texts.Distinct[code]
		if v, f := cellNumber(t, number); f == sound {
			s.number(v, n)
			continue
		}
		if flawOf(t) != "" {
			s.flawed += n
		}
		if s.textual == 0 {
			s.first, s.at = t, f.where(at[code])
		}
		s.textual += n
		s.texts[t] += n
	}
}

// flawOf says why float64 cannot hold the number t, and "" if it can or t is not a number.
func flawOf(t string) string {
	v, f := number(t)
	if f == sound && lossy(t, v) {
		return "is 2^53 or more in absolute value, where float64 rounds"
	}
	return reasons[f]
}

// number adds n cells with the value v.
func (s *columnStats) number(v float64, n int) {
	s.rising = s.rising && n == 1 && v > s.most
	s.least, s.most = min(s.least, v), max(s.most, v)
	s.whole = s.whole && v == math.Trunc(v)
	for range n {
		if at := s.numbers.slot(); at != nil {
			*at = v
		}
	}
	if s.values == nil {
		return
	}
	if s.values[v] += n; len(s.values) > mostValues && !s.names && !s.numbering || len(s.values) > mostTexts {
		s.values = nil
	}
}

// columns returns what has been learned.
func (l *learner) columns() (*Columns, error) {
	f := l.like
	if f == nil || l.rows == 0 {
		return nil, fmt.Errorf("data: Learn: there are no rows: %w", domain.ErrShape)
	}
	c := &Columns{Named: f.Named, Width: len(f.Names), Labels: f.LabelNames, ID: f.idName, Unknown: l.o.Unknown}
	looked := map[int]bool{}
	for k := range l.stats {
		s := &l.stats[k]
		in, why, err := l.input(s)
		if err != nil {
			return nil, err
		}
		looked[s.place] = true
		if why == "" {
			c.Inputs = append(c.Inputs, in)
			continue
		}
		c.Left = append(c.Left, Left{s.name, why})
		f.tell("column %s is left out: %s", quote(s.name), why)
	}
	for j, name := range f.Names {
		if !looked[j] && !f.columns[j].skipped() {
			c.Left = append(c.Left, Left{name, "as asked"})
		}
	}
	if len(c.Inputs) == 0 {
		return nil, fmt.Errorf("data: %s: no column is left to learn from; %s: %w", f.Source, c.whyNone(), ErrFormat)
	}
	return c, nil
}

func (c *Columns) whyNone() string {
	var all []string
	for _, l := range c.Left {
		all = append(all, quote(l.Name)+" "+l.Why)
	}
	if all == nil {
		return "the table has labels alone"
	}
	return strings.Join(cut(all, 5), ", ")
}

// tell calls Tell with a note.
func (f *Frame) tell(format string, args ...any) {
	if f.Tell != nil {
		f.Tell(fmt.Sprintf("%s: %s", f.Source, fmt.Sprintf(format, args...)))
	}
}

// first says whether this is the first note about what, over all blocks of the file.
func (f *Frame) first(what string) bool {
	if f.said == nil {
		return true
	}
	was := f.said[what]
	f.said[what] = true
	return !was
}

// input decides what a column is, or why it is left out.
func (l *learner) input(s *columnStats) (in Input, why string, err error) {
	in = Input{Name: s.name, Place: s.place, Gaps: s.gaps, Strict: l.o.Missing == MissingError, Fill: -1}
	if in.Strict && s.gaps > 0 {
		return in, "", fmt.Errorf("%s: column %s is empty; fill the value in, or choose what takes the place of missing values (ColumnOptions.Missing): %w", s.firstGap, quote(s.name), ErrFormat)
	}
	in.Gap = s.gaps > 0 && l.o.Missing == MissingIndicator
	n := s.numbers.seen + s.textual
	switch {
	case n == 0:
		return in, "it has no values", nil
	case s.name == "" && !s.numbersRows():
		return in, "", fmt.Errorf("data: %s: the header has no name for column %d; name it, or drop the column (pandas: to_csv(index=False)): %w", l.like.Source, s.place+1, ErrFormat)
	case s.numbering && s.numbersRows():
		return in, "it numbers the rows", nil
	case s.names || s.textual > 0:
		return l.ofTexts(s, in)
	case s.least == s.most && !in.Gap:
		return in, fmt.Sprintf("all its values are %v", s.least), nil
	}
	in.Kind, in.Distinct, in.Least, in.Most = Number, mostValues, s.least, s.most
	if s.values != nil {
		in.Distinct = len(s.values)
	}
	if s.times {
		in.Kind, in.Cycles = Time, l.cyclesOf(in, s.whole)
	} else if s.least == 0 && s.most == 1 && in.Distinct == 2 {
		in.Kind = Boolean
		in.Fill = 0
		if 2*s.values[1] > s.numbers.seen {
			in.Fill = 1
		}
		return in, "", nil
	}
	slices.Sort(s.numbers.pool)
	in.Fill = s.numbers.pool[(len(s.numbers.pool)-1)/2] // the lower median
	return in, "", nil
}

// numbersRows says whether the column has a different whole number in each row, in a range of about the number of rows.
func (s *columnStats) numbersRows() bool {
	return s.textual == 0 && s.gaps == 0 && s.whole && s.numbers.seen > 1 && (s.rising || len(s.values) == s.numbers.seen) &&
		s.most-s.least <= 3*float64(s.numbers.seen)+10
}

// ofTexts decides what a column of texts is.
func (l *learner) ofTexts(s *columnStats, in Input) (Input, string, error) {
	if s.values == nil && s.names {
		return in, "", fmt.Errorf("data: %s: column %s is declared a category and has more than %d distinct numbers: %w", l.like.Source, quote(s.name), mostTexts, ErrTooLarge)
	}
	if !s.names {
		if err := s.checkTexts(); err != nil {
			return in, "", err
		}
	}
	if words, ones := s.booleanWords(); words != nil {
		in.Kind, in.Levels, in.Distinct, in.Fill = Boolean, words, 2, 0
		if 2*ones > s.textual {
			in.Fill = 1
		}
		return in, "", nil
	}
	if !s.names && s.numbers.seen == 0 {
		if done, err := l.ofTimes(s, &in); done || err != nil {
			return in, "", err
		}
	}
	if !s.names && s.numbers.seen > 0 {
		l.like.tell("column %s is a category: %d of its values are numbers, and %d are not, such as %s", quote(s.name), s.numbers.seen, s.textual, quote(s.first))
	}
	for v, n := range s.values {
		s.texts[formatLabel(v)] += n
	}
	in.Kind, in.Distinct = Category, len(s.texts)
	return l.category(s, in)
}

// checkTexts refuses texts that look like misspelt numbers.
func (s *columnStats) checkTexts() error {
	what, sentinel := "", ErrFormat
	switch {
	case s.flawed == s.textual && !s.numbering: // names of rows may be long
		what, sentinel = flawOf(s.first), domain.ErrDomain
	case s.grouped():
		what = "has thousands separators; write numbers without them"
	case s.numbers.seen > 0 && (s.values == nil || len(s.values) > 10 && s.numbers.seen >= 9*s.textual):
		what = fmt.Sprintf("is no number where %d of %d values are numbers", s.numbers.seen, s.numbers.seen+s.textual)
	default:
		return nil
	}
	return fmt.Errorf("%s: column %s: %s %s; correct it, leave it empty if it is missing, leave the column out, or declare it a category (ColumnOptions.Categorical, --categorical): %w",
		s.at, quote(s.name), quote(s.first), what, sentinel)
}

// thousands matches numbers with their digits in groups of three.
var thousands = regexp.MustCompile(`^[-+]?[0-9]{1,3}(([,' \x{a0}\x{202f}][0-9]{3})+(\.[0-9]*)?|([.' \x{a0}\x{202f}][0-9]{3})+(,[0-9]*)?)$`)

// grouped says whether all texts match thousands.
func (s *columnStats) grouped() bool {
	for t := range s.texts {
		if !thousands.MatchString(t) {
			return false
		}
	}
	return true
}

// booleanWords returns the words for 0 and 1 if the texts are these two, in small or capital letters, and the number of
// cells with the second; nil for other texts.
func (s *columnStats) booleanWords() (words []string, ones int) {
	if s.numbers.seen > 0 || len(s.texts) > 8 || s.names {
		return nil, 0
	}
	counts := map[string]int{}
	for t, n := range s.texts {
		counts[strings.ToLower(t)] += n
	}
	for _, words := range [][]string{{"false", "true"}, {"no", "yes"}, {"n", "y"}, {"f", "t"}, {"off", "on"}} {
		if len(counts) == 2 && counts[words[0]] > 0 && counts[words[1]] > 0 {
			return words, counts[words[1]]
		}
	}
	return nil, 0
}

// category chooses the levels with columns of their own.
func (l *learner) category(s *columnStats, in Input) (Input, string, error) {
	n := s.numbers.seen + s.textual
	if !s.names && in.Distinct > n-n/10 && n >= fewRows && named(l.o.Keep, l.like.Names, s.place) == "" {
		return in, fmt.Sprintf("it has %d distinct texts in %d rows; declare it a category (ColumnOptions.Categorical, --categorical) if that is meant", in.Distinct, n), nil
	}
	if in.Distinct == 1 && !in.Gap {
		return in, fmt.Sprintf("all its values are %s", quote(slices.Collect(maps.Keys(s.texts))[0])), nil
	}
	rare, most := cmp.Or(l.o.Rare, min(10, max(1, l.rows/100))), cmp.Or(l.o.Levels, 1000)
	if l.o.Levels == 0 && l.rows > 50_000 {
		most = 256
	}
	levels := byCount(s.texts)
	frequent, kept := levels[0], len(levels)
	for kept > 0 && (s.texts[levels[kept-1]] < rare || kept > most) {
		kept--
	}
	in.Levels, in.Other = NewClasses(levels[:kept]), kept < len(levels)
	if rest := levels[kept:]; len(rest) <= mostRare {
		in.Rare = slices.Sorted(slices.Values(rest))
	}
	switch {
	case kept == 0:
		return in, fmt.Sprintf("none of its %d texts is in %d rows or more", len(levels), rare), nil
	case in.Other:
		l.like.tell("column %s: %d of its %d texts are rare and share one column", quote(s.name), len(levels)-kept, len(levels))
	}
	if !in.Gap {
		in.Fill = float64(slices.Index(in.Levels, frequent))
	}
	return in, "", nil
}

// layouts are the known ways to write a time. If several fit, the last one is taken.
var layouts = func() (all []string) {
	for _, date := range []string{"1/2/2006", "2/1/2006", "1/2/06", "2/1/06", "1-2-2006", "2-1-2006", "2.1.2006", "2.1.06",
		"2-Jan-2006", "2 Jan 2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006", "2006/1/2", "2006-01-02"} {
		for _, clock := range []string{" 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM", ""} {
			all = append(all, date+clock)
		}
	}
	return append(all, "20060102T150405", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05 UTC",
		"2006-01-02 15:04:05Z07:00", time.RFC3339)
}()

// ofTimes decides whether texts are times in a common layout. It is an error if nine in ten are, or if all are in one
// of several.
func (l *learner) ofTimes(s *columnStats, in *Input) (bool, error) {
	var fit []string
	var days []float64
	for _, layout := range layoutsOf(s.first) {
		if d, odd := daysOf(s.texts, layout); odd == nil {
			fit, days = append(fit, layout), d
		}
	}
	if fit == nil {
		return false, l.checkTimes(s)
	}
	in.Kind, in.Layout, in.Distinct = Time, fit[len(fit)-1], len(s.texts)
	slices.Sort(days)
	in.Least, in.Most, in.Fill = days[0], days[len(days)-1], days[(len(days)-1)/2]
	in.Cycles = l.cyclesOf(*in, !slices.ContainsFunc(days, func(d float64) bool { return d != math.Trunc(d) }))
	if len(fit) > 1 {
		l.like.tell("column %s: its dates may be %s or %s; the first is taken", quote(s.name), spelt(in.Layout), spelt(fit[0]))
	}
	return true, nil
}

// cyclesOf are the cycles of a time from Least to Most, which may be of whole days.
func (l *learner) cyclesOf(in Input, whole bool) []string {
	days := map[string]float64{"weekday": 7, "yearday": 365, "hour": 1}
	return slices.DeleteFunc(slices.Clone(cycles), func(cycle string) bool {
		asked := slices.Contains(l.o.Cycles, cycle) || l.o.Cycles == nil && in.Most-in.Least >= days[cycle]
		return !asked || whole && cycle == "hour"
	})
}

// checkTimes refuses texts that look like misspelt times: most have a layout, and some are odd.
func (l *learner) checkTimes(s *columnStats) error {
	if layoutsOf(s.first) == nil && layoutsOf(slices.Min(slices.Collect(maps.Keys(s.texts)))) == nil {
		return nil
	}
	layout, odd := "", []string(nil) // the layout that most texts have, and the others
	for _, next := range layouts {
		if _, others := daysOf(s.texts, next); layout == "" || len(others) < len(odd) {
			layout, odd = next, others
		}
	}
	none := func(t string) bool { return layoutsOf(t) == nil }
	what, remedy := "", "write all alike"
	switch i := slices.IndexFunc(odd, none); {
	case i < 0:
		what = fmt.Sprintf("is a time that is not written as %s, and others are", spelt(layout))
	case len(s.texts) > 10 && len(s.texts) >= 10*len(odd):
		odd[0] = odd[i]
		what = fmt.Sprintf("is no time where %d of %d texts are times", len(s.texts)-len(odd), len(s.texts))
		remedy = "correct it, leave it empty if it is missing"
	default:
		return nil
	}
	line, row := 0, ""
	for i := range l.like.rows {
		if l.like.columns[s.place].text(i) == odd[0] {
			line, row = l.like.placeOf(i)
			break
		}
	}
	return newError(l.like.Source, line, ErrFormat, "%scolumn %s: %s %s; %s, leave the column out, or declare it a category (ColumnOptions.Categorical, --categorical)", row,
		quote(s.name), quote(odd[0]), what, remedy)
}

// spelt is a layout for a message.
func spelt(layout string) string {
	return strings.NewReplacer("2006", "year", "06", "year", "January", "month", "Jan", "month", "01", "month", "02", "day", "15", "hour", "04", "minute",
		"05", "second", "1", "month", "2", "day", "3", "hour", "PM", "AM or PM", "Z07:00", "zone").Replace(layout)
}

// layoutsOf are the layouts that a text has.
func layoutsOf(t string) (all []string) {
	if len(t) < 6 || len(t) > 40 {
		return nil
	}
	for _, layout := range layouts {
		if _, err := time.Parse(layout, t); err == nil {
			all = append(all, layout)
		}
	}
	return all
}

// daysOf returns the times of texts in days since 1970, each as often as it occurs, and in order the texts that have
// another layout.
func daysOf(texts map[string]int, layout string) (days []float64, odd []string) {
	for t, n := range texts {
		at, err := time.Parse(layout, t)
		if err != nil {
			odd = append(odd, t)
			continue
		}
		for range n {
			days = append(days, timeDays(at))
		}
	}
	slices.Sort(odd)
	return days, odd
}
