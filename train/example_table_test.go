package train_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// A model of a table, with text and gaps, that finds the columns of later rows by their names: of another file, in
// another order, and of a program.
func ExampleModel_Rows() {
	dir := must(os.MkdirTemp("", "table"))
	defer os.RemoveAll(dir)
	path, later := filepath.Join(dir, "train.csv"), filepath.Join(dir, "later.csv")
	text := "size,color,weight,kind\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%s,%s,%s\n", i%8, []string{"red", "green"}[i%2], []string{"1.5", "", "3", "2"}[i%4],
			[]string{"apple", "pear"}[i%2])
	}
	for path, text := range map[string]string{path: text, later: "color,note,weight,size\ngreen,ripe,2,5\nred,,?,4\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	f, err := data.ReadFrame(context.Background(), data.Options{LabelNames: []string{"kind"}}, path)
	if err != nil {
		panic(err)
	}
	r := train.Recipe{Scale: "auto", Spec: layers.Spec{Map: "gaussian", Features: 64, Seed: 1}}
	m, _, err := r.Fit(context.Background(), f)
	if err != nil {
		panic(err)
	}
	o := m.Options()
	o.Label = data.LabelNone
	rows, err := data.ReadFrame(context.Background(), o, later)
	if err != nil {
		panic(err)
	}
	rows.Tell = func(note string) { fmt.Println("note:", note[len(dir)+1:]) }
	set, err := m.Rows(rows)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.PredictClasses(set.X))

	one, err := data.NewFrame("weight", "size", "color")
	if err == nil {
		err = one.Append(nil, 3, "red")
	}
	if err == nil {
		set, err = m.Rows(one)
	}
	if err != nil {
		panic(err)
	}
	fmt.Println(m.PredictClasses(set.X))
	// Output:
	// note: later.csv: the training rows did not have the columns "note", which are ignored
	// note: later.csv: the columns are in another order than in the training rows, and are found by their names
	// [pear apple] <nil>
	// [apple] <nil>
}
