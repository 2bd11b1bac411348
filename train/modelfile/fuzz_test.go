package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gorgonia.org/tensor"
)

func FuzzRead(f *testing.F) {
	meta, tensors := sample()
	f.Add(encode(f, meta, tensors))
	f.Add(encode(f, nil, nil))
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
		again := encode(t, meta, tensors)
		m, ts, err := Decode(again)
		if err != nil || len(m) != len(meta) || len(ts) != len(tensors) {
			t.Fatalf("what was read cannot be written and read: %v", err)
		}
	})
}

func Example() {
	dir, _ := os.MkdirTemp("", "modelfile")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	w := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	if err := Write(path, map[string]string{"map": "gaussian"}, map[string]*tensor.Dense{"W": w}); err != nil {
		fmt.Println(err)
	}
	meta, tensors, err := Read(path)
	fmt.Println(meta["map"], tensors["W"].Shape(), tensors["W"].Float32s(), err)

	data, _ := os.ReadFile(path)
	data[len(data)-1] ^= 1
	_, _, err = Decode(data)
	fmt.Println(errors.Is(err, ErrCorrupt))
	// Output:
	// gaussian (2, 3) [1 2 3 4 5 6] <nil>
	// true
}
