package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/report"
)

// result is what a run found out.
type result struct {
	spec                layers.Spec
	scale, head, tuned  string
	trainRows, testRows int
	dims                int
	classes             data.Classes
	lambda              *float64 // of ridge and svm
	test, train         *scores
	kernelError         *report.GramError
	pairs               notes.Pairs // that it compares
	split               *signs      // of a map of two signs
	history             *fits.Course
	steps               *train.Report // of --tune auto and --tune evidence
	relevance           []relevantColumn
	uncertainty         *uncertainty // of --distribution
	columnsByPlace      bool         // they have numbers, from 1, and no names
	auto                *train.Report
	cv                  *train.Scores
	cvEnds              []string // the settings that are best at an end
	seconds             seconds
}

type seconds struct {
	Load     float64 `json:"load"`
	Features float64 `json:"features"` // drawing the map and mapping rows, for fitting and for evaluation
	Fit      float64 `json:"fit"`      // without the features of a map that is not in the graph
	Total    float64 `json:"total"`
}

// scores are a model's predictions on some rows, and how good they are.
type scores struct {
	guess, truth      []int // classes
	accuracy, f1      float64
	margins           []float64 // of the second of two classes
	ranking           *report.Ranking
	predicted, target []float64 // targets
	rmse              float64
}

// measure says how good the predictions are.
func (s *scores) measure() (err error) {
	if s.guess == nil {
		s.rmse, err = report.RMSE(s.predicted, s.target)
		return err
	}
	if s.accuracy, err = report.Accuracy(s.guess, s.truth); err != nil {
		return err
	}
	if s.f1, err = report.F1(s.guess, s.truth); err != nil || s.margins == nil {
		return err
	}
	positive := make([]bool, len(s.truth))
	for i, c := range s.truth {
		positive[i] = c == 1
	}
	if slices.Contains(positive, true) && slices.Contains(positive, false) {
		s.ranking, err = report.NewRanking(s.margins, positive)
	}
	return err
}

// object is the JSON form. What does not apply is left out.
type object struct {
	Scale         string            `json:"scale"`
	Map           string            `json:"map"`
	Params        layers.Values     `json:"params"`
	Features      int               `json:"features"`
	Sampler       string            `json:"sampler,omitempty"`
	Seed          uint64            `json:"seed"`
	Dtype         string            `json:"dtype"`
	Head          string            `json:"head"`
	Lambda        *float64          `json:"lambda,omitempty"`
	Tuned         string            `json:"tuned"`
	TrainRows     int               `json:"train_rows"`
	TestRows      int               `json:"test_rows"`
	InputDim      int               `json:"input_dim"`
	Classes       int               `json:"classes,omitempty"`
	Accuracy      *float64          `json:"accuracy,omitempty"`
	F1            *float64          `json:"f1,omitempty"`
	AUC           *float64          `json:"auc,omitempty"` // of the second of two classes
	Precision     *float64          `json:"average_precision,omitempty"`
	RMSE          *float64          `json:"rmse,omitempty"`
	TrainAccuracy *float64          `json:"train_accuracy,omitempty"`
	TrainRMSE     *float64          `json:"train_rmse,omitempty"`
	NLL           *float64          `json:"nll,omitempty"`         // of --distribution: in nats
	Coverage90    *float64          `json:"coverage_90,omitempty"` // of conformal intervals or sets of 90 %
	ECE           *float64          `json:"ece,omitempty"`         // of classes
	Level         *float64          `json:"level,omitempty"`
	Coverage      *float64          `json:"coverage,omitempty"`       // of that level
	IntervalWidth *float64          `json:"interval_width,omitempty"` // of that level, the mean
	SetSize       *float64          `json:"set_size,omitempty"`
	Normal        *float64          `json:"coverage_normal,omitempty"` // of the normal distribution's intervals of that level
	TrainLoss     []float64         `json:"train_loss,omitempty"`      // by epoch
	MapDecay      float64           `json:"map_decay,omitempty"`       // of a tuned map
	Directions    bool              `json:"directions,omitempty"`      // whether the map started with them
	Ladder        []tunerStep       `json:"ladder,omitempty"`
	Relevance     []relevantColumn  `json:"relevance,omitempty"` // the largest first
	Auto          []autoTrial       `json:"auto,omitempty"`
	CV            []cvScore         `json:"cross_validation,omitempty"`
	CVEnds        []string          `json:"cross_validation_at_end,omitempty"` // what is best at an end of what was tried
	Split         *signs            `json:"split,omitempty"`
	KernelError   *report.GramError `json:"kernel_error"` // null for a tuned map, which has left its kernel
	Seconds       seconds           `json:"seconds"`
	PeakRSS       int64             `json:"peak_rss_bytes"`
	Version       string            `json:"version"`
}

func (r *result) object() object {
	o := object{Scale: r.scale, Map: r.spec.Map, Params: r.spec.Params, Features: r.spec.Features, Sampler: samplerOf(r.spec), Seed: r.spec.Seed, Dtype: r.spec.ElementType().String(),
		Head: r.head, Lambda: r.lambda, Tuned: r.tuned, TrainRows: r.trainRows, TestRows: r.testRows, InputDim: r.dims, Classes: len(r.classes),
		Split: r.split, KernelError: r.kernelError, Seconds: r.seconds, PeakRSS: program.PeakRSS(), Version: modelfile.Version}
	if r.cv != nil {
		o.CV, o.CVEnds = cvScores(r.cv), r.cvEnds
	}
	if r.steps != nil {
		o.Ladder = r.tunerSteps()
	}
	o.Relevance = r.relevance
	if r.auto != nil {
		o.Auto = r.autoTrials()
	}
	if o.Tuned == "" {
		o.Tuned = "none"
	}
	if r.classes != nil {
		o.Accuracy, o.F1 = &r.test.accuracy, &r.test.f1
		if r.test.ranking != nil {
			area, precision := r.test.ranking.AUC(), r.test.ranking.AveragePrecision()
			o.AUC, o.Precision = &area, &precision
		}
		if r.train != nil {
			o.TrainAccuracy = &r.train.accuracy
		}
	} else {
		o.RMSE = &r.test.rmse
		if r.train != nil {
			o.TrainRMSE = &r.train.rmse
		}
	}
	if s := r.uncertainty; s != nil {
		o.NLL, o.ECE, o.Coverage90, o.Level, o.Coverage, o.Normal = s.nll, s.ece, s.covers90, &s.level, &s.covers, s.normal
		if o.IntervalWidth = &s.size; s.classes {
			o.IntervalWidth, o.SetSize = nil, &s.size
		}
	}
	if r.history != nil {
		o.MapDecay, o.Directions = r.history.MapDecay, r.history.Directions
		for _, e := range r.history.Epochs {
			o.TrainLoss = append(o.TrainLoss, e.Loss)
		}
	}
	return o
}

// ofBags says whether the rows are sets of samples.
func (r *result) ofBags() bool {
	e, err := layers.Lookup(r.spec.Map)
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
	ob := r.object()
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(ob)
	}
	if r.steps != nil {
		r.showSteps()
	}
	if r.auto != nil {
		r.showAuto()
	}
	if r.cv != nil {
		printCV(os.Stdout, r.cv, r.cvEnds)
	}
	if ob.Scale != "none" {
		fmt.Println("scale       ", ob.Scale)
	}
	fmt.Printf("map          %s %v, %d -> %d features", ob.Map, ob.Params.Short(), ob.InputDim, ob.Features)
	if ob.Sampler != "" {
		fmt.Printf(", sampler %s, seed %d", ob.Sampler, ob.Seed)
	}
	tuned := ob.Tuned
	if tuned == "none" {
		tuned = "frozen"
	}
	fmt.Printf(", %s, %s\n", ob.Dtype, tuned)
	if ob.Split != nil {
		fmt.Printf("signs        %v\n", ob.Split)
	}
	fmt.Printf("head         %s", ob.Head)
	if ob.MapDecay > 0 {
		fmt.Printf(", map decay %.4g", ob.MapDecay)
	}
	if ob.Directions {
		fmt.Print(", from directions")
	}
	if ob.Lambda != nil {
		fmt.Printf(", lambda %.3g", *ob.Lambda)
	}
	if ob.TrainRows > 0 {
		fmt.Printf("\n%s         %d train, %d test\n", rowsName(r.ofBags()), ob.TrainRows, ob.TestRows)
	} else {
		fmt.Printf("\n%s         %d test\n", rowsName(r.ofBags()), ob.TestRows)
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
	line("accuracy", ob.Accuracy, ob.TrainAccuracy)
	line("f1", ob.F1, nil)
	if ob.AUC != nil {
		fmt.Printf("auc          %.4f test, average precision %.4f, of class %s\n", *ob.AUC, *ob.Precision, r.classes[1])
	}
	line("rmse", ob.RMSE, ob.TrainRMSE)
	if r.uncertainty != nil {
		r.uncertainty.show()
	}
	r.showRelevance()
	if e := ob.KernelError; e != nil {
		fmt.Printf("kernel error %.4f relative Frobenius, %.4f max, %.4f rms on %d %s\n", e.RelativeFrobenius, e.Max, e.RMS, e.Rows, rowsName(r.ofBags()))
	}
	fmt.Printf("seconds      %.2f load, %.2f features, %.2f fit, %.2f total; peak memory %d MB\n", ob.Seconds.Load, ob.Seconds.Features, ob.Seconds.Fit, ob.Seconds.Total, ob.PeakRSS>>20)
	return nil
}

// describeFit takes what a report tells of the fit of the head.
func (r *result) describeFit(report *train.Report) {
	if r.history = report.Epochs; r.history == nil && !math.IsNaN(report.Lambda) {
		r.lambda = &report.Lambda
	}
}
