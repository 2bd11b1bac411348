package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
)

// linesOf are lines in realistic and extreme cases.
func linesOf() map[string][]Line {
	bell := Line{Name: "exact"}
	for i := range 81 {
		r := float64(i)/10 - 4
		bell.X, bell.Y = append(bell.X, r), append(bell.Y, math.Exp(-r*r/2))
	}
	few := Line{Name: "measured", X: []float64{-3, -1, 0, 2}, Y: []float64{0, .6, 1, .2}, Points: true}
	many := Line{Name: "many", X: bell.X, Y: bell.Y, Points: true}
	return map[string][]Line{
		"a bell":   {bell, few, many},
		"a point":  {{Name: "one", X: []float64{3}, Y: []float64{-2}}},
		"constant": {{Name: "flat", X: []float64{0, 1}, Y: []float64{0, 0}}, {Name: "upright", X: []float64{0, 0}, Y: []float64{-1, 1}}},
		"extreme":  {{Name: "wide", X: []float64{-1e300, 1e300}, Y: []float64{1e-300, 1e300}}},
		"ten":      slices.Repeat([]Line{few}, 10),
	}
}

// logLinesOf are lines above 0, with bars.
func logLinesOf() map[string][]Line {
	few := Line{Name: "sigma=1", X: []float64{1e-4, 1e-3, 1e-2}, Y: []float64{.3, .1, .2}, Bars: []float64{.05, 0, .01}}
	near := Line{Name: "one of features", X: []float64{512, 1024, 2048}, Y: []float64{.3, .2, .2}, Bars: []float64{.05, .04, .01}}
	return map[string][]Line{
		"decades": {few, {Name: "draws", X: few.X, Y: []float64{.2, .3, .25}, Bars: few.Bars, Points: true}},
		"octaves": {near},
		"a point": {{Name: "one", X: []float64{3}, Y: []float64{-2}, Bars: []float64{1}}},
		"extreme": {{Name: "wide", X: []float64{1e-300, 1e300}, Y: []float64{-1e300, 1e300}, Bars: []float64{1e300, 1e300}}},
	}
}

// TestLinesEqualAxes: one unit is as long upwards as to the right, so that the corners of a square are one.
func TestLinesEqualAxes(t *testing.T) {
	square := Line{Name: "corners", X: []float64{0, 0, 8, 8}, Y: []float64{-4, 4, -4, 4}, Points: true}
	img := must(Lines("x", "y", []Line{square}, WithEqualAxes(), WithSize(900, 500)))
	var at []image.Point // the left upper pixels of the marks below the legend
	for y := 100; y < 500; y++ {
		for x := range 900 {
			if img.At(x, y) == color.Color(palette[0]) && !slices.ContainsFunc(at, func(p image.Point) bool { return x-p.X < 20 && p.X-x < 20 && y-p.Y < 20 }) {
				at = append(at, image.Pt(x, y))
			}
		}
	}
	if len(at) != 4 {
		t.Fatalf("%d marks: %v", len(at), at)
	}
	if wide, high := at[1].X-at[0].X, at[2].Y-at[0].Y; wide-high > 1 || high-wide > 1 {
		t.Errorf("8 by 8 is drawn %d wide and %d high", wide, high)
	}
}

// TestLinesBand: a band shades what its bars reach, below the lines, and leaves no marks.
func TestLinesBand(t *testing.T) {
	shade := func(half float64, band bool) (share float64) {
		flat := Line{Name: "flat", X: []float64{0, 1}, Y: []float64{0, 0}, Bars: []float64{half, half}, Band: band}
		img := must(Lines("x", "y", []Line{flat, {Name: "range", X: []float64{0, 1}, Y: []float64{-2, 2}}}, WithSize(900, 700)))
		want := color.NRGBA{palette[0].R, palette[0].G, palette[0].B, 0x38}
		pale := func(x, y int) bool { // over white
			r, g, b, _ := img.At(x, y).RGBA()
			near := func(got uint32, of uint8) bool {
				return math.Abs(float64(got>>8)-255+float64(want.A)/255*(255-float64(of))) < 2
			}
			return near(r, want.R) && near(g, want.G) && near(b, want.B)
		}
		for y := range 700 {
			for x := range 900 {
				if pale(x, y) {
					share += 1. / (900 * 700)
				}
			}
		}
		return share
	}
	if wide, narrow, none := shade(1, true), shade(.5, true), shade(1, false); narrow < .1 || math.Abs(wide/narrow-2) > .05 || none > .001 {
		t.Errorf("%.3f of the picture is shaded, %.3f by half the width, %.3f without a band", wide, narrow, none)
	}
}

// TestLineErrors: what is wrong with a line is the same error in all pictures of lines.
func TestLineErrors(t *testing.T) {
	lines := func(lines []Line, opts ...Option) (image.Image, error) { return Lines("x", "y", lines, opts...) }
	log := func(some []Line, opts ...Option) (image.Image, error) {
		return lines(some, append(opts, WithLogX())...)
	}
	of := func(draw func([]Line, ...Option) (image.Image, error), f func(*Line)) error {
		bad := Line{Name: "bad", X: []float64{.25, .5}, Y: []float64{.5, 1}, Bars: []float64{.1, .1}}
		good := bad
		f(&bad)
		return failed(draw([]Line{good, bad}))
	}
	for name, draw := range map[string]func([]Line, ...Option) (image.Image, error){
		"Lines": lines, "ErrorCurves": ErrorCurves, "ScoreCurves": ScoreCurves, "DET": DET,
	} {
		change := func(f func(*Line)) error { return of(draw, f) }
		long := Line{Name: "a sampler with a long name", X: []float64{.25}, Y: []float64{.5}}
		wantFailures(t, map[string]failure{
			name + ", none":   {failed(draw(nil)), ErrShape, []string{name, "there are no lines"}},
			name + ", empty":  {change(func(l *Line) { l.X, l.Y = nil, nil }), ErrShape, []string{name, `"bad": x has no rows`}},
			name + ", short":  {change(func(l *Line) { l.Y = l.Y[1:] }), ErrShape, []string{`"bad"`, "x is 2", "y is 1"}},
			name + ", NaN":    {change(func(l *Line) { l.Y[1] = math.NaN() }), ErrDomain, []string{`"bad"`, "y[1] = NaN"}},
			name + ", huge":   {change(func(l *Line) { l.X[0] = 1e301 }), ErrDomain, []string{"x[0] = 1e+301"}},
			name + ", bars":   {change(func(l *Line) { l.Bars = l.Bars[1:] }), ErrShape, []string{`"bad"`, "bars is 1"}},
			name + ", bar":    {change(func(l *Line) { l.Bars[1] = -1 }), ErrDomain, []string{`"bad"`, "bars[1] = -1 is negative"}},
			name + ", no bar": {change(func(l *Line) { l.Bars[1] = math.NaN() }), ErrDomain, []string{`"bad"`, "bars[1] = NaN"}},
			name + ", option": {failed(draw([]Line{long}, Option{})), ErrParam, []string{name, "zero Option"}},
			name + ", many":   {failed(draw(slices.Repeat([]Line{long}, 300))), ErrParam, []string{"legend of 300", "WithSize"}},
		})
	}
	one, zero := []Line{{Name: "one", X: []float64{.25}, Y: []float64{.5}}}, func(l *Line) { l.X[0] = 0 }
	wantFailures(t, map[string]failure{
		"logarithmic":    {of(log, zero), ErrDomain, []string{`"bad"`, "x[0] = 0 is not above 0"}},
		"no features":    {of(ScoreCurves, zero), ErrDomain, []string{`"bad"`, "x[0] = 0 is not above 0"}},
		"negative error": {of(ErrorCurves, func(l *Line) { l.Y[0] = -1 }), ErrDomain, []string{`"bad"`, "y[0] = -1"}},
		"tiny error":     {of(ErrorCurves, func(l *Line) { l.Y[0] = 1e-310 }), ErrDomain, []string{"1e-310"}},
		"infinite exact": {of(ScoreCurves, func(l *Line) { l.Exact = math.Inf(1) }), ErrDomain, []string{"exact kernel is +Inf"}},
		"no share":       {of(DET, func(l *Line) { l.Y[1] = 2 }), ErrDomain, []string{`"bad"`, "point 1 is (0.5, 2)"}},
		"equal axes":     {failed(log(one, WithEqualAxes())), ErrParam, []string{"WithLogX and WithEqualAxes"}},
		"metric":         {failed(lines(one, WithMetric("m"))), ErrParam, []string{"Lines: WithMetric does not apply", "WithEqualAxes"}},
		"axis of errors": {failed(ErrorCurves(one, WithLogX())), ErrParam, []string{"ErrorCurves: WithLogX does not apply", "WithMetric"}},
		"axis of DET":    {failed(DET(one, WithLogX())), ErrParam, []string{"DET: WithLogX does not apply"}},
	})
}

func TestFromPlot(t *testing.T) {
	p := plot.New()
	p.Title.Text = "a plot of the caller's own"
	img := must(FromPlot(p, 640, 480))
	if size := img.Bounds().Size(); size != image.Pt(640, 480) {
		t.Errorf("size %v", size)
	}
	wantErr(t, failed(FromPlot(nil, 640, 480)), ErrParam, "FromPlot", "nil")
	wantErr(t, failed(FromPlot(p, 640, 48)), ErrParam, "FromPlot", "WithSize(640, 48)")
}

func TestHistoryAdd(t *testing.T) {
	var h History
	h.Add(2, .5, math.NaN(), math.NaN())
	h.Add(1, .75, math.NaN(), math.NaN())
	if want := (History{Loss: []float64{2, 1}, Score: []float64{.5, .75}}); fmt.Sprint(h) != fmt.Sprint(want) {
		t.Errorf("without held-out rows: %v, want %v", h, want)
	}
	h = History{}
	h.Add(2, .5, 3, .25)
	if want := (History{Loss: []float64{2}, Score: []float64{.5}, HeldOutLoss: []float64{3}, HeldOutScore: []float64{.25}}); fmt.Sprint(h) != fmt.Sprint(want) {
		t.Errorf("with held-out rows: %v, want %v", h, want)
	}
}

func TestMust(t *testing.T) {
	if size := Must(Confusion([][]int{{1}}, nil)).Bounds().Size(); size.X == 0 {
		t.Error("an empty picture")
	}
	for name, f := range map[string]func(){
		"picture": func() { Must(Confusion(nil, nil)) },
		"matrix":  func() { MustGram(ExactGram(nil, nil)) },
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok {
					t.Errorf("%s: recovered %v", name, err)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
}
