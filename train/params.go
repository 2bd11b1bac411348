package train

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/modelfile"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The metadata keys of a file of parameters: a list of its layers, and of what described returns for them.
const (
	paramsKey  = "bochner.params"
	kernelsKey = "bochner.kernels"
)

// SaveParams writes the parameters of layers and the values of nodes to a safetensors file. It serves a network that a
// program builds itself; nodes are the weights that no layer of this module holds. Parameter p of layer i, from 0, is
// the tensor "layer.i.p", learnable or not. The value of a node is the tensor "node." followed by its name. A
// Sequential and a Concat count as one layer. The file is replaced whole or not at all, and holds its own SHA-256.
//
// Errors: domain.ErrParam for a nil layer or node, for a node that an op computes, that has no name or no value or
// shares its name with another, and for a value that is not a dense tensor of float32 or float64; the errors of
// modelfile.Write.
func SaveParams(path string, nodes G.Nodes, ls ...layers.Layer) error {
	into, kinds, err := paramsOf(nodes, ls)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(kinds); err == nil {
			meta := map[string]string{paramsKey: string(text)}
			if text, err = json.Marshal(described(ls)); err == nil {
				meta[kernelsKey] = string(text)
				err = modelfile.Write(path, meta, into)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("train: SaveParams %s: %w", path, err)
	}
	return nil
}

// LoadParams copies the parameters of a file that SaveParams wrote into the same layers, in the same order, and into
// the values of the nodes of the same names. It changes nothing unless everything fits.
//
// Errors: modelfile.ErrFormat for another kind of file; modelfile.ErrCorrupt for a damaged one; domain.ErrParam for
// layers of other types, widths, kernels or parameters of kernels, for nodes that the file lacks, and for tensors that
// no layer or node here has; domain.ErrShape for other shapes; domain.ErrDtype for other element types; the errors of
// SaveParams for layers and nodes.
func LoadParams(path string, nodes G.Nodes, ls ...layers.Layer) error {
	if err := loadParams(path, nodes, ls); err != nil {
		return fmt.Errorf("train: LoadParams %s: %w", path, err)
	}
	return nil
}

func loadParams(path string, nodes G.Nodes, ls []layers.Layer) error {
	meta, from, err := modelfile.Read(path)
	if err != nil {
		return err
	}
	text, ok := meta[paramsKey]
	if !ok {
		return fmt.Errorf("a safetensors file, but not of SaveParams: it has no metadata %q; a model of Model.Save is read by Load: %w", paramsKey, modelfile.ErrFormat)
	}
	var want []string
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		return fmt.Errorf("the metadata %q is no list of layers: %v: %w", paramsKey, err, modelfile.ErrFormat)
	}
	into, kinds, err := paramsOf(nodes, ls)
	if err != nil {
		return err
	}
	for i := range max(len(want), len(kinds)) {
		if i >= len(want) || i >= len(kinds) || want[i] != kinds[i] {
			return fmt.Errorf("the file has the layers %v, and here are %v; give the same ones in the same order: %w", want, kinds, domain.ErrParam)
		}
	}
	if text, ok := meta[kernelsKey]; ok { // earlier files lack it
		var kernels []string
		if err := json.Unmarshal([]byte(text), &kernels); err != nil {
			return fmt.Errorf("the metadata %q is no list of kernels: %v: %w", kernelsKey, err, modelfile.ErrFormat)
		}
		if err := sameLayers(kernels, described(ls)); err != nil {
			return fmt.Errorf("%w; give layers of the same kernels and parameters", err)
		}
	}
	for name, t := range from {
		if into[name] == nil {
			return fmt.Errorf("the file has the tensor %q, %v, which is of no layer and no node here: %w", name, t.Shape(), domain.ErrParam)
		}
	}
	for name, t := range into {
		v := from[name]
		switch {
		case v == nil:
			return fmt.Errorf("the file has no tensor %q: %w", name, domain.ErrParam)
		case v.Dtype() != t.Dtype():
			return fmt.Errorf("%s is %v in the file and %v here: %w", name, v.Dtype(), t.Dtype(), domain.ErrDtype)
		case !v.Shape().Eq(t.Shape()):
			return fmt.Errorf("%s has shape %v in the file and %v here: %w", name, v.Shape(), t.Shape(), domain.ErrShape)
		}
	}
	for i, l := range ls {
		if err := l.SetParams(withPrefix(from, layerPrefix(i))); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		if err := ops.Assign(n.Value().(*tensor.Dense), from[nodePrefix+n.Name()]); err != nil {
			return err
		}
	}
	return nil
}

const (
	nodePrefix = "node."
	nameless   = "%!s(<nil>)()" // what Gorgonia calls a leaf without a name
)

// described returns for each layer, and for each part of a composition, what its parameters do not say: its kernel,
// activation or norm, with all numbers. A function in a kernel has no text.
func described(ls []layers.Layer) []string {
	all := []string{}
	for _, l := range ls {
		switch v := l.(type) {
		case interface{ Unwrap() layers.Layer }:
			all = append(all, described([]layers.Layer{v.Unwrap()})...)
			continue
		case interface{ Layers() []layers.Layer }:
			all = append(all, described(v.Layers())...)
			continue
		case *layers.BagLayer:
			all = append(all, described([]layers.Layer{v.OfRows()})...)
			continue
		}
		text := layers.Summary(l).Layers[0].Type
		for _, name := range []string{"Kernel", "Distance", "Activation", "Norm"} {
			m := reflect.ValueOf(l).MethodByName(name)
			if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 {
				continue
			}
			of := m.Call(nil)[0]
			for of.Kind() == reflect.Interface {
				of = of.Elem()
			}
			if !of.IsValid() {
				continue
			}
			if text += " " + of.Type().String(); plain(of) {
				text += fmt.Sprintf("%+v", of.Interface())
			}
		}
		all = append(all, text)
	}
	return all
}

// plain says whether a value is made of numbers and words, which have the same text in every process.
func plain(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !plain(v.Field(i)) {
				return false
			}
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if !plain(v.Index(i)) {
				return false
			}
		}
	case reflect.Interface:
		return plain(v.Elem())
	case reflect.Func, reflect.Chan, reflect.Map, reflect.Pointer, reflect.UnsafePointer:
		return false
	}
	return true
}

// sameLayers returns an error unless two lists of described are the same.
func sameLayers(want, have []string) error {
	for i := range max(len(want), len(have)) {
		switch {
		case i >= len(want) || i >= len(have):
			return fmt.Errorf("%d layers for %d: %w", len(have), len(want), domain.ErrParam)
		case want[i] != have[i]:
			return fmt.Errorf("layer %d is %s, want %s: %w", i, have[i], want[i], domain.ErrParam)
		}
	}
	return nil
}

func layerPrefix(i int) string { return fmt.Sprintf("layer.%d.", i) }

// paramsOf returns the tensors of nodes and layers by their names in a file, and the types of the layers.
func paramsOf(nodes G.Nodes, ls []layers.Layer) (map[string]*tensor.Dense, []string, error) {
	tensors, kinds := map[string]*tensor.Dense{}, []string{}
	for i, l := range ls {
		if domain.IsNil(l) {
			return nil, nil, fmt.Errorf("layer %d is nil: %w", i, domain.ErrParam)
		}
		kinds = append(kinds, fmt.Sprintf("%s %d -> %d", layers.Summary(l).Layers[0].Type, l.Dims(), l.Features()))
		for _, p := range l.Params() {
			tensors[layerPrefix(i)+p.Name] = p.Value
		}
	}
	for i, n := range nodes {
		switch {
		case n == nil:
			return nil, nil, fmt.Errorf("node %d is nil: %w", i, domain.ErrParam)
		case n.Op() != nil:
			return nil, nil, fmt.Errorf("node %q is computed by an op; give the leaves that it is made of: %w", n.Name(), domain.ErrParam)
		case n.Name() == nameless:
			return nil, nil, fmt.Errorf("node %d has no name; give it one by gorgonia.WithName: %w", i, domain.ErrParam)
		case tensors[nodePrefix+n.Name()] != nil:
			return nil, nil, fmt.Errorf("two nodes have the name %q; give one of them another by gorgonia.WithName: %w", n.Name(), domain.ErrParam)
		}
		t, ok := n.Value().(*tensor.Dense)
		if !ok || !slices.Contains([]tensor.Dtype{tensor.Float32, tensor.Float64}, t.Dtype()) {
			return nil, nil, fmt.Errorf("the value of node %q is %T, and a file holds dense tensors of float32 or float64; give it one by gorgonia.WithValue: %w", n.Name(), n.Value(), domain.ErrParam)
		}
		tensors[nodePrefix+n.Name()] = t
	}
	return tensors, kinds, nil
}
