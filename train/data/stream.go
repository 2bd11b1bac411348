package data

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// StreamOptions says how to read rows in blocks. The zero value reads them in the order of the files.
type StreamOptions struct {
	Options       // MaxCells is for a block
	BlockRows int // rows of a block, but the last; 0 is 4096
	// Shuffle is the number of rows in the buffer that mixes them: each row that comes in takes the place of one that the seed draws,
	// which goes out. The order of the files is drawn too. 0: no row changes its place.
	Shuffle int
	Seed    uint64 // of the order, and of the sample of a Survey
	Ahead   int    // blocks that a goroutine reads ahead of who uses them; 0 is 2
	// SpillBytes is how large the file may become in which a Survey keeps the rows as numbers, so that later passes
	// parse nothing and see no change of the files: 8 bytes a cell and a target and 4 a class; 12 an entry and 4 a
	// row of LIBSVM text. It lies in os.TempDir, without a name, and goes with the stream, with Close, or with the
	// program, however that ends. Rows that take more, or more than the disk has, are parsed in every pass, and so
	// are arrays in .npy files that are not packed; nothing is kept in a folder that is in memory. 0 is 16 GiB; a
	// negative number keeps nothing.
	SpillBytes int64
}

func (o StreamOptions) complete() (StreamOptions, error) {
	if err := o.Options.validate(); err != nil {
		return o, err
	}
	for name, v := range map[string]int{"BlockRows": o.BlockRows, "Shuffle": o.Shuffle, "Ahead": o.Ahead} {
		if v < 0 {
			return o, fmt.Errorf("data: StreamOptions.%s = %d is negative: %w", name, v, domain.ErrParam)
		}
	}
	if err := domain.CheckSize("data: StreamOptions.Ahead", 64, o.Ahead); err != nil {
		return o, err
	}
	if o.BlockRows == 0 {
		o.BlockRows = 4096
	}
	if o.Ahead == 0 {
		o.Ahead = 2
	}
	if o.SpillBytes == 0 {
		o.SpillBytes = defaultSpill
	}
	return o, nil
}

// Stream is the rows of one or many files, read in blocks, as often as one likes, and never all in memory: that is set by the block, the
// blocks that are read ahead, and the shuffle buffer. Blocks are cut across the borders of files, so that rows which are kept in other
// files in the same order are the same blocks. What it yields depends on the files, the options and the epoch alone.
type Stream struct {
	files []string
	o     StreamOptions
	shape *shape // shared with the other part of a Split
	part  func(file, row int) bool
	to    *spiller // of a Survey: what keeps the rows
}

// shape is what the files have in common.
type shape struct {
	dims    int // 0: not known yet
	sparse  bool
	columns *Columns // that Learn made
	spill   *spill   // that a Survey wrote
	why     error    // it did not
}

// OpenStream makes a stream of files, and of the files of folders by name, in the order given, in the formats that Read knows. It opens
// none of them. Of a folder, files whose names begin with a dot or an underscore are left out. Errors: ErrFormat for a name that says
// no format, domain.ErrParam for options out of range, and the errors of the file system.
func OpenStream(o StreamOptions, paths ...string) (*Stream, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := checkName(f); err != nil {
			return nil, err
		}
	}
	return &Stream{files: files, o: o, shape: &shape{dims: o.Dims, sparse: o.Form == FormSparse}}, nil
}

// Files replaces folders by the files in them, in the order of their names, without those that begin with a dot or an underscore. A
// folder without files or with a folder in it wraps ErrFormat.
func Files(paths ...string) ([]string, error) {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		in, err := filesIn(p)
		if err != nil {
			return nil, err
		}
		files = append(files, in...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("data: no file is named: %w", fs.ErrNotExist)
	}
	return files, nil
}

func filesIn(folder string) (files []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_"):
		case e.IsDir():
			return nil, fmt.Errorf("data: %s: is a folder in a folder; name the files, or one folder: %w", path, ErrFormat)
		default:
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("data: %s: the folder has no files: %w", folder, ErrFormat)
	}
	return files, nil
}

// Files are the files, in order.
func (s *Stream) Files() []string { return s.files }

// Options are those that it was opened with, with their defaults, and the Columns that it has learned.
func (s *Stream) Options() StreamOptions {
	o := s.o
	if c := s.shape.columns; c != nil {
		o.Columns, o.Dims = c, c.Dims()
	}
	return o
}

// Dims is the number of features, or 0 where neither Options.Dims nor a Survey has told it.
func (s *Stream) Dims() int { return s.shape.dims }

// Sparse says whether blocks are sparse, as far as Options.Form or a Survey has told.
func (s *Stream) Sparse() bool { return s.shape.sparse }

// Dense makes the blocks dense from here on, whatever Form said.
func (s *Stream) Dense() { s.shape.sparse, s.o.Form = false, FormDense }

// InOrder is the rows in the order of the files, whatever Shuffle said. It knows what the stream knows.
func (s *Stream) InOrder() *Stream {
	t := *s
	t.o.Shuffle = 0
	return &t
}

// Split divides the rows in two: each is held with the probability fraction, which the seed and its place in the files decide. Both
// parts are streams of their own over the same files; what Survey or Learn of one finds out about columns, the other knows. It
// panics when the fraction is not in [0, 1].
func (s *Stream) Split(fraction float64, seed uint64) (rest, held *Stream) {
	in := Held(fraction, seed)
	return s.where(func(file, row int) bool { return !in(file, row) }), s.where(in)
}

// where is a part of the rows.
func (s *Stream) where(keep func(file, row int) bool) *Stream {
	t := *s
	t.part = func(file, row int) bool { return keep(file, row) && (s.part == nil || s.part(file, row)) }
	return &t
}

// Held says whether row number row of file number file is held out: with the probability fraction, each by itself. It panics when the
// fraction is not in [0, 1].
func Held(fraction float64, seed uint64) func(file, row int) bool {
	checkFraction(fraction)
	rank := Rank(seed)
	return func(file, row int) bool { return rank(file, row) < fraction }
}

// Rank gives row number row of file number file a number in [0, 1), uniformly and each by itself, that depends on the seed: the rows of the least
// ranks are a sample of all.
func Rank(seed uint64) func(file, row int) float64 {
	key := spectral.Stream(seed, "data/held").Uint64()
	return func(file, row int) float64 {
		return float64(mix64(mix64(key+uint64(file))+uint64(row))>>11) * 0x1p-53
	}
}

// mix64 is SplitMix64, Steele, Lea and Flood (2014), at a place of its sequence: rows need no order.
func mix64(at uint64) uint64 {
	z := (at + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Spilled is the size of the file that a Survey has kept the rows in (StreamOptions.SpillBytes), and 0 where there is
// none, with the reason where it was to be.
func (s *Stream) Spilled() (bytes int64, why error) {
	if p := s.shape.spill; p != nil {
		return p.size, nil
	}
	return 0, s.shape.why
}

// Close gives the disk back that Spilled tells of, also for the other part of a Split. Later passes parse the files
// again; one under way fails.
func (s *Stream) Close() error {
	p := s.shape.spill
	if p == nil {
		return nil
	}
	s.shape.spill = nil
	return p.file.Close()
}

// spills says whether a Survey is to keep the rows: once, and only those that it takes time to parse.
func (s *Stream) spills() bool {
	if s.o.SpillBytes < 0 || s.shape.spill != nil || s.shape.why != nil {
		return false
	}
	return slices.ContainsFunc(s.files, func(name string) bool {
		ext, packed := extension(name)
		return ext != ".npy" || packed != unpacked
	})
}

// open opens file i, or what is kept of it.
func (s *Stream) open(i int, o Options) (rows, error) {
	if p := s.shape.spill; p != nil && !o.frames {
		return p.open(i, s.files[i], o), nil
	}
	r, err := openFile(s.files[i], o)
	if err == nil && s.to != nil {
		r = tee{r, s.to, i}
	}
	return r, err
}

// Blocks reads the rows, in the background, and yields them in blocks; the epoch, from 0, draws another order under Shuffle. After an
// error nothing follows. Errors: as for Read; domain.ErrShape for files of different widths; domain.ErrParam for LIBSVM text whose width
// neither Options.Dims nor a Survey has told; ctx.Err().
func (s *Stream) Blocks(ctx context.Context, epoch int) iter.Seq2[*Block, error] {
	return ahead(s.o.Ahead, func(yield func(*Block, error) bool) {
		stopped := errors.New("nobody reads on")
		out := &cutter{size: s.o.BlockRows, emit: func(b *Block) error {
			if !yield(b, nil) {
				return stopped
			}
			return nil
		}}
		err := s.read(ctx, epoch, out)
		if err == nil {
			err = out.flush()
		}
		if err != nil && err != stopped {
			yield(nil, err)
		}
	})
}

// read sends the rows of all files to out, in the order of the epoch.
func (s *Stream) read(ctx context.Context, epoch int, out *cutter) error {
	files := make([]int, len(s.files))
	for i := range files {
		files[i] = i
	}
	if s.o.Shuffle == 0 {
		return s.chunks(ctx, files, out.room, out.add)
	}
	rng := rand.New(spectral.Stream(s.o.Seed, fmt.Sprintf("data/stream %d", epoch)))
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	mix := &mixer{size: s.o.Shuffle, rng: rng, out: out}
	if err := s.chunks(ctx, files, func() int { return s.o.BlockRows }, mix.add); err != nil {
		return err
	}
	return mix.rest()
}

// chunks calls f with the rows of the files, in pieces of at most room().
func (s *Stream) chunks(ctx context.Context, files []int, room func() int, f func(*Block) error) error {
	for _, i := range files {
		o := s.Options().Options
		o.Dims = s.shape.dims
		form := func(r rows) (int, bool, error) {
			_, _, d := r.inHand()
			if o.Dims == 0 && !r.fixed() {
				return 0, false, fmt.Errorf("data: %s: the number of features is not known; take a Survey first, or set Options.Dims: %w", s.files[i], domain.ErrParam)
			}
			s.shape.dims = d
			return d, s.shape.sparse, nil
		}
		if err := s.file(ctx, i, o, room, form, f); err != nil {
			return err
		}
	}
	return nil
}

// file calls f with the rows of a file, in pieces of at most room(), which form gives a width and a form.
func (s *Stream) file(ctx context.Context, i int, o Options, room func() int, form func(r rows) (d int, sparse bool, err error), f func(*Block) error) error {
	return s.pieces(ctx, i, o, room, func(r rows, at int) error {
		d, sparse, err := form(r)
		if err != nil {
			return err
		}
		set, err := r.take(d, sparse)
		if err != nil {
			return err
		}
		if b := s.block(set, i, at); b.Rows() > 0 {
			return f(b)
		}
		return nil
	})
}

// pieces reads a file in pieces of at most room() rows, and calls f with each in hand, and the number of its first row.
func (s *Stream) pieces(ctx context.Context, i int, o Options, room func() int, f func(r rows, at int) error) error {
	if ctx == nil {
		return fmt.Errorf("data: %s: the context is nil; give context.Background(): %w", s.files[i], domain.ErrParam)
	}
	r, err := s.open(i, o)
	if err != nil {
		return err
	}
	defer r.close()
	for n := 0; ; {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("data: %s: stopped after %d rows: %w", s.files[i], n, err)
		}
		want := room()
		got, err := r.more(want)
		if err != nil {
			return err
		}
		if got > 0 {
			if err := f(r, n); err != nil {
				return err
			}
			n += got
		}
		if got < want {
			return nil
		}
	}
}

// Learn reads all rows once and decides by them what the columns are, as Frame.Learn does. From then on the blocks are
// what Columns make of the rows. Errors: as for Blocks and of Frame.Learn; domain.ErrParam for files that are no tables
// and for a stream that has Columns.
func (s *Stream) Learn(ctx context.Context, o ColumnOptions) (*Columns, error) {
	if s.Options().Columns != nil {
		return nil, fmt.Errorf("data: Learn: the stream has Columns already: %w", domain.ErrParam)
	}
	l, err := newLearner(o)
	if err != nil {
		return nil, err
	}
	read := s.o.Options
	read.frames = true
	for i := range s.files {
		err := s.pieces(ctx, i, read, func() int { return s.o.BlockRows }, func(r rows, at int) error {
			f := r.(framer).frame()
			if keep := s.kept(i, at, f.rows); len(keep) == 0 {
				return nil
			} else if len(keep) < f.rows {
				f = f.Take(keep)
			}
			return l.add(f)
		})
		if err != nil {
			return nil, err
		}
	}
	c, err := l.columns()
	if err != nil {
		return nil, err
	}
	s.shape.columns, s.shape.dims, s.shape.why = c, c.Dims(), nil
	return c, s.Close() // a Survey before knew other rows
}

// kept are the places of the rows, of n of file i from row at, that belong to the stream.
func (s *Stream) kept(i, at, n int) []int {
	keep := make([]int, 0, n)
	for r := range n {
		if s.part == nil || s.part(i, at+r) {
			keep = append(keep, r)
		}
	}
	return keep
}

// block is a set of rows of file i from row at, without those of another part.
func (s *Stream) block(set *Set, i, at int) *Block {
	n := set.Rows()
	b := &Block{Set: set, files: s.files, at: make([]place, 0, n)}
	keep := s.kept(i, at, n)
	for _, r := range keep {
		b.at = append(b.at, place{i, at + r})
	}
	if len(keep) < n {
		b.Set = set.Take(keep)
	}
	return b
}

// ReadAll reads files, and the files of folders, to one set, by the rules of Read: two passes where there are several.
func ReadAll(ctx context.Context, o Options, paths ...string) (*Set, error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		return Read(files[0], o)
	}
	s, err := OpenStream(StreamOptions{Options: o, SpillBytes: -1}, files...)
	if err != nil {
		return nil, err
	}
	v, err := s.Survey(ctx, 0)
	if err != nil {
		return nil, err
	}
	s.o.BlockRows = v.Rows
	for b, err := range s.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		b.Source = strings.Join(paths, ", ")
		return b.Set, nil
	}
	panic("data: a stream with rows has no block")
}
