package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// StreamOptions says how to read rows in blocks. The zero value reads them in the order of the files.
type StreamOptions struct {
	Options       // MaxCells limits a block
	BlockRows int // rows of a block; the last may have fewer; 0 is 4096
	// Shuffle is the number of rows in the shuffle buffer: each row that comes in replaces one that Seed draws, which
	// goes out. The order of the files is drawn too. 0: the rows keep their order.
	Shuffle int
	Seed    uint64 // draws the order, and the sample of a Survey
	Ahead   int    // blocks that a goroutine reads ahead; 0 is 2
}

func (o StreamOptions) complete() (StreamOptions, error) {
	if err := o.Options.validate(); err != nil {
		return o, err
	}
	for i, v := range []int{o.BlockRows, o.Shuffle, o.Ahead} {
		if v < 0 {
			return o, fmt.Errorf("data: StreamOptions.%s = %d is negative: %w", []string{"BlockRows", "Shuffle", "Ahead"}[i], v,
				domain.ErrParam)
		}
	}
	if err := domain.CheckSize("data: StreamOptions.Ahead", 64, o.Ahead); err != nil {
		return o, err
	}
	o.BlockRows, o.Ahead = cmp.Or(o.BlockRows, 4096), cmp.Or(o.Ahead, 2)
	return o, nil
}

// Stream reads the rows of one or many files in blocks, any number of times. Memory holds a block, the blocks read
// ahead, and the shuffle buffer, never all rows. Blocks are cut across the borders of files: the same rows in the same
// order give the same blocks, in whatever files they are. The blocks depend on the files, the options and the epoch
// alone.
type Stream struct {
	files []string
	o     StreamOptions
	shape *shape                   // shared with the other part of a Split
	part  func(file, row int) bool // nil: all rows
	parts int                      // how often rows were taken away
}

// shape holds what is known of the files. Passes that run at once share it: each takes what is known at its start.
type shape struct {
	mu    sync.Mutex
	facts facts
}

type facts struct {
	dims    int // 0: not known yet
	sparse  bool
	settled bool     // whether a Survey or Dense has settled sparse
	dense   bool     // whether Dense has
	columns *Columns // made by Learn
}

func (s *shape) now() facts { return s.learn(func(*facts) {}) }

// learn changes what is known, and returns the result.
func (s *shape) learn(f func(k *facts)) facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.facts)
	return s.facts
}

// options are o with what is known.
func (k facts) options(o StreamOptions) StreamOptions {
	if k.columns != nil {
		o.Columns, o.Dims = k.columns, k.columns.Dims()
	}
	if k.dense {
		o.Form = FormDense
	}
	return o
}

// OpenStream makes a stream of files, and of the files of folders by name, in the given order, in the formats of Read.
// It does not open them. Files in a folder whose names begin with a dot or an underscore are left out. Errors:
// ErrFormat for a name without a known format; domain.ErrParam for options out of range; the errors of Files.
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
	return &Stream{files: files, o: o, shape: &shape{facts: facts{dims: o.Dims, sparse: o.Form == FormSparse}}}, nil
}

// Files replaces folders by their files, in the order of their names, without those whose names begin with a dot or an
// underscore. Errors: ErrFormat for a folder that has no files or has a folder in it; fs.ErrNotExist for no paths; the
// errors of the file system.
func Files(paths ...string) ([]string, error) {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil { // a *fs.PathError, whose text begins with the name of the call
			return nil, fmt.Errorf("data: %s: %w", p, errors.Unwrap(err))
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		before := len(files)
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		for _, e := range entries {
			path := filepath.Join(p, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_"):
			case e.IsDir():
				return nil, fmt.Errorf("data: %s: is a folder in a folder; name the files, or one folder: %w", path, ErrFormat)
			default:
				files = append(files, path)
			}
		}
		if len(files) == before {
			return nil, fmt.Errorf("data: %s: the folder has no files: %w", p, ErrFormat)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("data: no file is named: %w", fs.ErrNotExist)
	}
	return files, nil
}

// Files returns the paths of the files, in order.
func (s *Stream) Files() []string { return s.files }

// Options returns the options of OpenStream with their defaults, and with the Columns that Learn made.
func (s *Stream) Options() StreamOptions { return s.shape.now().options(s.o) }

// Dims returns the number of features, or 0 while neither Options.Dims nor a pass over the rows has determined it.
func (s *Stream) Dims() int { return s.shape.now().dims }

// Sparse says whether blocks are sparse, as far as Options.Form or a Survey has determined it.
func (s *Stream) Sparse() bool { return s.shape.now().sparse }

// Dense makes the blocks of all later passes dense, whatever Form says, also for the other part of a Split.
func (s *Stream) Dense() {
	s.shape.learn(func(k *facts) { k.sparse, k.settled, k.dense = false, true, true })
}

// InOrder returns a stream of the same rows in the order of the files, whatever Shuffle says. It shares what the stream
// has learned.
func (s *Stream) InOrder() *Stream {
	t := *s
	t.o.Shuffle = 0
	return &t
}

// Split divides the rows in two: each row is held out with the probability fraction, by the seed and its position in
// the files. A part may be divided again, independently, by the same seed. Both parts are streams over the same files;
// they share what Survey or Learn of either finds out about columns. It panics when the fraction is not in [0, 1].
func (s *Stream) Split(fraction float64, seed uint64) (rest, held *Stream) {
	in := Held(fraction, seed, fmt.Sprintf("split %d", s.parts))
	return s.where(func(file, row int) bool { return !in(file, row) }), s.where(in)
}

// where is the part of the rows that keep selects.
func (s *Stream) where(keep func(file, row int) bool) *Stream {
	t := *s
	t.parts++
	t.part = func(file, row int) bool { return keep(file, row) && (s.part == nil || s.part(file, row)) }
	return &t
}

// Held returns a function that says whether row number row of file number file is held out for a purpose: each
// independently with the probability fraction. It panics when the fraction is not in [0, 1].
func Held(fraction float64, seed uint64, purpose string) func(file, row int) bool {
	checkFraction(fraction)
	rank := Rank(seed, purpose)
	return func(file, row int) bool { return rank(file, row) < fraction }
}

// Rank returns a function that gives row number row of file number file an independent uniform number in [0, 1). The
// rows with the least ranks are a random sample. The numbers depend on the seed and the purpose, so that with one seed
// rows that are held out for one purpose can be divided for another.
func Rank(seed uint64, purpose string) func(file, row int) float64 {
	key := spectral.Stream(seed, "data/held/"+purpose).Uint64()
	return func(file, row int) float64 {
		return float64(mix64(mix64(key+uint64(file))+uint64(row))>>11) * 0x1p-53
	}
}

// mix64 is element number at of the SplitMix64 sequence, Steele, Lea and Flood (2014), so that rows can come in any
// order.
func mix64(at uint64) uint64 {
	z := (at + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Blocks yields the rows in blocks, read in the background. With Shuffle each epoch, from 0, has its own order. It
// stops after an error. Errors: as for Read; domain.ErrShape for files of different widths; domain.ErrParam for a nil
// context, and for LIBSVM text whose width neither Options.Dims nor a Survey has determined; ctx.Err().
func (s *Stream) Blocks(ctx context.Context, epoch int) iter.Seq2[*Set, error] {
	return ahead(s.o.Ahead, s.blocks(ctx, epoch))
}

// blocks is Blocks, read when they are asked for.
func (s *Stream) blocks(ctx context.Context, epoch int) iter.Seq2[*Set, error] {
	return sequence(func(emit func(*Set) error) error {
		out := &cutter{size: s.o.BlockRows, emit: emit}
		if err := s.read(ctx, epoch, out); err != nil {
			return err
		}
		return out.flush()
	})
}

// read sends the rows of all files to out, in the order of the epoch.
func (s *Stream) read(ctx context.Context, epoch int, out *cutter) error {
	if s.o.Shuffle == 0 {
		return s.chunks(ctx, nil, out.room, out.add)
	}
	rng := rand.New(spectral.Stream(s.o.Seed, fmt.Sprintf("data/stream %d", epoch)))
	mix := &mixer{size: s.o.Shuffle, rng: rng, out: out}
	files := rng.Perm(len(s.files))
	if err := s.chunks(ctx, files, func() int { return s.o.BlockRows }, mix.add); err != nil {
		return err
	}
	return mix.rest()
}

// chunks calls f with the rows of the files, in pieces of at most room().
func (s *Stream) chunks(ctx context.Context, files []int, room func() int, f func(*Set) error) error {
	now := s.shape.now()
	o := now.options(s.o).Options
	o.Dims = now.dims
	return s.pieces(ctx, files, &o, room, func(r rows, at place) error {
		if o.Dims == 0 { // the files that follow are to have as many
			if !r.fixed() {
				return fmt.Errorf("data: %s: the number of features is not known; take a Survey first, or set "+
					"Options.Dims: %w", s.files[at.file], domain.ErrParam)
			}
			_, o.Dims = r.inHand()
			s.shape.learn(func(k *facts) { k.dims = cmp.Or(k.dims, o.Dims) })
		}
		return s.block(r, o.Dims, now.sparse, at, f)
	})
}

// pieces reads files, by default all in order, in pieces of at most room() rows, and calls f for each piece with the
// place of its first row. Each file is opened with the options that o holds by then.
func (s *Stream) pieces(ctx context.Context, files []int, o *Options, room func() int,
	f func(r rows, at place) error) error {
	for k := range s.files {
		at := place{file: k}
		if files != nil {
			at.file = files[k]
		}
		if err := s.piecesOf(ctx, at, *o, room, f); err != nil {
			return err
		}
	}
	return nil
}

// piecesOf is pieces for the file that begins at at.
func (s *Stream) piecesOf(ctx context.Context, at place, o Options, room func() int,
	f func(r rows, at place) error) error {
	if err := checkContext(ctx, s.files[at.file]); err != nil {
		return err
	}
	r, err := openFile(s.files[at.file], o)
	if err != nil {
		return err
	}
	defer r.close()
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("data: %s: stopped after %d rows: %w", s.files[at.file], at.row, err)
		}
		want := room()
		got, err := r.more(want)
		if err == nil && got > 0 {
			err = f(r, at)
		}
		if err != nil || got < want {
			return err
		}
		at.row += got
	}
}

func checkContext(ctx context.Context, who string) error {
	if ctx == nil {
		return fmt.Errorf("data: %s: the context is nil; give context.Background(): %w", who, domain.ErrParam)
	}
	return nil
}

// Learn reads all rows once and decides what the columns are, as Frame.Learn does. Later blocks hold the rows that
// these Columns make. Errors: as for Blocks and of Frame.Learn; domain.ErrParam for files that are not tables and for
// a stream that already has Columns.
func (s *Stream) Learn(ctx context.Context, o ColumnOptions) (*Columns, error) {
	had := fmt.Errorf("data: Learn: the stream has Columns already; they serve recipes without Columns, or open the files again: %w", domain.ErrParam)
	if s.Options().Columns != nil {
		return nil, had
	}
	c, err := learn(o, s.frames(ctx))
	if err != nil {
		return nil, err
	}
	settled := s.shape.learn(func(k *facts) {
		if k.columns == nil {
			k.columns, k.dims = c, c.Dims()
		}
	})
	if settled.columns != c { // those of another Learn at the same time
		return nil, had
	}
	return c, nil
}

// frames yields the rows of tables, with their labels, in frames.
func (s *Stream) frames(ctx context.Context) iter.Seq2[*Frame, error] {
	return sequence(func(emit func(*Frame) error) error {
		o := s.o.Options
		o.frames = true
		return s.pieces(ctx, nil, &o, func() int { return s.o.BlockRows }, func(r rows, at place) error {
			f := r.(framer).frame()
			keep := s.kept(at, f.rows)
			if len(keep) == 0 {
				return nil
			}
			if len(keep) < f.rows {
				f = f.Take(keep)
			}
			return emit(f)
		})
	})
}

// kept are the indices, among n rows from at, of the rows that belong to the stream.
func (s *Stream) kept(at place, n int) []int {
	keep := make([]int, 0, n)
	for r := range n {
		if s.part == nil || s.part(at.file, at.row+r) {
			keep = append(keep, r)
		}
	}
	return keep
}

// block calls f with a block of d columns of the rows that r holds, of which the first is at at. It leaves out the rows
// of other parts, and does not call f if none is left.
func (s *Stream) block(r rows, d int, sparse bool, at place, f func(*Set) error) error {
	set, err := r.take(d, sparse)
	if err != nil {
		return err
	}
	keep := s.kept(at, set.Rows())
	if len(keep) == 0 {
		return nil
	}
	if len(keep) < set.Rows() {
		set = set.Take(keep)
	}
	set.files, set.at = s.files, make([]place, len(keep))
	for i, r := range keep {
		set.at[i] = place{at.file, at.row + r}
	}
	return f(set)
}

// ReadAll reads files, and the files of folders, into one set, by the rules of Read. It reads several files twice.
// Errors: as for Read and of Stream.Survey.
func ReadAll(ctx context.Context, o Options, paths ...string) (*Set, error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		if err := checkContext(ctx, files[0]); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("data: %s: stopped before the first row: %w", files[0], err)
		}
		return Read(files[0], o)
	}
	s, err := OpenStream(StreamOptions{Options: o}, files...)
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
		return b, nil
	}
	panic("data: a stream with rows has no block")
}

// BlockRows returns the number of rows of d columns that a stream should put into a block for a map to D features: four
// of the blocks that fits take at a time, enough to keep the reader ahead. Those have 16 MB of features, within 512 to
// 2048 rows, and 256 rows of more than 8192 features.
func BlockRows(d, features int) int {
	const depth = 512 // of a block of products
	n := max(d, features, 1)
	if n > 8192 {
		return 4 * depth / 2
	}
	return 4 * depth * min(max((1<<21)/n/depth, 1), 4)
}
