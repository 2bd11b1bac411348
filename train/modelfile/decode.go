package modelfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// Decode is Read for bytes: it returns the metadata, without the checksum, and the tensors, which share no memory with
// data. Errors: ErrCorrupt and ErrFormat, as for Read.
func Decode(data []byte) (meta map[string]string, tensors map[string]*tensor.Dense, err error) {
	if err := checkKind(data); err != nil {
		return nil, nil, err
	}
	if len(data) < digitsAt+digitsLen {
		return nil, nil, corrupt("it ends after %d bytes, within the checksum", len(data))
	}
	if sum := checksum(data); !bytes.Equal(sum[:], data[digitsAt:digitsAt+digitsLen]) {
		return nil, nil, corrupt("its SHA-256 is not the one it was written with")
	}
	return parse(data)
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

// parse reads a file without checking its checksum. It trusts nothing; fuzzing starts here.
func parse(data []byte) (map[string]string, map[string]*tensor.Dense, error) {
	if len(data) < lengthLen {
		return nil, nil, corrupt("it has only %d bytes", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > MaxHeader || n > uint64(len(data)-lengthLen) || n%8 != 0 {
		return nil, nil, corrupt("the header's length %d is not a multiple of 8 within the file of %d bytes", n, len(data))
	}
	header, body := data[lengthLen:lengthLen+n], data[lengthLen+n:]
	meta, entries, err := parseHeader(header)
	if err != nil {
		return nil, nil, err
	}
	if err := checkLayout(entries, int64(len(body))); err != nil {
		return nil, nil, err
	}
	tensors := make(map[string]*tensor.Dense, len(entries))
	for name, e := range entries {
		tensors[name] = newTensor(e, body[e.Offsets[0]:e.Offsets[1]])
	}
	return meta, tensors, nil
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

// newTensor makes the tensor of a checked entry from its bytes.
func newTensor(e entry, b []byte) *tensor.Dense {
	shape := make([]int, len(e.Shape))
	for i, s := range e.Shape {
		shape[i] = int(s)
	}
	if e.Dtype == "F32" {
		v := make([]float32, len(b)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return denseOf(shape, v)
	}
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return denseOf(shape, v)
}

func denseOf[T float32 | float64](shape []int, v []T) *tensor.Dense {
	if len(shape) == 0 {
		return tensor.New(tensor.FromScalar(v[0]))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
}
