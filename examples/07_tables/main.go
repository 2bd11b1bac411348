// Command 07_tables learns from a table as people have it: names, categories, dates, gaps, and next month the same
// columns in another order.
//
//	go run ./examples/07_tables
//
// A map takes rows of numbers. data.ReadFrame reads a table as named columns, and Learn decides by the training rows
// what each becomes: a number stays one, no and yes are 0 and 1, a category has a column of 0 and 1 for each of its
// levels, a date is days since 1970, and where values are missing the median takes their place and a further column
// says so. A Recipe that is given a Frame does it, and its Model keeps the Columns in its file. These lines are all:
//
//	march, err := data.ReadFrame(ctx, data.Options{LabelNames: []string{"left"}}, "07_tables_march.csv")
//	model, _, err := train.Recipe{Scale: "auto"}.Fit(ctx, march)
//	april, err := data.Read("07_tables_april.csv", model.Options())
//	classes, err := model.PredictClasses(april.X)
//
// The program makes the customers of two months. April's file has the columns in another order, and one more. Who
// leaves depends on the plan and the usage together, and whether the income is unknown tells of it, too. The same
// model is then fitted on the columns of numbers alone.
//
// It exits with 1 unless the categories and the gaps make the model better, and April in March's order gives the same
// predictions.
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/wholefile"
)

var names = []string{"customer", "region", "plan", "joined", "left", "age", "income", "usage", "newsletter"}

func main() {
	const customers = 4000
	all := people(2*customers, 1)
	write("07_tables_march.csv", names, all[:customers])
	mixed := []string{"usage", "newsletter", "left", "shop", "joined", "plan", "income", "region", "age", "customer"}
	write("07_tables_april.csv", mixed, all[customers:])
	write("07_tables_april_in_order.csv", names, all[customers:])

	ctx := context.Background()
	tell := func(note string) { fmt.Println(note) }
	march := must.Get(data.ReadFrame(ctx, data.Options{LabelNames: []string{"left"}, Tell: tell}, "07_tables_march.csv"))
	recipe := train.Recipe{Scale: "auto"}
	model, _, err := recipe.Fit(ctx, march)
	must.Do(err)
	for _, in := range model.Columns.Inputs {
		fmt.Printf("%-12s %-9s %5d missing\n", in.Name, in.Kind, in.Gaps)
	}
	fmt.Printf("%d columns of the table become %d: %q\n\n", len(model.Columns.Inputs), model.Dims(), model.Columns.Names())

	read := model.Options()
	read.Tell = tell
	april := must.Get(data.Read("07_tables_april.csv", read))
	classes := must.Get(model.PredictClasses(april.X))
	whole := accuracy(model, april)

	recipe.Columns = &data.ColumnOptions{Keep: []string{"age", "income", "usage"}, Missing: data.MissingFill}
	numbers, _, err := recipe.Fit(ctx, march)
	must.Do(err)
	rows := must.Get(data.Read("07_tables_april.csv", numbers.Options()))
	plain := accuracy(numbers, rows)
	fmt.Printf("\naccuracy in April: %.3f of the whole table, %.3f of its numbers alone\n", whole, plain)

	inOrder := must.Get(data.Read("07_tables_april_in_order.csv", model.Options()))
	if !slices.Equal(must.Get(model.PredictClasses(inOrder.X)), classes) {
		log.Fatal("another order of the columns gives other predictions")
	}
	if whole < plain+.03 {
		log.Fatal("the categories and the gaps do not help")
	}
}

// people makes customers, by column.
func people(n int, seed uint64) []map[string]string {
	rng := rand.New(rand.NewPCG(seed, 0))
	regions, plans := []string{"north", "east", "south", "west", "islands"}, []string{"basic", "plus", "pro"}
	all := make([]map[string]string, n)
	for i := range all {
		region, plan := rng.IntN(5), rng.IntN(3)
		usage, age := 40*rng.Float64(), 18+rng.IntN(60)
		income := fmt.Sprint(1000 + rng.IntN(5000))
		unknown := rng.Float64() < .2
		if unknown {
			income = ""
		}
		// A plan that does not fit the usage, a region that is served badly, and an income that is kept back.
		odds := 1.5*math.Abs(usage-float64(8+12*plan))/10 - 2.5
		if region == 4 {
			odds++
		}
		if unknown {
			odds += 1.5
		}
		all[i] = map[string]string{"customer": fmt.Sprintf("c-%05d", i), "region": regions[region], "plan": plans[plan],
			"joined": fmt.Sprintf("20%02d-%02d-%02d", 10+rng.IntN(15), 1+rng.IntN(12), 1+rng.IntN(28)), "age": fmt.Sprint(age), "income": income,
			"usage": fmt.Sprintf("%.1f", usage), "newsletter": []string{"no", "yes"}[rng.IntN(2)], "shop": fmt.Sprint(rng.IntN(9)),
			"left": map[bool]string{false: "no", true: "yes"}[1/(1+math.Exp(-odds)) > rng.Float64()]}
	}
	return all
}

// write writes some columns as CSV.
func write(path string, columns []string, rows []map[string]string) {
	lines := [][]string{columns}
	for _, row := range rows {
		line := make([]string, len(columns))
		for j, name := range columns {
			line[j] = row[name]
		}
		lines = append(lines, line)
	}
	must.Do(wholefile.Write(path, func(to io.Writer) error { return csv.NewWriter(to).WriteAll(lines) }))
}

func accuracy(m *train.Model, rows *data.Set) float64 {
	return must.Get(report.Accuracy(must.Get(m.Predict(rows.X)), must.Get(m.Classes.Index(rows.Labels))))
}
