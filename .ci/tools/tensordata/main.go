// Command tensordata is a check for go vet: nothing reads the memory of a tensor by Data or Uintptr, nor by functions
// of Gorgonia that do so with a value that nothing else holds.
//
//	go -C .ci/tools build -o "$PWD/tensordata.exe" ./tensordata
//	go vet -vettool="$PWD/tensordata.exe" ./...
//
// In gorgonia.org/tensor both pass through a uintptr, which keeps nothing alive: where the tensor is not used
// afterwards, the collector may free its cells before the slice exists. Float32s and Float64s are slices all along.
package main

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

const tensorPath, gorgoniaPath = "gorgonia.org/tensor", "gorgonia.org/gorgonia"

// instead says, of functions of Gorgonia, what to write in their place.
var instead = map[string]string{
	"Ones":           "WithValue(tensor.Ones(dtype, shape...))", // the Data of a tensor that is gone
	"ScalarAsTensor": "tensor.New(tensor.FromScalar(number))",   // the Uintptr of the scalar
}

var analyzer = &analysis.Analyzer{
	Name: "tensordata",
	Doc:  "report reads of a tensor that do not keep its cells alive",
	Run:  run,
}

func main() { unitchecker.Main(analyzer) }

func run(pass *analysis.Pass) (any, error) {
	dense := denseOf(pass.Pkg)
	if dense == nil {
		return nil, nil // no file of the package can have a tensor
	}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			o := pass.TypesInfo.Uses[sel.Sel]
			if o != nil && o.Pkg() != nil && o.Pkg().Path() == gorgoniaPath && instead[o.Name()] != "" {
				pass.Reportf(sel.Sel.Pos(), "gorgonia.%s: the collector may free what it gives; write %s",
					o.Name(), instead[o.Name()])
			}
			s := pass.TypesInfo.Selections[sel]
			if s == nil || s.Kind() == types.FieldVal {
				return true
			}
			if name := s.Obj().Name(); (name == "Data" || name == "Uintptr") && mayBeTensor(s, dense) {
				pass.Reportf(sel.Sel.Pos(), "%s of a %s: the collector may free its cells meanwhile; read a tensor by Float32s "+
					"or Float64s, a number by its type, as in float64(*v.(*gorgonia.F64))",
					name, types.TypeString(s.Recv(), (*types.Package).Name))
			}
			return true
		})
	}
	return nil, nil
}

// mayBeTensor says whether the method is one of package tensor, or one of an interface that a *tensor.Dense satisfies.
func mayBeTensor(s *types.Selection, dense types.Type) bool {
	if p := s.Obj().Pkg(); p != nil && p.Path() == tensorPath {
		return true
	}
	i, ok := s.Recv().Underlying().(*types.Interface)
	return ok && types.Implements(dense, i)
}

// denseOf is *tensor.Dense where the package or one that it imports, however far, has it.
func denseOf(p *types.Package) types.Type {
	seen := map[*types.Package]bool{}
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		if p.Path() == tensorPath {
			return p
		}
		seen[p] = true
		for _, q := range p.Imports() {
			if !seen[q] {
				if found := find(q); found != nil {
					return found
				}
			}
		}
		return nil
	}
	if p = find(p); p == nil {
		return nil
	}
	if o := p.Scope().Lookup("Dense"); o != nil {
		return types.NewPointer(o.Type())
	}
	return nil
}
