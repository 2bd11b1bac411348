package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/modelfile"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// paramsKey is the metadata key of a file of parameters, which lists its layers.
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
	into, kinds, err := paramsOf(nodes, ls)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(kinds); err == nil {
			err = modelfile.Write(path, map[string]string{paramsKey: string(text)}, into)
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
// layers of other types or widths, for nodes that the file lacks, and for tensors that no layer or node here has;
// domain.ErrShape for other shapes; domain.ErrDtype for other element types; the errors of SaveParams for layers and
// nodes.
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
