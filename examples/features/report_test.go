package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
)

const reportKeys = "kernel_error mean_signed_error by_distance sweep sweep_exponent"

// TestReport: the numbers are those of package report on the same rows and seeds.
func TestReport(t *testing.T) {
	dir := files(t)
	const args = "-in rows.csv -params sigma=.7 -features 32 -seeds 4 -seed 5 -sweep 16,32,64 -json"
	ob := clitest.Run(t, dir, args).Object(t)
	clitest.Keys(t, args, ob, "map params features sampler seed dtype rows input_dim seconds peak_rss_bytes version "+reportKeys)
	clitest.Keys(t, "seconds", ob["seconds"], "load features kernel report total")
	clitest.Keys(t, "kernel_error", ob["kernel_error"], "relative_frobenius centred_frobenius max rms mean_signed rows")
	clitest.Keys(t, "mean_signed_error", ob["mean_signed_error"], "mean std_err z")
	clitest.Keys(t, "sweep_exponent", ob["sweep_exponent"], "mean std_err")

	x := input(t, dir, "rows.csv", data.LabelNone, "float64")
	k := spectral.Gaussian{Sigma: .7}
	at := func(features int) *report.KernelErrorReport {
		rep, err := report.KernelError(k, func(seed uint64) (report.Map, error) {
			return layers.NewFourierLayer(k, 5, features, layers.WithSeed(seed))
		}, x, []uint64{5, 6, 7, 8})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	near := func(what string, got any, want float64) {
		t.Helper()
		if v, ok := got.(float64); !ok || math.Abs(v-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	want := at(32)
	e, b := ob["kernel_error"].(map[string]any), ob["mean_signed_error"].(map[string]any)
	near("relative_frobenius", e["relative_frobenius"], want.Mean.RelativeFrobenius)
	near("max", e["max"], want.Mean.Max)
	near("rms", e["rms"], want.Mean.RMS)
	near("rows", e["rows"], 40)
	near("mean", b["mean"], want.Bias.Mean)
	near("std_err", b["std_err"], want.Bias.StdErr)
	near("z", b["z"], want.Bias.Z)
	for i, p := range ob["by_distance"].([]any) {
		clitest.Keys(t, "a distance", p, "distance rms std_err")
		near("distance", p.(map[string]any)["distance"], want.ByDistance[i].Distance)
		near("its rms", p.(map[string]any)["rms"], want.ByDistance[i].RMS)
		near("its std_err", p.(map[string]any)["std_err"], want.ByDistance[i].StdErr)
	}
	sweep := ob["sweep"].([]any)
	if len(sweep) != 3 {
		t.Fatalf("%d points in the sweep", len(sweep))
	}
	for i, features := range []int{16, 32, 64} {
		clitest.Keys(t, "a point", sweep[i], "features relative_frobenius std_err centred_frobenius")
		p, want := sweep[i].(map[string]any), at(features)
		near("features", p["features"], float64(features))
		near("relative_frobenius", p["relative_frobenius"], want.Mean.RelativeFrobenius)
		near("std_err", p["std_err"], want.StdErr.RelativeFrobenius)
	}
}

// TestReportOfTwoSigns: the report of a map of two signs tells its split, and is unbiased against that.
func TestReportOfTwoSigns(t *testing.T) {
	dir := files(t)
	const args = "-in rows.csv -map sphere-polynomial -params a=3,p=1,eps=.03 -scale l2 -features 64 -seeds 20 -sweep none"
	ob := clitest.Run(t, dir, args+" -json").Object(t)
	clitest.Keys(t, args, ob, "map params features seed dtype rows input_dim seconds peak_rss_bytes version kernel_error mean_signed_error by_distance split")
	clitest.Keys(t, "split", ob["split"], "plus minus error mean_signed_error")
	s := ob["split"].(map[string]any)
	z := s["mean_signed_error"].(map[string]any)["z"].(float64)
	if mass := s["plus"].(float64) - s["minus"].(float64); math.Abs(mass-1) > 1e-9 || !(s["error"].(float64) <= .03) || math.Abs(z) > 4 {
		t.Errorf("%s: %v", args, s)
	}
	text := clitest.Run(t, dir, args).OK(t).Stdout
	if !strings.Contains(text, "signs     masses 1 and 0, at most 0.0") || !strings.Contains(text, "off the kernel; against that, mean signed error") {
		t.Errorf("%s:\n%s", args, text)
	}
	exact := clitest.Run(t, dir, "-in rows.csv -map delta-gaussian -features 64 -seeds 3 -sweep 32,64 -plot a.png").OK(t).Stdout
	if !strings.Contains(exact, "signs     masses 1 and 1, exact") {
		t.Errorf("no split:\n%s", exact)
	}
}

// TestReportKeys: what does not apply is left out, not zero.
func TestReportKeys(t *testing.T) {
	dir := files(t)
	const always = "map params features seed dtype rows input_dim seconds peak_rss_bytes version "
	for args, keys := range map[string]string{
		"-map linear":               "kernel_error",
		"-map chi2 -dtype float32":  "kernel_error note",
		"-map chi2 -scale l1":       "kernel_error",
		"-map chi2 -params gamma=2": "kernel_error note",
		"-map intersection -params gamma=2 -scale l2 -dtype float32": "kernel_error",
		"-map chi2 -out a.npy":                                                         "",
		"-features 8 -seeds 2 -sweep none -map exp-chi2":                               "sampler kernel_error mean_signed_error by_distance note",
		"-features 8 -seeds 2 -sweep none -out a.npy -report":                          "sampler kernel_error mean_signed_error by_distance",
		"-features 8 -seeds 2 -sweep 8":                                                "sampler kernel_error mean_signed_error by_distance sweep",
		"-features 8 -seeds 2 -sweep 8,8":                                              "sampler kernel_error mean_signed_error by_distance sweep",
		"-features 8 -seeds 2 -sweep 8,16 -rows 7 -map exp-semigroup -sampler iid":     "sampler " + reportKeys,
		"-features 7 -seeds 2 -sweep 7,16 -rows 7 -params phase=true -sampler all":     "sampler samplers",
		"-features 8 -seeds 2 -sweep 8,16 -rows 7 -params sigma=1e9 -sampler=iid":      "sampler kernel_error mean_signed_error by_distance sweep",
		"-features 8 -kernel k.csv -params sigma=1 -scale minmax,l2 -dtype float32":    "sampler",
		"-features 8 -seeds 2 -sweep 8,16 -rows 7 -dtype float32 -map skewed-chi2":     "sampler " + reportKeys,
		"-features 8 -seeds 2 -sweep 8,16 -rows 7 -scale l2 -sampler orthogonal -json": "sampler " + reportKeys,
	} {
		ob := clitest.Run(t, dir, "-in rows.csv -json "+args).Object(t)
		clitest.Keys(t, args, ob, always+keys)
		if e, ok := ob["kernel_error"].(map[string]any); ok {
			rows := map[bool]float64{true: 7, false: 40}[strings.Contains(args, "-rows 7")]
			if e["rows"] != rows || ob["rows"] != 40. {
				t.Errorf("%s: measured on %v rows, want %v", args, e["rows"], rows)
			}
			if args == "-map linear" && e["relative_frobenius"].(float64) > 1e-12 {
				t.Errorf("the linear map is not exact: %v", e)
			}
		}
	}
}

// TestNormalisationNote: rows that do not sum to one are named, and mapped as they are.
func TestNormalisationNote(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "rows.csv", ".5,.5,0\n0,0,0\n1,2,3\n.3,.3,.4\n-1,.5,0\n")
	const extended = "-in rows.csv -map chi2 -params negative=sign"
	for params, note := range map[string]string{
		"":         "2 of 5 rows do not sum to one, row 2 for one: 6; the kernel of -map chi2 expects normalised histograms, and -scale l1 makes them",
		",gamma=2": "4 of 5 rows do not have squares that sum to one, row 0 for one: 0.5; the kernel of -map chi2 expects normalised histograms, and -scale l2 makes them",
		",gamma=3": "4 of 5 rows do not have powers of degree 3 that sum to one, row 0 for one: 0.25; the kernel of -map chi2 expects normalised histograms, and no -scale makes them",
	} {
		r := clitest.Run(t, dir, extended+params).OK(t)
		if !strings.Contains(r.Stdout, "note      "+note+"\n") {
			t.Errorf("%s: %q, want the note %q", params, r.Stdout, note)
		}
	}
}

// TestAllSamplers: each is reported, and one that does not fit says why.
func TestAllSamplers(t *testing.T) {
	dir := files(t)
	for flags, of := range map[string]struct {
		kernel  spectral.Random
		columns int
	}{
		"-in rows.csv -map gaussian":      {spectral.Gaussian{Sigma: 1}, 3},
		"-in rows.csv -map matern":        {spectral.Matern{Nu: 1.5, Ell: 1}, 3},
		"-in rows.csv -map laplacian":     {spectral.Laplacian{Sigma: 1}, 3},
		"-in rows.csv -map exp-semigroup": {spectral.ExpSemigroup{Beta: 1}, 3},
		"-in rows.csv -map skewed-chi2":   {spectral.SkewedChi2{C: 1}, 3},
		"-rows 20 -map gaussian":          {spectral.Gaussian{Sigma: 1}, 60}, // the made histograms
	} {
		args := "-features 32 -seeds 3 -sweep 16,64 -sampler all -plot a.png " + flags
		r := clitest.Run(t, dir, args+" -json")
		ob := r.Object(t)
		if ob["sampler"] != "all" || !strings.HasSuffix(r.Stderr, "picture: a.png\n") {
			t.Errorf("%s: sampler %v, stderr %q", args, ob["sampler"], r.Stderr)
		}
		samplers := ob["samplers"].([]any)
		if len(samplers) != len(spectral.Samplers()) {
			t.Fatalf("%s: %v", args, samplers)
		}
		fits := map[string]bool{}
		for i, by := range spectral.Samplers() {
			s, name := samplers[i].(map[string]any), by.String()
			if s["sampler"] != name {
				t.Errorf("%s: %v", args, samplers)
			}
			_, err := spectral.Frequencies(of.kernel, by, of.columns, 32, 1)
			if fits[name] = err == nil; fits[name] {
				clitest.Keys(t, args+": "+name, s, "sampler "+reportKeys)
				keys := "distance rms std_err"
				if name != "iid" {
					keys += " mse_to_iid mse_to_iid_std_err"
				}
				for _, p := range s["by_distance"].([]any) {
					clitest.Keys(t, args+": "+name, p, keys)
				}
				continue
			}
			clitest.Keys(t, args+": "+name, s, "sampler reason")
			if reason, _ := s["reason"].(string); !strings.Contains(reason, "sampler "+name+" does not fit") {
				t.Errorf("%s: %v", args, s)
			}
		}
		text := clitest.Run(t, dir, args).OK(t).Stdout
		for _, want := range []string{"sampler   iid\nerror     0.", "bias      mean signed error", " rms +- 0.", " of iid's\n", "64 features: 0.", "the error falls as features^"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", args, want, text)
			}
		}
		for name := range fits {
			if strings.Contains(text, "sampler   "+name+" does not fit: ") == fits[name] {
				t.Errorf("%s: fits %v in\n%s", args, fits, text)
			}
		}
		clitest.Picture(t, filepath.Join(dir, "a.png"), 400, 0)
	}
}

// TestNoFlags: on the made histograms the program reports on the map for histograms, and writes nothing.
func TestNoFlags(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-features 64 -rows 50 -seeds 3 -sweep 32,64").OK(t)
	for _, text := range []string{"map       exp-semigroup beta=", "60 -> 64 features", "rows      5000\n", "on 50 rows", "seconds "} {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("stdout does not hold %q:\n%s", text, r.Stdout)
		}
	}
	if names := clitest.Names(t, dir); len(names) > 0 || r.Stderr != "" {
		t.Errorf("files %v, stderr %q", names, r.Stderr)
	}
}
