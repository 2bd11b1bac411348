package ops_test

import (
	"context"
	"errors"
	"image"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// errHostile is an error that means nothing.
var errHostile = errors.New("hostile")

// hostileValues makes arguments: good ones for a name of a parameter or for its type, and hostile ones for its type.
type hostileValues struct {
	dir     string
	files   int
	graph   *G.ExprGraph // of the call
	made    map[string]any
	samples map[reflect.Type]sampleOf // of hostileTypes
	zeros   []reflect.Value           // zero values of the types that are written down, and nil pointers to the others
}

func newHostileValues(t *testing.T) *hostileValues {
	v := &hostileValues{dir: t.TempDir(), made: map[string]any{}, samples: map[reflect.Type]sampleOf{}}
	v.begin()
	for _, samples := range hostileTypes {
		s := reflect.TypeOf(samples(v)[0])
		v.samples[s] = samples
		if s.Kind() != reflect.Pointer {
			v.zeros = append(v.zeros, reflect.Zero(s))
			continue
		}
		v.zeros = append(v.zeros, reflect.Zero(s))
		if writtenDown(s.Elem()) {
			v.zeros = append(v.zeros, reflect.New(s.Elem()))
		}
	}
	return v
}

// begin is the start of a call, whose nodes are of one graph.
func (v *hostileValues) begin() { v.graph = G.NewGraph() }

// path is a new file name.
func (v *hostileValues) path(name string) string {
	v.files++
	dir := filepath.Join(v.dir, itoa(v.files))
	if err := os.Mkdir(dir, 0o755); err != nil {
		panic(err)
	}
	return filepath.Join(dir, name)
}

// file is the name of a new file of that text.
func (v *hostileValues) file(name, text string) string {
	path := v.path(name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		panic(err)
	}
	return path
}

// saved is the name of a new file that save has written.
func (v *hostileValues) saved(name string, save func(path string) error) string {
	path := v.path(name)
	if err := save(path); err != nil {
		panic(err)
	}
	return path
}

// leaf is the one node of its name in the graph of the call.
func (v *hostileValues) leaf() *G.Node {
	if known := v.graph.ByName("leaf"); len(known) > 0 {
		return known[0]
	}
	return G.NewMatrix(v.graph, G.Float64, G.WithShape(6, 3), G.WithName("leaf"), G.WithValue(tensorOf(6, 3)))
}

// once keeps what is slow to make.
func once[T any](v *hostileValues, name string, make func() (T, error)) T {
	if v.made[name] == nil {
		v.made[name] = must(make())
	}
	return v.made[name].(T)
}

// node is a node of the graph of the call that holds t.
func (v *hostileValues) node(t *tensor.Dense) *G.Node {
	return G.NewTensor(v.graph, t.Dtype(), t.Dims(), G.WithShape(t.Shape()...), G.WithValue(t), G.WithName("n"+itoa(v.graph.AllNodes().Len())))
}

// good is a good value for a parameter: by the name of the function and its own, by the package and its own, or by type.
func (v *hostileValues) good(name, param string, typ reflect.Type) reflect.Value {
	parts := strings.SplitN(name, ".", 2)
	method := name[strings.LastIndex(name, ".")+1:]
	for _, key := range []string{name + "." + param, parts[0] + ".*." + method + "." + param, parts[0] + ".*." + param} {
		if f, ok := hostileGood[key]; ok {
			if x := f(v); key == name+"."+param || canBe(x, typ) {
				return v.as(x, typ)
			}
		}
	}
	if f, ok := hostileGoodTypes[typ]; ok {
		return v.as(f(v), typ)
	}
	if samples := v.samples[typ]; samples != nil {
		return reflect.ValueOf(samples(v)[0])
	}
	if samples := v.samples[reflect.PointerTo(typ)]; samples != nil {
		return reflect.ValueOf(samples(v)[0]).Elem()
	}
	switch typ.Kind() {
	case reflect.Interface:
		if typ.NumMethod() == 0 {
			return reflect.ValueOf(1.)
		}
	}
	switch typ.Kind() {
	case reflect.Slice:
		s := reflect.MakeSlice(typ, 0, 1)
		if e := typ.Elem(); e.Kind() == reflect.Interface || e.Kind() == reflect.Pointer || e.Kind() == reflect.Struct || e.Kind() == reflect.Slice {
			s = reflect.Append(s, v.good(name, param, e))
		}
		return s
	case reflect.Interface, reflect.Pointer, reflect.Func:
		if typ == reflect.TypeFor[error]() {
			return reflect.Zero(typ)
		}
		panic("hostile_values_test.go has no good value of the type " + typ.String() + " for " + name + "." + param)
	}
	return reflect.Zero(typ)
}

// canBe says whether a good value of a name can be of a type: a letter names a tensor in one function and a struct in
// another.
func canBe(x any, typ reflect.Type) bool {
	if _, ok := x.(*tensor.Dense); ok {
		switch typ {
		case reflect.TypeFor[*G.Node](), reflect.TypeFor[G.Input](), reflect.TypeFor[*ops.Weights](),
			reflect.TypeFor[[]float64](), reflect.TypeFor[[]float32]():
			return true
		}
	}
	return x == nil || reflect.TypeOf(x).ConvertibleTo(typ)
}

// as is x as a value of a type: a tensor serves as node, as packed weights and as numbers too.
func (v *hostileValues) as(x any, typ reflect.Type) reflect.Value {
	if t, ok := x.(*tensor.Dense); ok {
		switch typ {
		case reflect.TypeFor[*G.Node](), reflect.TypeFor[G.Input]():
			return reflect.ValueOf(v.node(t))
		case reflect.TypeFor[*ops.Weights]():
			return reflect.ValueOf(must(ops.Fourier(ops.Attr{}).Pack(t.Shape()[0], t)))
		case reflect.TypeFor[[]float64]():
			return reflect.ValueOf(t.Float64s())
		case reflect.TypeFor[[]float32]():
			single := make([]float32, t.Size())
			for i, c := range t.Float64s() {
				single[i] = float32(c)
			}
			return reflect.ValueOf(single)
		}
	}
	if x == nil {
		return reflect.Zero(typ)
	}
	r := reflect.ValueOf(x)
	if !r.Type().AssignableTo(typ) {
		r = r.Convert(typ)
	}
	return r
}

// hostile are the hostile values of a type.
func (v *hostileValues) hostile(name, param string, typ reflect.Type) []reflect.Value {
	return v.hostileDeep(name, param, typ, 0)
}

func (v *hostileValues) hostileDeep(name, param string, typ reflect.Type, depth int) (all []reflect.Value) {
	add := func(xs ...any) {
		for _, x := range xs {
			all = append(all, v.as(x, typ))
		}
	}
	small := hostileAsked[name+"."+param] != "" || hostileAsked[name] != ""
	if f, ok := hostileOf[typ]; ok {
		for _, x := range f(v) {
			if c, ok := x.(*ops.CSR); !ok || !small || c == nil || c.Cols() < 1<<20 {
				add(x)
			}
		}
		return all
	}
	switch typ.Kind() {
	case reflect.Bool:
		add(true, false)
	case reflect.Int, reflect.Int64:
		if add(0, -1, math.MinInt, 99); !small {
			add(min(1<<40, math.MaxInt), math.MaxInt)
		}
	case reflect.Int32:
		add(0, -1, math.MaxInt32, math.MinInt32)
	case reflect.Uint8, reflect.Uint64:
		add(reflect.Zero(typ).Interface(), 255)
	case reflect.Float64, reflect.Float32:
		add(0., -1., math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 5e-324, 0x1p40)
	case reflect.String:
		add("", "\x00%s", "no such thing")
	case reflect.Pointer:
		add(nil)
		if writtenDown(typ.Elem()) && typ.Elem().Kind() == reflect.Struct && strings.HasPrefix(typ.Elem().PkgPath(), module) {
			all = append(all, reflect.New(typ.Elem()))
		}
	case reflect.Interface:
		add(nil)
		for _, z := range v.zeros {
			if z.Type().Implements(typ) {
				all = append(all, z)
			}
		}
	case reflect.Func:
		add(nil)
		all = append(all, reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, typ.NumOut())
			for i := range out {
				out[i] = reflect.Zero(typ.Out(i))
			}
			return out
		}))
	case reflect.Map:
		add(nil)
		all = append(all, reflect.MakeMap(typ))
		for _, e := range v.hostileDeep("", "", typ.Elem(), depth+1) {
			m := reflect.MakeMap(typ)
			good := v.good(name, param, typ)
			for _, k := range good.MapKeys() {
				m.SetMapIndex(k, e)
			}
			m.SetMapIndex(reflect.ValueOf("hostile"), e)
			all = append(all, m)
		}
	case reflect.Slice:
		add(nil)
		all = append(all, reflect.MakeSlice(typ, 0, 0))
		good := v.good(name, param, typ)
		if good.Len() > 0 {
			all = append(all, good.Slice(0, good.Len()-1), reflect.Append(good.Slice3(0, good.Len(), good.Len()), good.Index(0)))
		}
		for _, e := range v.hostileDeep("", "", typ.Elem(), depth+1) {
			s := reflect.Append(reflect.MakeSlice(typ, 0, 1), e)
			if good.Len() > 1 {
				s = reflect.AppendSlice(s, good.Slice(1, good.Len()))
			}
			all = append(all, s)
		}
	case reflect.Struct:
		all = append(all, reflect.Zero(typ))
		if depth > 1 {
			return all
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			for _, h := range v.hostileDeep(name, param+"."+f.Name, f.Type, depth+1) {
				s := reflect.New(typ).Elem()
				s.Set(v.good(name, param, typ))
				s.Field(i).Set(h)
				all = append(all, s)
			}
		}
	}
	return all
}

// cells are the numbers of good tensors: above 0 and below 1.
func cells(n int) []float64 {
	c := make([]float64, n)
	for i := range c {
		c[i] = .1 + .8*float64(i*7%13)/13
	}
	return c
}

func filled(v float64, shape ...int) *tensor.Dense {
	c := make([]float64, tensor.Shape(shape).TotalSize())
	for i := range c {
		c[i] = v
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(c))
}

func tensorOf(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(cells(tensor.Shape(shape).TotalSize())))
}

func matOf(n, d int) *mat.Dense { return mat.NewDense(n, d, cells(n*d)) }

// hostileTensors are tensors that are no [n, 3] of float64 in (0, 1), or hardly.
func hostileTensors() []*tensor.Dense {
	nan, inf, single, cut := tensorOf(6, 3), tensorOf(6, 3), tensorOf(1, 3), tensorOf(6, 3)
	nan.Float64s()[4] = math.NaN()
	inf.Float64s()[4] = math.Inf(1)
	if err := cut.T(); err != nil {
		panic(err)
	}
	return []*tensor.Dense{
		nil, new(tensor.Dense), nan, inf, single, cut,
		tensor.New(tensor.FromScalar(1.)), tensorOf(3), tensorOf(2, 3, 2), tensorOf(6, 1), tensorOf(4, 5), filled(-1, 6, 3), filled(1e300, 6, 3),
		tensor.New(tensor.WithShape(6, 3), tensor.Of(tensor.Int)), tensor.New(tensor.WithShape(6, 3), tensor.Of(tensor.Float32)),
		tensor.New(tensor.WithShape(6, 3), tensor.Of(tensor.String)),
		tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float64)), tensor.New(tensor.WithShape(6, 0), tensor.Of(tensor.Float64)),
	}
}

// hostileOf are hostile values by type, where the kind of the type does not say enough.
var hostileOf map[reflect.Type]func(v *hostileValues) []any

func init() {
	hostileOf = map[reflect.Type]func(v *hostileValues) []any{
		reflect.TypeFor[*tensor.Dense](): func(*hostileValues) (all []any) {
			for _, t := range hostileTensors() {
				all = append(all, t)
			}
			return all
		},
		reflect.TypeFor[ops.Matrix](): func(v *hostileValues) (all []any) {
			for _, t := range hostileTensors() {
				all = append(all, t)
			}
			empty := must(ops.NewCSR(0, 3, []int{0}, nil, []float64(nil)))
			negative := must(ops.NewCSR(2, 3, []int{0, 1, 2}, []int32{0, 2}, []float64{-1, math.NaN()}))
			wide := must(ops.NewCSR(1, 1<<30, []int{0, 1}, []int32{1 << 29}, []float64{1}))
			return append(all, nil, (*ops.CSR)(nil), (*ops.Bags)(nil), empty, negative, wide, v.bags(), v.csr())
		},
		reflect.TypeFor[*ops.CSR](): func(v *hostileValues) []any {
			return []any{nil, must(ops.NewCSR(0, 3, []int{0}, nil, []float32(nil))),
				must(ops.NewCSR(2, 3, []int{0, 1, 2}, []int32{0, 2}, []float64{-1, math.NaN()})),
				must(ops.NewCSR(1, 1<<30, []int{0, 1}, []int32{1 << 29}, []float64{1}))}
		},
		reflect.TypeFor[*ops.Bags](): func(v *hostileValues) []any {
			return []any{nil, must(ops.NewBags(filled(-1, 4, 1), []int{0, 2, 4})), must(ops.NewBags(filled(math.NaN(), 4, 3), []int{0, 2, 4}))}
		},
		reflect.TypeFor[*ops.Weights](): func(*hostileValues) []any {
			return []any{nil, must(ops.Affine(ops.Attr{}).Pack(5, tensorOf(5, 2))),
				must(ops.Fourier(ops.Attr{}).Pack(3, filled(math.NaN(), 3, 4)))}
		},
		reflect.TypeFor[*mat.Dense](): func(*hostileValues) []any {
			return []any{nil, new(mat.Dense), mat.NewDense(1, 1, []float64{math.NaN()}), matOf(2, 5),
				mat.NewDense(6, 1, []float64{0, 1, math.Inf(1), 3, 4, 5}), mat.NewDense(6, 6, nil)}
		},
		reflect.TypeFor[*G.Node](): func(v *hostileValues) []any {
			other := G.NewGraph()
			return []any{nil, G.NewScalar(v.graph, G.Float64, G.WithName("scalar")), G.NewVector(v.graph, G.Float64, G.WithShape(3), G.WithName("vector")),
				G.NewMatrix(other, G.Float64, G.WithShape(6, 3), G.WithName("x")), G.NewConstant(1.),
				G.NewTensor(v.graph, G.Float64, 3, G.WithShape(2, 3, 2), G.WithName("cube")),
				G.NewMatrix(v.graph, G.Float32, G.WithShape(6, 3), G.WithName("single"))}
		},
		reflect.TypeFor[G.Input](): func(v *hostileValues) []any {
			return []any{nil, (*G.Node)(nil), G.NewVector(v.graph, G.Float64, G.WithShape(3), G.WithName("vector")), G.Nodes{}, G.Err(errHostile),
				G.NewMatrix(v.graph, G.Float32, G.WithShape(6, 3), G.WithName("single"))}
		},
		reflect.TypeFor[*G.ExprGraph]():    func(*hostileValues) []any { return []any{nil, G.NewGraph()} },
		reflect.TypeFor[context.Context](): func(*hostileValues) []any { return []any{nil, canceled()} },
		reflect.TypeFor[io.Reader](): func(*hostileValues) []any {
			return []any{nil, iotest.ErrReader(errHostile), strings.NewReader(""), strings.NewReader("\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1073741824, 1073741824), }" +
				strings.Repeat(" ", 40) + "\n"), iotest.OneByteReader(strings.NewReader("a,b\n1,\"2\n"))}
		},
		reflect.TypeFor[io.Writer](): func(*hostileValues) []any { return []any{nil, badWriter{}} },
		reflect.TypeFor[error]():     func(*hostileValues) []any { return []any{nil, errHostile} },
		reflect.TypeFor[any](): func(*hostileValues) []any {
			return []any{nil, 1, "text", []float64(nil), []float64{1}, math.NaN(), struct{}{}}
		},
		reflect.TypeFor[*rand.Rand]():  func(*hostileValues) []any { return []any{nil} },
		reflect.TypeFor[rand.Source](): func(*hostileValues) []any { return []any{nil} },
		reflect.TypeFor[tensor.Dtype](): func(*hostileValues) []any {
			return []any{tensor.Dtype{}, tensor.Int, tensor.String, tensor.Float32}
		},
		reflect.TypeFor[image.Image](): func(*hostileValues) []any { return []any{nil, image.NewGray(image.Rectangle{})} },
		reflect.TypeFor[data.Examples](): func(v *hostileValues) []any {
			return []any{nil, data.Pairs{}, data.Pairs{X: tensorOf(6, 3)}, (*data.Pairs)(nil), data.Streamed{},
				readRows(func(func(data.Pairs, error) bool) {}),
				readRows(func(yield func(data.Pairs, error) bool) {
					if yield(data.Pairs{}, nil) {
						yield(data.Pairs{}, nil)
					}
				}),
				readRows(func(yield func(data.Pairs, error) bool) { yield(data.Pairs{X: tensorOf(6, 3)}, nil) }),
				readRows(func(yield func(data.Pairs, error) bool) { yield(data.Pairs{}, errHostile) })}
		},
		reflect.TypeFor[iter.Seq2[ops.Matrix, error]](): func(v *hostileValues) []any {
			return []any{nil, iter.Seq2[ops.Matrix, error](func(yield func(ops.Matrix, error) bool) { yield(nil, nil) }),
				iter.Seq2[ops.Matrix, error](func(yield func(ops.Matrix, error) bool) { yield(nil, errHostile) })}
		},
		reflect.TypeFor[[]layers.Option](): func(v *hostileValues) []any { return optionLists[layers.Option](v, "layers") },
	}
}

// readRows are rows that are read.
type readRows iter.Seq2[data.Pairs, error]

func (r readRows) Blocks(context.Context, int) iter.Seq2[data.Pairs, error] {
	return iter.Seq2[data.Pairs, error](r)
}

// optionLists are lists of one option: nil, the zero one, and what each constructor of options of the package makes of
// hostile arguments.
func optionLists[O any](v *hostileValues, pkg string) (all []any) {
	if v.made[pkg] != nil {
		return v.made[pkg].([]any)
	}
	defer func() { v.made[pkg] = all }()
	all = append(all, []O{reflect.Zero(reflect.TypeFor[O]()).Interface().(O)})
	for name, f := range hostileFuncs {
		fv := reflect.ValueOf(f)
		if typ := fv.Type(); strings.HasPrefix(name, pkg+".") && typ.NumOut() == 1 && typ.Out(0) == reflect.TypeFor[O]() && typ.NumIn() > 0 {
			for i := range typ.NumIn() {
				for k := range v.hostile("", "", typ.In(i)) {
					args := make([]reflect.Value, typ.NumIn())
					for j := range args {
						args[j] = v.good(name, "", typ.In(j))
					}
					args[i] = v.hostile("", "", typ.In(i))[k]
					if typ.IsVariadic() {
						all = append(all, []O{fv.CallSlice(args)[0].Interface().(O)})
					} else {
						all = append(all, []O{fv.Call(args)[0].Interface().(O)})
					}
				}
			}
		}
	}
	return all
}

type badWriter struct{}

func (badWriter) Write([]byte) (int, error) { return 0, errHostile }

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func (v *hostileValues) csr() *ops.CSR { return must(ops.CSROf(tensorOf(6, 3))) }

func (v *hostileValues) bags() *ops.Bags { return must(ops.NewBags(tensorOf(6, 3), []int{0, 2, 6})) }
