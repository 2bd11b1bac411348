package train

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/modelfile"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// paramsKey is the metadata key of a file of parameters: a list of what described returns for its layers.
const paramsKey = "bochner.params"

// SaveParams writes the parameters of layers and the values of nodes to a safetensors file. It serves a network that a
// program builds itself; nodes are the weights that no layer of this module holds. Parameter p of layer i, from 0, is
// the tensor "layer.i.p", learnable or not. The value of a node is the tensor "node." followed by its name. A
// Sequential and a Concat count as one layer. The file is replaced whole or not at all, and holds its own SHA-256.
//
// Errors: domain.ErrParam for a nil layer or node, for a node that an op computes, that has no name or no value or
// shares its name with another, and for a value that is not a dense tensor of float32 or float64; the errors of
// modelfile.Write.
func SaveParams(path string, nodes G.Nodes, ls ...layers.Layer) error {
	tensors, err := paramsOf(nodes, ls)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(described(ls...)); err == nil {
			err = modelfile.Write(path, map[string]string{paramsKey: string(text)}, tensors)
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
		return fmt.Errorf("a safetensors file, but not of SaveParams: it has no metadata %q; a model of Model.Save "+
			"is read by Load: %w", paramsKey, modelfile.ErrFormat)
	}
	var want []string
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		return fmt.Errorf("the metadata %q is no list of layers: %v: %w", paramsKey, err, modelfile.ErrFormat)
	}
	into, err := paramsOf(nodes, ls)
	if err != nil {
		return err
	}
	if have := described(ls...); !slices.Equal(want, have) {
		return fmt.Errorf("the file has the layers %s, and here are %s; give the same ones in the same order: %w",
			strings.Join(want, ", "), strings.Join(have, ", "), domain.ErrParam)
	}
	for name, t := range from {
		if into[name] == nil {
			return fmt.Errorf("the file has the tensor %q, %v, which is of no layer and no node here: %w",
				name, t.Shape(), domain.ErrParam)
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
			return fmt.Errorf("%s has shape %v in the file and %v here: %w",
				name, v.Shape(), t.Shape(), domain.ErrShape)
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

// described returns for each layer what its parameters do not say: its Spec with the kernel and all numbers, or the
// kind of a head, or no more than the type of a layer without a Spec.
func described(ls ...layers.Layer) []string {
	all := make([]string, len(ls))
	for i, l := range ls {
		s, err := layers.SpecOf(l)
		text, jsonErr := json.Marshal(undrawn(s))
		if err != nil || jsonErr != nil {
			text = fmt.Appendf(nil, "%T %d -> %d", l, l.Dims(), l.Features())
		}
		all[i] = string(text)
	}
	return all
}

// undrawn returns the spec without how its parameters were drawn and are tuned.
func undrawn(s layers.Spec) layers.Spec {
	s.Seed, s.Sampler, s.Tune, s.Name, s.Parts = 0, "", "", "", slices.Clone(s.Parts)
	for i, p := range s.Parts {
		s.Parts[i] = undrawn(p)
	}
	return s
}

func layerPrefix(i int) string { return fmt.Sprintf("layer.%d.", i) }

// paramsOf returns the tensors of nodes and layers by their names in a file.
func paramsOf(nodes G.Nodes, ls []layers.Layer) (map[string]*tensor.Dense, error) {
	tensors := map[string]*tensor.Dense{}
	for i, l := range ls {
		if domain.IsNil(l) {
			return nil, fmt.Errorf("layer %d is nil: %w", i, domain.ErrParam)
		}
		for _, p := range l.Params() {
			tensors[layerPrefix(i)+p.Name] = p.Value
		}
	}
	for i, n := range nodes {
		switch {
		case n == nil:
			return nil, fmt.Errorf("node %d is nil: %w", i, domain.ErrParam)
		case n.Op() != nil:
			return nil, fmt.Errorf("node %q is computed by an op; give the leaves that it is made of: %w",
				n.Name(), domain.ErrParam)
		case n.Name() == nameless:
			return nil, fmt.Errorf("node %d has no name; give it one by gorgonia.WithName: %w", i, domain.ErrParam)
		case tensors[nodePrefix+n.Name()] != nil:
			return nil, fmt.Errorf("two nodes have the name %q; give one of them another by gorgonia.WithName: %w",
				n.Name(), domain.ErrParam)
		}
		t, ok := n.Value().(*tensor.Dense)
		if !ok || !slices.Contains([]tensor.Dtype{tensor.Float32, tensor.Float64}, t.Dtype()) {
			return nil, fmt.Errorf("the value of node %q is %T, and a file holds dense tensors of float32 or "+
				"float64; give it one by gorgonia.WithValue: %w", n.Name(), n.Value(), domain.ErrParam)
		}
		tensors[nodePrefix+n.Name()] = t
	}
	return tensors, nil
}
