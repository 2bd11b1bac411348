package layers

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// TestTags: a word of a parameter stands for the value of that name, and back; a default is in range; a parameter is
// documented, and the only one of its name.
func TestTags(t *testing.T) {
	for _, e := range slices.Concat(structure, Entries()) {
		seen := map[string]bool{}
		eachParam(e.of, func(d ParamDef, f reflect.Value) {
			if seen[d.Name] {
				t.Errorf("%s has two parameters %s", e.Name, d.Name)
			}
			seen[d.Name] = true
			if d.Doc == "" || d.Name == kernelParam && d.Words == nil {
				t.Errorf("%s: %s has no meaning or no words: %+v", e.Name, d.Name, d)
			}
			if d.Flag && d.Default == nil {
				t.Errorf("%s: the flag %s has no default", e.Name, d.Name)
			}
			if d.Default != nil && d.Default != "" {
				if err := d.check(e.Name, d.Default); err != nil {
					t.Error(err)
				}
			}
			for _, word := range d.Words {
				if d.decode(f, word); d.List { // a rule, which the data make numbers
					continue
				}
				if got := d.encode(f); got != word {
					t.Errorf("%s: %s=%s is read as %v", e.Name, d.Name, word, got)
				}
				if name, ok := f.Interface().(fmt.Stringer); ok && name.String() != word {
					t.Errorf("%s: %s=%s is %v", e.Name, d.Name, word, name)
				}
			}
		})
	}
}
