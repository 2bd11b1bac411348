package modelfile

import (
	"bytes"
	"errors"
	"testing"
)

func FuzzRead(f *testing.F) {
	meta, tensors := sample()
	f.Add(must(Encode(meta, tensors)))
	f.Add(must(Encode(nil, nil)))
	f.Add(file(`,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}`, 12))
	f.Add(file(`,"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}`, 0))
	f.Add([]byte(signature))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := Decode(data); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrFormat) {
			t.Fatalf("untyped error %v", err)
		}
		meta, entries, body, err := parse(bytes.NewReader(data), int64(len(data))) // past the checksum, which no fuzzer can guess
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		tensors, err := readTensors(entries, body)
		if err != nil {
			t.Fatal(err)
		}
		m, ts, err := Decode(must(Encode(meta, tensors)))
		if err != nil || len(m) != len(meta) || len(ts) != len(tensors) {
			t.Fatalf("what was read cannot be written and read: %v", err)
		}
	})
}
