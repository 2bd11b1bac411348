package ops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/doc"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	G "gorgonia.org/gorgonia"
)

// TestHostileArguments calls every exported function of the public packages, and every method that this module declares
// on their types, with arguments that nobody means: nil, zero, negative and huge numbers, NaN, wrong shapes, options
// and kernels of the zero value. First it calls each with good arguments, with which a function must succeed. Then each
// argument in turn is hostile and the others are good, and at last all are hostile at once. A call may return what it
// likes. It must not
//
//   - panic with an error of the Go runtime. A panic with a text or an error that begins with the name of the package
//     is allowed where the comment of the function, or of the interface's method, says "panic". The texts of package
//     ops/blas are gonum's, which begin so too;
//   - allocate more than hostileBytes;
//   - take longer than hostileTime.
//
// The receivers of methods are good values of their types and, of types that are made by writing them down, zero
// values: structs with an exported field or with none at all, numbers, texts and maps. A type whose fields are all
// hidden is made by a constructor. A nil or zero receiver of such a type is left out, as is a nil pointer to any
// struct: there every method of Go reads memory that is not there.
//
// Before that, testOptions and testInputGrad call the constructors of layers with every option.
//
// The packages say themselves what is exported: the test writes a file that lists it and runs itself once more with
// that. A type without a good value fails the test.
func TestHostileArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: thousands of calls")
	}
	api := exported(t)
	if hostileFuncs == nil {
		callAll(t, api)
		return
	}
	docs := publicPackages(t)
	t.Chdir(t.TempDir()) // where the files of hostile names go
	b := &battery{panics: mayPanic(docs), arguments: newArguments(t, api), failed: map[string]bool{}}
	constructors, options := b.withOptions()
	t.Run("options", func(t *testing.T) { testOptions(t, constructors, options) })
	t.Run("gradients for leaves", func(t *testing.T) { testInputGrad(t, constructors) })
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		pkg := strings.TrimPrefix(path, module+"/")
		t.Run(pkg, func(t *testing.T) {
			b.t = t
			b.pkg(pkg)
		})
	}
}

// hostileFuncs are the exported functions of the public packages, by names as "layers.NewConcat", and hostileKinds the
// types with methods. The file that callAll writes fills them.
var (
	hostileFuncs map[string]any
	hostileKinds map[string]reflect.Type
)

// callAll runs TestHostileArguments with a further file of this package, which lists what there is to call.
func callAll(t *testing.T, api exports) {
	t.Helper()
	var imports, funcs, kinds strings.Builder
	alias := map[string]string{}
	of := func(name string) string { // the name with the alias of its package, which it imports
		dot := strings.LastIndex(name, ".")
		if alias[name[:dot]] == "" {
			alias[name[:dot]] = fmt.Sprint("p", len(alias))
			fmt.Fprintf(&imports, "\t%s %q\n", alias[name[:dot]], module+"/"+name[:dot])
		}
		return alias[name[:dot]] + name[dot:]
	}
	for name, f := range api.funcs {
		instance := ""
		if f.Signature().TypeParams().Len() > 0 {
			instance = "[float64]"
		}
		fmt.Fprintf(&funcs, "\t\t%q: %s%s,\n", name, of(name), instance)
	}
	for name := range api.types {
		fmt.Fprintf(&kinds, "\t\t%q: reflect.TypeFor[%s](),\n", name, of(name))
	}
	text := fmt.Sprintf("package ops_test\n\nimport (\n\t\"reflect\"\n%s)\n\nfunc init() {\n"+
		"\thostileFuncs = map[string]any{\n%s\t}\n\thostileKinds = map[string]reflect.Type{\n%s\t}\n}\n",
		&imports, &funcs, &kinds)
	here := must(filepath.Abs("hostile_functions_test.go"))
	dir := t.TempDir()
	list, overlay := filepath.Join(dir, "list.go"), filepath.Join(dir, "overlay.json")
	replace := must(json.Marshal(map[string]any{"Replace": map[string]string{here: list}}))
	if err := errors.Join(os.WriteFile(list, []byte(text), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-count=1", "-overlay", overlay, "-run", "^" + t.Name() + "$"}
	if emulator := os.Getenv("BOCHNER_EMULATOR"); emulator != "" {
		args = append(args, "-exec", emulator)
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// ofFloats is false for a function of constants with names, as domain.ParseWord: the String, Parse and UnmarshalText of
// their types call it.
func ofFloats(f *types.Func) bool {
	p := f.Signature().TypeParams()
	return p.Len() == 0 || types.Satisfies(types.Typ[types.Float64], p.At(0).Constraint().Underlying().(*types.Interface))
}

// exports are the exported functions of the public packages by name, as "layers.NewConcat", and their types with the
// methods that this module declares.
type exports struct {
	funcs map[string]*types.Func
	types map[string][]*types.Func
}

// exported reads what the compiler says that the packages export.
func exported(t *testing.T) exports {
	t.Helper()
	paths := slices.Sorted(maps.Keys(publicPackages(t)))
	list := append([]string{"list", "-export", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)
	out, err := exec.Command("go", list...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			files[f[0]] = f[1]
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", open)
	api := exports{map[string]*types.Func{}, map[string][]*types.Func{}}
	for _, path := range paths {
		scope := must(compiled.Import(path)).Scope()
		for _, name := range scope.Names() {
			full := strings.TrimPrefix(path, module+"/") + "." + name
			switch o := scope.Lookup(name).(type) {
			case *types.Func:
				if o.Exported() && ofFloats(o) {
					api.funcs[full] = o
				}
			case *types.TypeName:
				if !o.Exported() || o.IsAlias() || types.IsInterface(o.Type()) {
					continue
				}
				for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
					if f := m.Obj().(*types.Func); f.Exported() && strings.HasPrefix(f.Pkg().Path(), module) {
						api.types[full] = append(api.types[full], f)
					}
				}
			}
		}
	}
	if len(api.funcs) < 200 || len(api.types) < 50 {
		t.Fatalf("%d functions and %d types: the packages are not where they were", len(api.funcs), len(api.types))
	}
	return api
}

// declared is the name of a method with the type that has it, which may be embedded in another.
func declared(m *types.Func) string {
	t := m.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return strings.TrimPrefix(t.String(), module+"/") + "." + m.Name()
}

// parameters are the names of the parameters of a function.
func parameters(f *types.Func) (names []string) {
	for v := range f.Signature().Params().Variables() {
		names = append(names, v.Name())
	}
	return names
}

// short is the name of a function as a file that imports its package writes it.
func short(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// mayPanic are the functions and methods whose comment says that they panic, or whose interface does.
func mayPanic(packages map[string]*doc.Package) func(name string) bool {
	says := map[string]bool{}
	interfaces := map[string]bool{} // package.Method
	for path, p := range packages {
		path = strings.TrimPrefix(path, module+"/")
		forEachDoc(p, func(name, text string) {
			if strings.Contains(text, "panic") {
				says[path+"."+name] = true
			}
		})
		for _, m := range interfaceMethods(p) {
			if strings.Contains(m.Doc.Text(), "panic") {
				interfaces[path+"."+m.Names[0].Name] = true
			}
		}
	}
	return func(name string) bool {
		parts := strings.Split(short(name), ".")
		folder := strings.TrimSuffix(name, short(name))
		return says[name] || len(parts) == 3 && interfaces[folder+parts[0]+"."+parts[2]]
	}
}

// hostileBytes and hostileTime are far above what a call with a few rows takes, and far below what hurts.
const (
	hostileBytes = 256 << 20
	hostileTime  = 20 * time.Second
)

// battery calls functions.
type battery struct {
	*arguments
	t      *testing.T
	panics func(name string) bool
	failed map[string]bool
}

// function is what is called: by the name that the tables have for it, the name that documentation has, the names of
// its parameters, and its value, which is made for each call.
type function struct {
	name, declared string
	params         []string
	typ            reflect.Type
	make           func() reflect.Value
}

// function is an exported function of a name.
func (v *arguments) function(name string) function {
	f := reflect.ValueOf(hostileFuncs[name])
	return function{name, name, parameters(v.api.funcs[name]), f.Type(), func() reflect.Value { return f }}
}

// pkg calls what a package exports.
func (b *battery) pkg(pkg string) {
	of := func(name string) bool { return name[:strings.LastIndex(name, ".")] == pkg }
	for _, name := range slices.Sorted(maps.Keys(b.api.funcs)) {
		if of(name) && hostileNever[name] == "" {
			b.each(b.function(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.api.types)) {
		if !of(name) {
			continue
		}
		samples := b.samples(hostileKinds[name])
		if len(samples) == 0 {
			b.t.Errorf("goodValues in hostile_values_test.go lacks the type %s, which has %d methods", name,
				len(b.api.types[name]))
			continue
		}
		for _, m := range b.api.types[name] {
			if full := name + "." + m.Name(); hostileNever[full] == "" {
				b.method(full, m, hostileKinds[name], samples)
			}
		}
	}
}

// method calls one method of all samples of its type, and of its zero value.
func (b *battery) method(full string, m *types.Func, typ reflect.Type, samples []maker) {
	bound := func(receiver reflect.Value) reflect.Value {
		if receiver.Kind() != reflect.Pointer {
			p := reflect.New(receiver.Type())
			p.Elem().Set(receiver)
			receiver = p
		}
		return receiver.MethodByName(m.Name())
	}
	f := function{full, declared(m), parameters(m), nil, nil}
	for _, sample := range samples {
		f.make = func() reflect.Value { return bound(sample(b.arguments)) }
		f.typ = f.make().Type()
		b.each(f)
	}
	if writtenDown(typ) {
		f.make = func() reflect.Value { return bound(reflect.New(typ)) }
		for _, args := range append(b.all(f), b.goodOf(f)) {
			b.run(full+" of the zero value", f, args)
		}
	}
}

// writtenDown says whether values of a type are made without a constructor.
func writtenDown(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return t.Kind() != reflect.Func
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return true
		}
	}
	return t.NumField() == 0
}

// each calls a function with good arguments, with one hostile argument and with all of them.
func (b *battery) each(f function) {
	b.begin()
	args := b.goodOf(f)
	err := b.run(f.name+" with good arguments", f, args)
	if err != nil && strings.Count(short(f.name), ".") == 1 && hostileRefused[f.name] == "" {
		b.t.Errorf("%s refuses good arguments, so that nothing behind its first check is tested: %v\n%s", f.name, err,
			show(args))
	}
	for i := range f.typ.NumIn() {
		b.begin()
		for _, h := range b.hostile(f.name, f.params[i], f.typ.In(i), 0) {
			args := b.goodOf(f)
			args[i] = h
			b.run(fmt.Sprintf("%s with hostile %s", f.name, f.params[i]), f, args)
		}
	}
	for _, args := range b.all(f) {
		b.run(f.name+" with nothing but hostile arguments", f, args)
	}
}

// all are lists of nothing but hostile arguments, by turns.
func (b *battery) all(f function) (lists [][]reflect.Value) {
	if f.typ.NumIn() < 2 {
		return nil
	}
	b.begin()
	hostile, n := make([][]reflect.Value, f.typ.NumIn()), 0
	for i := range hostile {
		hostile[i] = b.hostile(f.name, f.params[i], f.typ.In(i), 0)
		n = max(n, len(hostile[i]))
	}
	for k := range min(n, 12) {
		args := b.goodOf(f)
		for i, h := range hostile {
			if len(h) > 0 {
				args[i] = h[k%len(h)]
			}
		}
		lists = append(lists, args)
	}
	return lists
}

// call calls f with arguments, of which the last are a slice where f takes any number.
func call(f reflect.Value, args []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

// run makes one call and looks at how it ends. It returns the error that the call returns, or its panic as one.
func (b *battery) run(what string, f function, args []reflect.Value) error {
	b.t.Helper()
	type outcome struct {
		panicked any
		stack    string
		out      []reflect.Value
	}
	value, before := f.make(), allocated()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if o.panicked = recover(); o.panicked != nil {
				o.stack = string(debug.Stack())
			}
			done <- o
		}()
		o.out = call(value, args)
		for _, v := range o.out {
			iterate(v)
		}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-time.After(hostileTime):
		b.t.Fatalf("%s: still running after %v\n%s", what, hostileTime, show(args))
	}
	if n := allocated() - before; n > hostileBytes && hostileAsked[f.name] == "" {
		b.fail(what, "allocates %d MB\n%s", n>>20, show(args))
		runtime.GC()
	}
	if o.panicked != nil {
		if why := b.wrong(f, o.panicked); why != "" {
			b.fail(what, "panics with %v, %s\n%s%s", o.panicked, why, show(args), o.stack)
		}
		return fmt.Errorf("a panic with %v", o.panicked)
	}
	return failure(o.out)
}

// failure is the error among results, or in one that is a node.
func failure(results []reflect.Value) error {
	for _, v := range results {
		switch r := v.Interface().(type) {
		case G.Result:
			return r.Err()
		case error:
			if v.Type() == reflect.TypeFor[error]() {
				return r
			}
		}
	}
	return nil
}

// fail reports what is wrong with a call, once for each way to call a function.
func (b *battery) fail(what, format string, args ...any) {
	b.t.Helper()
	if !b.failed[what] {
		b.failed[what] = true
		b.t.Errorf(what+": "+format, args...)
	}
}

// wrong is what is wrong with a panic, empty for one that is documented.
func (b *battery) wrong(f function, v any) string {
	if err, ok := v.(error); ok {
		if errors.As(err, new(runtime.Error)) {
			return "an error of the runtime"
		}
	} else if _, ok := v.(string); !ok {
		return "which is neither an error nor a text"
	}
	if !b.panics(f.name) && !b.panics(f.declared) {
		return "of which its comment says nothing"
	}
	pkg, _, _ := strings.Cut(short(f.name), ".")
	text := fmt.Sprint(v)
	own := []string{pkg, "spectral", "ops", "layers", "train", "data", "domain", "simd", errHostile.Error()}
	for _, p := range own {
		if strings.HasPrefix(text, p+":") || text == p {
			return ""
		}
	}
	return "which does not begin with the name of its package"
}

// iterate runs through a result that is an iterator, as far as a caller would.
func iterate(v reflect.Value) {
	if v.Kind() == reflect.Func && !v.IsNil() && v.Type().CanSeq2() {
		n := 0
		for range v.Seq2() {
			if n++; n > 20 {
				break
			}
		}
	}
}

// allocated is what this process has allocated until now.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// show is the beginning of each argument, on lines of their own.
func show(args []reflect.Value) string {
	var b strings.Builder
	for _, a := range args {
		fmt.Fprintf(&b, "    %v: %.120s\n", a.Type(), fmt.Sprintf("%+v", a))
	}
	return b.String()
}
