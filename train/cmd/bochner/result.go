package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/report"
)

// result is what a run found out: what --json prints, and what tables and pictures need beside it.
type result struct {
	object
	classes        data.Classes
	test           *scores
	pairs          notes.Pairs // that KernelError compares
	history        *fits.Course
	uncertainty    *uncertainty // of --distribution
	columnsByPlace bool         // they have numbers, from 1, and no names
	auto           *train.Report
	cv             *train.Scores
}

type seconds struct {
	Load     float64 `json:"load"`
	Features float64 `json:"features"` // drawing the map and mapping rows, for fitting and for evaluation
	Fit      float64 `json:"fit"`      // without the features of a map that is not in the graph
	Total    float64 `json:"total"`
}

// scores are a model's predictions on some rows, and how good they are.
type scores struct {
	notes.Scores
	guess, truth      []int     // classes
	margins           []float64 // of the second of two classes
	predicted, target []float64 // targets
}

// measure says how good the predictions are.
func (s *scores) measure() error {
	if s.guess == nil {
		rmse, err := report.RMSE(s.predicted, s.target)
		s.RMSE = &rmse
		return err
	}
	accuracy, err := report.Accuracy(s.guess, s.truth)
	if err != nil {
		return err
	}
	f1, err := report.F1(s.guess, s.truth)
	if s.Accuracy, s.F1 = &accuracy, &f1; err != nil || s.margins == nil {
		return err
	}
	positive := make([]bool, len(s.truth))
	for i, c := range s.truth {
		positive[i] = c == 1
	}
	if !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		return nil
	}
	ranking, err := report.NewRanking(s.margins, positive)
	if err != nil {
		return err
	}
	area, precision := ranking.AUC(), ranking.AveragePrecision()
	s.AUC, s.Precision = &area, &precision
	return nil
}

// object is the JSON form. What does not apply is left out.
type object struct {
	Scale string `json:"scale"`
	notes.ModelCard
	Lambda    *float64 `json:"lambda,omitempty"`
	TrainRows int      `json:"train_rows"`
	TestRows  int      `json:"test_rows"`
	Classes   int      `json:"classes,omitempty"`
	notes.Scores
	TrainAccuracy *float64 `json:"train_accuracy,omitempty"`
	TrainRMSE     *float64 `json:"train_rmse,omitempty"`
	*coverage
	TrainLoss   []float64         `json:"train_loss,omitempty"` // by epoch
	MapDecay    float64           `json:"map_decay,omitempty"`  // of a tuned map
	Directions  bool              `json:"directions,omitempty"` // whether the map started with them
	Ladder      []tunerStep       `json:"ladder,omitempty"`
	Relevance   []relevantColumn  `json:"relevance,omitempty"` // the largest first
	Auto        []autoTrial       `json:"auto,omitempty"`
	CV          []cvScore         `json:"cross_validation,omitempty"`
	CVEnds      []string          `json:"cross_validation_at_end,omitempty"` // what is best at an end of what was tried
	Split       *signs            `json:"split,omitempty"`
	KernelError *report.GramError `json:"kernel_error"` // null for a tuned map, which has left its kernel
	Seconds     seconds           `json:"seconds"`
	PeakRSS     int64             `json:"peak_rss_bytes"`
	Version     string            `json:"version"`
}

// describe takes what the result tells of a model.
func (r *result) describe(m *train.Model) {
	card := notes.ModelOf(m)
	card.Head = cmp.Or(r.Head, card.Head)
	r.classes, r.columnsByPlace = m.Classes, m.Columns == nil
	r.Scale, r.ModelCard, r.Classes = m.Scaler.Name(), card, len(m.Classes)
	r.Split, _ = splitOf(m.Map)
	r.Relevance, r.Version = relevanceOf(m), modelfile.Version
}

// describeFit takes what a report tells of the fit of the head.
func (r *result) describeFit(report *train.Report) {
	r.history = report.Epochs
	switch {
	case r.history != nil:
		r.MapDecay, r.Directions = r.history.MapDecay, r.history.Directions
		for _, e := range r.history.Epochs {
			r.TrainLoss = append(r.TrainLoss, e.Loss)
		}
	case !math.IsNaN(report.Lambda):
		r.Lambda = &report.Lambda
	}
}

// ofBags says whether the rows of a map are sets of samples.
func ofBags(mapName string) bool {
	e, err := layers.Lookup(mapName)
	return err == nil && e.Bags
}

// rowsName is what a row is called.
func rowsName(bags bool) string {
	if bags {
		return "bags"
	}
	return "rows"
}

// show prints the result and draws the picture.
func (r *result) show(plot string, asJSON bool) error {
	if plot != "" {
		if err := r.draw(plot); err != nil {
			return err
		}
	}
	r.PeakRSS = program.PeakRSS()
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(r.object)
	}
	if r.Ladder != nil {
		r.showSteps()
	}
	if r.auto != nil {
		r.showAuto()
	}
	if r.cv != nil {
		r.showCV()
	}
	r.showModel()
	r.showScores()
	fmt.Printf("seconds      %.2f load, %.2f features, %.2f fit, %.2f total; peak memory %d MB\n", r.Seconds.Load, r.Seconds.Features, r.Seconds.Fit, r.Seconds.Total, r.PeakRSS>>20)
	return nil
}

// showModel prints the scaler, the map and the head.
func (r *result) showModel() {
	if r.Scale != "none" {
		fmt.Println("scale       ", r.Scale)
	}
	fmt.Printf("map          %v", layers.Spec{Map: r.Map, Params: r.Params})
	if r.Parts != nil {
		fmt.Printf(" of %s", strings.Join(counted(r.Parts), ", "))
	}
	fmt.Printf(", %d -> %d features", r.InputDim, r.Features)
	if r.Sampler != "" {
		fmt.Printf(", sampler %s, seed %d", r.Sampler, r.Seed)
	}
	tuned := r.Tuned
	if tuned == "none" {
		tuned = "frozen"
	}
	fmt.Printf(", %s, %s\n", r.Dtype, tuned)
	if r.Split != nil {
		fmt.Printf("signs        %v\n", r.Split)
	}
	fmt.Printf("head         %s", r.Head)
	if r.MapDecay > 0 {
		fmt.Printf(", map decay %.4g", r.MapDecay)
	}
	switch {
	case r.Directions:
		fmt.Print(", from directions")
	case r.MapDecay > 0 && r.Relevance != nil:
		fmt.Print(", from scales")
	}
	if r.Lambda != nil {
		fmt.Printf(", lambda %.3g", *r.Lambda)
	}
	fmt.Println()
}

// counted are words with the number of those that follow one another.
func counted(words []string) (out []string) {
	for i := 0; i < len(words); {
		n := 1
		for i+n < len(words) && words[i+n] == words[i] {
			n++
		}
		word := words[i]
		if i += n; n > 1 {
			word = fmt.Sprintf("%d %s", n, word)
		}
		out = append(out, word)
	}
	return out
}

// showScores prints how good the model is, and which columns matter.
func (r *result) showScores() {
	rows := rowsName(ofBags(r.Map))
	if r.TestRows > 0 {
		fmt.Printf("%s         ", rows)
		if r.TrainRows > 0 {
			fmt.Printf("%d train, ", r.TrainRows)
		}
		fmt.Printf("%d test\n", r.TestRows)
	}
	line := func(name string, test, train *float64) {
		if test == nil {
			return
		}
		fmt.Printf("%-12s %.4f test", name, *test)
		if train != nil {
			fmt.Printf(", %.4f train", *train)
		}
		fmt.Println()
	}
	line("accuracy", r.Accuracy, r.TrainAccuracy)
	line("f1", r.F1, nil)
	if r.AUC != nil {
		fmt.Printf("auc          %.4f test, average precision %.4f, of class %s\n", *r.AUC, *r.Precision, r.classes[1])
	}
	line("rmse", r.RMSE, r.TrainRMSE)
	if r.uncertainty != nil {
		r.uncertainty.show()
	}
	r.showRelevance()
	if e := r.KernelError; e != nil {
		fmt.Printf("kernel error %.4f relative Frobenius, %.4f max, %.4f rms on %d %s\n",
			e.RelativeFrobenius, e.Max, e.RMS, e.Rows, rows)
	}
}
