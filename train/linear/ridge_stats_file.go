package linear

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/wholefile"
)

// The form of the sums outside memory, little-endian:
//
//	8 bytes   "bochnrRG"
//	uint32    the version, 1
//	uint32    the length of Of
//	3 uint64  n, D, k
//	uint64    1 with a signature, plus 2 with class weights
//	          Of; the signature, D bytes 1 or 255 (-1), if there is one
//	float64s  the sum of the weights of the rows, the class weights [max(2, k)], if there are any,
//	          z̄ [D], ȳ [k], S [k], R [D, k], and the lower triangle of G row by row, D(D+1)/2
//	32 bytes  the SHA-256 of all before it
const (
	statsMagic   = "bochnrRG"
	statsVersion = 1
	statsHeader  = 8 + 4 + 4 + 4*8
	maxOf        = 1 << 26 // bytes of Of
	maxStats     = 1 << 20 // features, and targets: G would be 8 TB

	withSignature, withWeights = 1, 2 // parts that may be there
)

var (
	_ encoding.BinaryMarshaler   = (*RidgeStats)(nil)
	_ encoding.BinaryUnmarshaler = (*RidgeStats)(nil)
	_ io.WriterTo                = (*RidgeStats)(nil)
	_ io.ReaderFrom              = (*RidgeStats)(nil)
)

// MarshalBinary returns the sums with their version and a checksum, as D(D+1)/2 + O(D k) numbers. Equal sums give equal
// bytes. Errors: see WriteTo.
func (s *RidgeStats) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	b.Grow(statsHeader + len(s.Of) + s.features + 8*(1+len(s.ClassWeights)+s.numbers()) + sha256.Size)
	if _, err := s.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// UnmarshalBinary reads the bytes of MarshalBinary. Errors, which leave s as it was: as for ReadFrom;
// modelfile.ErrCorrupt for bytes after the sums.
func (s *RidgeStats) UnmarshalBinary(data []byte) error {
	r := bytes.NewReader(data)
	t := RidgeStats{Float32Products: s.Float32Products}
	if _, err := t.ReadFrom(r); err != nil {
		return err
	}
	if r.Len() > 0 {
		return fmt.Errorf("train: RidgeStats: %d bytes follow the sums: %w", r.Len(), modelfile.ErrCorrupt)
	}
	*s = t
	return nil
}

// numbers is the number of float64s in the sums.
func (s *RidgeStats) numbers() int {
	d, k := s.features, s.targets
	return d + 2*k + d*k + d*(d+1)/2
}

// WriteTo writes the bytes of MarshalBinary without holding them. Errors: as for w; domain.ErrShape or
// domain.ErrParam for a Signature that does not fit; modelfile.ErrFormat for an Of of more than 64 MiB.
func (s *RidgeStats) WriteTo(w io.Writer) (int64, error) {
	if err := given.Missing("RidgeStats.WriteTo", given.Arg("the writer", w)); err != nil {
		return 0, err
	}
	if s.n > 0 {
		if err := s.checkSignature(); err != nil {
			return 0, err
		}
	}
	if len(s.Of) > maxOf {
		return 0, fmt.Errorf("train: RidgeStats: Of has %d bytes, at most %d are kept: %w", len(s.Of), maxOf, modelfile.ErrFormat)
	}
	sum := sha256.New()
	buf := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	signed, parts, weights := s.n > 0 && s.Signature != nil, 0, []float64{s.mass}
	if signed {
		parts = withSignature
	}
	if s.n > 0 && s.ClassWeights != nil {
		parts |= withWeights
		weights = append(weights, s.ClassWeights...)
	}
	head := append(make([]byte, 0, statsHeader), statsMagic...)
	head = binary.LittleEndian.AppendUint32(head, statsVersion)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(s.Of)))
	for _, v := range []int{s.n, s.features, s.targets, parts} {
		head = binary.LittleEndian.AppendUint64(head, uint64(v))
	}
	buf.Write(head) // a bufio.Writer keeps its first error for Flush
	buf.WriteString(s.Of)
	if signed {
		for _, v := range s.Signature {
			buf.WriteByte(byte(int8(v)))
		}
	}
	for _, part := range [][]float64{weights, s.meanZ, s.meanY, s.yy, s.r} {
		writeNumbers(buf, part)
	}
	for i := range s.features {
		writeNumbers(buf, s.g[i*s.features:i*s.features+i+1])
	}
	if err := buf.Flush(); err != nil {
		return 0, fmt.Errorf("train: RidgeStats: %w", err)
	}
	n := int64(len(head) + len(s.Of) + 8*(len(weights)+s.numbers()))
	if signed {
		n += int64(s.features)
	}
	m, err := w.Write(sum.Sum(nil))
	if err != nil {
		err = fmt.Errorf("train: RidgeStats: %w", err)
	}
	return n + int64(m), err
}

func writeNumbers(w *bufio.Writer, v []float64) {
	for _, x := range v {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), math.Float64bits(x)))
	}
}

// ReadFrom reads the bytes of WriteTo and no further. Memory is in proportion to the bytes that are there, whatever the
// header states. Errors, which leave s as it was: modelfile.ErrCorrupt for bytes that were cut or changed,
// modelfile.ErrFormat for other data or another version; the errors of r.
func (s *RidgeStats) ReadFrom(r io.Reader) (int64, error) {
	if err := given.Missing("RidgeStats.ReadFrom", given.Arg("the reader", r)); err != nil {
		return 0, err
	}
	in := &statsReader{r: r, sum: sha256.New()}
	t, packed := in.stats()
	if in.err != nil {
		return in.n, fmt.Errorf("train: RidgeStats: %w", in.err)
	}
	t.g = make([]float64, t.features*t.features)
	for i := range t.features {
		copy(t.g[i*t.features:], packed[i*(i+1)/2:(i+1)*(i+2)/2])
	}
	t.Float32Products = s.Float32Products
	*s = *t
	return in.n, nil
}

// statsReader keeps its first error.
type statsReader struct {
	r   io.Reader
	sum hash.Hash
	n   int64
	err error
}

// stats reads everything; it returns G separately, as it is written.
func (in *statsReader) stats() (*RidgeStats, []float64) {
	head := in.bytes(statsHeader)
	if in.err != nil {
		return nil, nil
	}
	if string(head[:8]) != statsMagic {
		in.err = fmt.Errorf("the bytes do not begin with the mark of ridge statistics: %w", modelfile.ErrFormat)
		return nil, nil
	}
	if version := binary.LittleEndian.Uint32(head[8:]); version != statsVersion {
		in.err = fmt.Errorf("the statistics have the version %d, this library reads %d; update it: %w", version, statsVersion, modelfile.ErrFormat)
		return nil, nil
	}
	of := binary.LittleEndian.Uint32(head[12:])
	var v [4]uint64
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(head[16+8*i:])
	}
	empty := v[0] == 0 && v[1] == 0 && v[2] == 0
	full := v[0] >= 1 && v[1] >= 1 && v[2] >= 1
	if of > maxOf || v[0] > math.MaxInt64 || v[1] > maxStats || v[2] > maxStats || v[3] > withSignature|withWeights || !empty && !full {
		in.err = fmt.Errorf("the header has n = %d, D = %d, k = %d: %w", v[0], v[1], v[2], modelfile.ErrCorrupt)
		return nil, nil
	}
	if v[0] > math.MaxInt || v[1]*max(v[1]+1, v[2]) > math.MaxInt/8 {
		in.err = fmt.Errorf("n = %d, D = %d, k = %d do not fit integers of %d bits; read them on a machine of 64: %w",
			v[0], v[1], v[2], strconv.IntSize, modelfile.ErrFormat)
		return nil, nil
	}
	t := &RidgeStats{n: int(v[0]), features: int(v[1]), targets: int(v[2])}
	t.Of = string(in.bytes(int(of)))
	if v[3]&withSignature != 0 {
		for _, b := range in.bytes(t.features) {
			t.Signature = append(t.Signature, float64(int8(b)))
		}
	}
	count := 1
	if v[3]&withWeights != 0 {
		count += max(2, t.targets)
	}
	if w := in.numbers(count); in.err == nil {
		if t.mass = w[0]; count > 1 {
			t.ClassWeights = w[1:]
		}
		if full && !(t.mass > 0 && t.mass <= math.MaxFloat64) || empty && t.mass != 0 {
			in.err = fmt.Errorf("%d rows weigh %v: %w", t.n, t.mass, modelfile.ErrCorrupt)
		}
	}
	t.meanZ, t.meanY, t.yy = in.numbers(t.features), in.numbers(t.targets), in.numbers(t.targets)
	t.r = in.numbers(t.features * t.targets)
	packed := in.numbers(t.features * (t.features + 1) / 2)
	want := in.sum.Sum(nil)
	if got := in.bytes(sha256.Size); in.err == nil && !bytes.Equal(got, want) {
		in.err = fmt.Errorf("the checksum is wrong, the bytes were changed; compute them again: %w", modelfile.ErrCorrupt)
	}
	return t, packed
}

// bytes reads n bytes, in pieces.
func (in *statsReader) bytes(n int) []byte {
	const piece = 1 << 20
	var out []byte
	for len(out) < n && in.err == nil {
		part := make([]byte, min(piece, n-len(out)))
		m, err := io.ReadFull(in.r, part)
		in.n += int64(m)
		in.sum.Write(part[:m])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("the bytes end early, after %d; copy or compute them again: %w", in.n, modelfile.ErrCorrupt)
		}
		in.err, out = err, append(out, part[:m]...)
	}
	return out
}

// numbers reads n float64s, in pieces.
func (in *statsReader) numbers(n int) []float64 {
	const piece = 1 << 16
	var out []float64
	for len(out) < n && in.err == nil {
		b := in.bytes(8 * min(piece, n-len(out)))
		for i := 0; i+8 <= len(b); i += 8 {
			out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(b[i:])))
		}
	}
	return out
}

// Save writes the sums to the file path, whole or not at all (package wholefile). Errors: as for WriteTo and of the
// file system.
func (s *RidgeStats) Save(path string) error {
	if err := wholefile.Write(path, func(w io.Writer) error { _, err := s.WriteTo(w); return err }); err != nil {
		return fmt.Errorf("train: writing %s: %w", path, err)
	}
	return nil
}

// LoadRidgeStats reads a file that Save wrote. Errors: as for UnmarshalBinary and of the file system.
func LoadRidgeStats(path string) (*RidgeStats, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	defer f.Close()
	s, in := new(RidgeStats), bufio.NewReaderSize(f, 1<<16)
	if _, err = s.ReadFrom(in); err == nil {
		if _, end := in.ReadByte(); end != io.EOF {
			err = fmt.Errorf("bytes follow the sums: %w", modelfile.ErrCorrupt)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
