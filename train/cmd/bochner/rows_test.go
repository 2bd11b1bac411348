package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// rowFiles writes the rows that the scripts fit to a folder.
func rowFiles(dir string) error {
	rows, dark := checker(150, 3, 1)
	more, moreDark := checker(60, 3, 2)
	colour := func(dark []bool) func(int) string {
		return func(i int) string { return map[bool]string{false: "light", true: "dark"}[dark[i]] }
	}
	smooth := func(rows [][]float64) func(int) string {
		return func(i int) string { return fmt.Sprint(10 + rows[i][0]*rows[i][1] - rows[i][2]*rows[i][2]) }
	}
	many, _ := checker(1300, 3, 3)
	steps := func(i int) string {
		return fmt.Sprint(math.Floor(4*many[i][0]) + math.Mod(math.Floor(9*many[i][1]), 2))
	}
	kind := func(i int) string { return []string{"tied", "free"}[i%2] }
	test := people(60, 2)
	turned := slices.Clone(peopleNames)
	slices.Reverse(turned)
	last := csvOf(rows, colour(dark))
	files := map[string]string{
		"last.csv": last, "test.csv": csvOf(more, colour(moreDark)), "header.csv": "p,q,r,colour\n" + last,
		"parts/a.csv": strings.Join(strings.SplitAfter(last, "\n")[:90], ""), "parts/b.csv.gz": zipped(strings.Join(strings.SplitAfter(last, "\n")[90:], "")),
		"rows.csv": csvOf(rows, nil), "smooth.csv": csvOf(rows, smooth(rows)), "smoothtest.csv": csvOf(more, smooth(more)), "steps.csv": csvOf(many, steps),
		"last.libsvm": libsvm(rows, colour(dark)), "words.libsvm": words(240, 400, 30), "wide.libsvm": words(500, 100000, 30),
		"bags.csv": bags(120, kind), "bagtest.csv": bags(60, kind), "bagtargets.csv": bags(120, func(i int) string { return fmt.Sprint(3 + 2.5*float64(i%2)) }),
		"people.csv": table(people(150, 1), peopleNames), "peopletest.csv": table(test, peopleNames), "turned.csv": table(test, turned),
		"unlabelled.csv": table(test, slices.DeleteFunc(slices.Clone(peopleNames), func(n string) bool { return n == "label" })),
		"ageless.csv":    table(test, slices.DeleteFunc(slices.Clone(peopleNames), func(n string) bool { return n == "age" })),
		"extra.csv":      table(test, append(turned, "more")),
	}
	for i := range rows {
		rows[i] = append([]float64{map[bool]float64{true: 1}[dark[i]]}, rows[i]...)
	}
	files["first.csv"] = csvOf(rows, nil)
	if err := os.Mkdir(filepath.Join(dir, "parts"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	f, err := data.NewMatrixFile(filepath.Join(dir, "first.npy"), len(rows), 4, tensor.Float64)
	if err == nil {
		err = f.Close(f.Write(tensor.New(tensor.WithShape(len(rows), 4), tensor.WithBacking(slices.Concat(rows...)))))
	}
	set, readErr := data.Read(filepath.Join(dir, "words.libsvm"), data.Options{})
	if err := errors.Join(err, readErr); err != nil {
		return err
	}
	x, err := set.Dense()
	if err != nil {
		return err
	}
	g, err := data.NewMatrixFile(filepath.Join(dir, "words.npy"), data.AnyRows, 401, tensor.Float64)
	for i, label := range set.Labels {
		if err == nil {
			row := append(slices.Clone(x.Float64s()[i*400:(i+1)*400]), map[string]float64{"b": 1}[label])
			err = g.Write(tensor.New(tensor.WithShape(1, 401), tensor.WithBacking(row)))
		}
	}
	if err != nil {
		return err
	}
	return g.Close(nil)
}

// zipped is text in gzip.
func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes everything
	_ = z.Close()
	return b.String()
}

// checker draws n rows of d numbers in (0, 1) and says on which colour of a chessboard of 2 x 2 fields the first two
// lie, with a margin: two classes that no linear function tells apart.
func checker(n, d int, seed uint64) (rows [][]float64, dark []bool) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = float64(1+rng.IntN(998)) / 1000
			if j < 2 { // .05 to .35 or .65 to .95
				row[j] = .05 + .3*row[j] + .6*float64(rng.IntN(2))
			}
		}
		rows, dark = append(rows, row), append(dark, (row[0] > .5) != (row[1] > .5))
	}
	return rows, dark
}

// csvOf is rows as lines, with what last says of row i as the last field; nil says nothing.
func csvOf(rows [][]float64, last func(i int) string) string {
	var b strings.Builder
	for i, row := range rows {
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", ","), "[]")
		if last != nil {
			text += "," + last(i)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func libsvm(rows [][]float64, label func(i int) string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString(label(i))
		for j, v := range row {
			fmt.Fprintf(&b, " %d:%v", j+1, v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// words draws n bags of so many words out of d in LIBSVM format. Of the two classes one has more words of the first half
// of the dictionary, the other of the second.
func words(n, d, size int) string {
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := range n {
		counts := map[int]int{}
		for range size {
			word := rng.IntN(d / 2)
			if (rng.IntN(10) < 8) == (i%2 == 1) {
				word += d - d/2
			}
			counts[word]++
		}
		counts[d-1] += 0
		b.WriteString("ab"[i%2 : i%2+1])
		for word := range d {
			if counts[word] > 0 {
				fmt.Fprintf(&b, " %d:%d", word+1, counts[word])
			}
		}
		if counts[d-1] == 0 {
			fmt.Fprintf(&b, " %d:0", d)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// bags is a CSV file of sets of ten to twenty samples, whose coordinates go together in the even sets and have nothing
// to do with each other in the odd ones.
func bags(n int, label func(i int) string) string {
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	var b strings.Builder
	b.WriteString("bag,x1,x2,label\n")
	for i := range n {
		for range 10 + rng.IntN(11) {
			x, y := 20*rng.Float64(), 20*rng.Float64()
			if i%2 == 0 {
				y = x + 2*rng.NormFloat64()
			}
			fmt.Fprintf(&b, "set%d,%.6g,%.6g,%s\n", i, x-7, y-7, label(i))
		}
	}
	return b.String()
}

// peopleNames are the columns of people.
var peopleNames = strings.Fields("who label age job member joined score income share flag")

// people are rows with a label in the middle, categories, booleans, dates, ids and gaps. The label follows from the age.
func people(n int, seed uint64) (rows []map[string]string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		age := 18 + rng.IntN(60)
		row := map[string]string{"who": fmt.Sprintf("p%d-%04d", seed, i), "label": map[bool]string{true: "old", false: "young"}[age > 45], "age": fmt.Sprint(age),
			"job": []string{"clerk", "smith", "baker"}[rng.IntN(3)], "member": []string{"no", "yes"}[rng.IntN(2)], "joined": fmt.Sprintf("2021-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28)),
			"score": fmt.Sprintf("%.4f", rng.NormFloat64()), "income": fmt.Sprintf("%.2f", 3*float64(age)+rng.Float64()), "share": fmt.Sprintf("%.4f", rng.Float64()), "flag": fmt.Sprint(rng.IntN(2)), "more": "9"}
		if i%17 == 3 {
			row["score"] = ""
		}
		if i%23 == 5 {
			row["job"] = "?"
		}
		rows = append(rows, row)
	}
	return rows
}

// table is rows as CSV, of the columns that are named, in that order.
func table(rows []map[string]string, names []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(names, ","))
	for _, row := range rows {
		var cells []string
		for _, name := range names {
			cells = append(cells, row[name])
		}
		fmt.Fprintln(&b, strings.Join(cells, ","))
	}
	return b.String()
}
