package modelfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// Decode is Read for bytes: it returns the metadata, without the checksum, and the tensors, which share no memory with
// data. Errors: ErrCorrupt and ErrFormat, as for Read.
func Decode(data []byte) (meta map[string]string, tensors map[string]*tensor.Dense, err error) {
	return decode(bytes.NewReader(data), int64(len(data)))
}

// decode reads a file of so many bytes: its header, then all of it for the checksum, and then the tensors.
func decode(file io.ReaderAt, size int64) (map[string]string, map[string]*tensor.Dense, error) {
	head := make([]byte, min(size, int64(digitsAt+digitsLen)))
	if err := readAt(file, head, 0); err != nil {
		return nil, nil, err
	}
	if err := checkKind(head); err != nil {
		return nil, nil, err
	}
	if len(head) < digitsAt+digitsLen {
		return nil, nil, corrupt("it ends after %d bytes, within the checksum", size)
	}
	meta, entries, body, err := parse(file, size)
	if err != nil {
		return nil, nil, err
	}
	sum, err := checksum(file, size)
	if err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(sum[:], head[digitsAt:]) {
		return nil, nil, corrupt("its SHA-256 is not the one it was written with")
	}
	tensors, err := readTensors(entries, body)
	return meta, tensors, err
}

// readAt fills b from an offset within the file.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return corrupt("it ends at byte %d, sooner than its size says", offset+int64(n))
	default:
		return fmt.Errorf("modelfile: %w", err)
	}
}

// corrupt returns an error that wraps ErrCorrupt and suggests a remedy.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("modelfile: %s: %w; copy it again from where it was saved, or save the model anew", fmt.Sprintf(format, args...), ErrCorrupt)
}

// checkKind tells a damaged model file from another kind of file by the signature at the start of the header. Damage
// leaves most of it: up to 4 bytes may differ. A safetensors file of another program has other metadata there and
// differs more.
func checkKind(data []byte) error {
	if len(data) <= lengthLen {
		return corrupt("it has only %d bytes", len(data))
	}
	head := data[lengthLen:min(len(data), digitsAt)]
	differ := 0
	for i, c := range head {
		if c != signature[i] {
			differ++
		}
	}
	if differ > min(4, len(head)/2) {
		return fmt.Errorf("modelfile: the header does not begin with %s: %w; give a file that was saved by this library (safetensors with its checksum)", signature, ErrFormat)
	}
	return nil
}

// parse reads the header of a file without its checksum, and returns the metadata, the entries and the bytes of the
// tensors, which are not read yet. It trusts nothing; fuzzing starts here.
func parse(file io.ReaderAt, size int64) (map[string]string, map[string]entry, *io.SectionReader, error) {
	if size < lengthLen {
		return nil, nil, nil, corrupt("it has only %d bytes", size)
	}
	var length [lengthLen]byte
	if err := readAt(file, length[:], 0); err != nil {
		return nil, nil, nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > MaxHeader || n > uint64(size-lengthLen) || n%8 != 0 {
		return nil, nil, nil, corrupt("the header's length %d is not a multiple of 8 within the file of %d bytes", n, size)
	}
	header := make([]byte, n)
	if err := readAt(file, header, lengthLen); err != nil {
		return nil, nil, nil, err
	}
	meta, entries, err := parseHeader(header)
	if err != nil {
		return nil, nil, nil, err
	}
	from := lengthLen + int64(n)
	if err := checkLayout(entries, size-from); err != nil {
		return nil, nil, nil, err
	}
	return meta, entries, io.NewSectionReader(file, from, size-from), nil
}

// parseHeader reads the JSON and accepts only the form that headerBytes writes. That excludes duplicate keys, unknown
// fields and stray spaces.
func parseHeader(header []byte) (map[string]string, map[string]entry, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(header, &fields); err != nil {
		return nil, nil, corrupt("the header is no JSON object (%v)", err)
	}
	var meta map[string]string
	if err := json.Unmarshal(fields[metadataKey], &meta); err != nil {
		return nil, nil, corrupt("%s maps no strings to strings (%v)", metadataKey, err)
	}
	digits := meta[HashKey]
	delete(meta, HashKey)
	delete(fields, metadataKey)
	entries := make(map[string]entry, len(fields))
	for name, raw := range fields {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, nil, corrupt("tensor %q has an entry that cannot be read (%v)", name, err)
		}
		if name == "" || e.Shape == nil {
			return nil, nil, corrupt("tensor %q has no name or no shape", name)
		}
		entries[name] = e
	}
	want, err := headerBytes(meta, entries)
	if err != nil {
		return nil, nil, err
	}
	if len(digits) == digitsLen {
		copy(want[len(signature):], digits)
	}
	if !bytes.Equal(want, header) {
		return nil, nil, corrupt("the header is not in the form in which it is written")
	}
	return meta, entries, nil
}

// checkLayout wants known element types, shapes that match their bytes, and tensors without gaps.
func checkLayout(entries map[string]entry, size int64) error {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	})
	var end int64
	for _, name := range names {
		e := entries[name]
		if e.Offsets[0] != end || e.Offsets[1] < end || e.Offsets[1] > size {
			return corrupt("tensor %q has the bytes %v of %d, but the tensor before it ends at %d", name, e.Offsets, size, end)
		}
		want, err := byteLength(name, e)
		if err != nil {
			return err
		}
		if want != e.Offsets[1]-e.Offsets[0] {
			return corrupt("tensor %q is %s %v, %d bytes, but has the bytes %v", name, e.Dtype, e.Shape, want, e.Offsets)
		}
		end = e.Offsets[1]
	}
	if end != size {
		return corrupt("the tensors end at byte %d, the file holds %d", end, size)
	}
	return nil
}

// byteLength is the product of the shape and the element size, checked for overflow. A zero in the shape does not
// excuse an absurd number beside it.
func byteLength(name string, e entry) (int64, error) {
	size := map[string]int64{"F64": 8, "F32": 4}[e.Dtype]
	if size == 0 {
		return 0, corrupt("tensor %q has the element type %q, not F64 or F32", name, e.Dtype)
	}
	empty := false
	for _, s := range e.Shape {
		if s < 0 || s > math.MaxInt || (s > 0 && size > math.MaxInt64/s) {
			return 0, corrupt("tensor %q has the impossible shape %v", name, e.Shape)
		}
		if s == 0 {
			empty = true
			continue
		}
		size *= s
	}
	if empty {
		return 0, nil
	}
	return size, nil
}

// readTensors reads the tensors of checked entries.
func readTensors(entries map[string]entry, body io.ReaderAt) (map[string]*tensor.Dense, error) {
	tensors := make(map[string]*tensor.Dense, len(entries))
	buffer := make([]byte, readPiece)
	for name, e := range entries {
		shape := make([]int, len(e.Shape))
		for i, s := range e.Shape {
			shape[i] = int(s)
		}
		size := e.Offsets[1] - e.Offsets[0]
		var err error
		if e.Dtype == "F32" {
			v := make([]float32, size/4)
			err = eachPiece(body, e.Offsets, buffer, func(at int, b []byte) {
				for i := range len(b) / 4 {
					v[at/4+i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
				}
			})
			tensors[name] = denseOf(shape, v)
		} else {
			v := make([]float64, size/8)
			err = eachPiece(body, e.Offsets, buffer, func(at int, b []byte) {
				for i := range len(b) / 8 {
					v[at/8+i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
				}
			})
			tensors[name] = denseOf(shape, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

// readPiece is the number of bytes that are read at a time, whole numbers of either type.
const readPiece = 1 << 18

// eachPiece calls f with the bytes from offsets[0] to offsets[1], piece by piece, and where each begins among them.
func eachPiece(file io.ReaderAt, offsets [2]int64, buffer []byte, f func(at int, b []byte)) error {
	for from := offsets[0]; from < offsets[1]; from += int64(len(buffer)) {
		b := buffer[:min(int64(len(buffer)), offsets[1]-from)]
		if err := readAt(file, b, from); err != nil {
			return err
		}
		f(int(from-offsets[0]), b)
	}
	return nil
}

func denseOf[T float32 | float64](shape []int, v []T) *tensor.Dense {
	if len(shape) == 0 {
		return tensor.New(tensor.FromScalar(v[0]))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
}
