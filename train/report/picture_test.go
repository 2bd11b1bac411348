package report

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// confusionOf puts n rows into k classes, of which a share of right is on the diagonal.
func confusionOf(k, n int, right float64) [][]int {
	rng := rand.New(rand.NewPCG(uint64(k), 2))
	counts := make([][]int, k)
	for i := range counts {
		counts[i] = make([]int, k)
	}
	for range n {
		i := rng.IntN(k)
		j := i
		if rng.Float64() > right {
			j = rng.IntN(k)
		}
		counts[i][j]++
	}
	return counts
}

func letters() []string {
	return strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "")
}

func historyOf(epochs int) (h History) {
	for e := range epochs {
		v := math.Exp(-float64(e) / 8)
		h.Loss, h.HeldOutLoss = append(h.Loss, 0.1+3.1*v), append(h.HeldOutLoss, 0.25+2.9*v)
		h.Score, h.HeldOutScore = append(h.Score, 1-0.6*v), append(h.HeldOutScore, 0.956-0.58*v)
	}
	return h
}

func targetsOf(n int) (truth, predicted []float64) {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	for range n {
		v := 20 + 9*rng.NormFloat64()
		truth, predicted = append(truth, v), append(predicted, v+3*rng.NormFloat64())
	}
	return truth, predicted
}

// errorsOf are errors that fall as the root of the features.
func errorsOf(name string, c float64) Line {
	l := Line{Name: name}
	for m := 128.; m <= 8192; m *= 2 {
		l.Add(m, c/math.Sqrt(m), c/math.Sqrt(m)/20)
	}
	return l
}

func gramsOf(n int) (exact, approx *mat.Dense) {
	z := randomDense(n, 5, 17)
	noise := randomDense(n, n, 19)
	exact, approx = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			exact.Set(i, j, math.Exp(-floats.Distance(z.RawRowView(i), z.RawRowView(j), 2)))
			approx.Set(i, j, exact.At(i, j)+0.03*(noise.At(i, j)+noise.At(j, i)))
		}
	}
	return exact, approx
}

// drawing is a picture with the size that it is to have; 0: chosen by the picture.
type drawing struct {
	draw          func() (image.Image, error)
	width, height int
}

// drawings are all pictures in realistic and extreme cases.
func drawings() map[string]drawing {
	out := map[string]drawing{}
	for _, k := range []int{1, 2, 10, 26, 31, 100, 700} {
		out[fmt.Sprintf("confusion of %d", k)] = drawing{draw: func() (image.Image, error) { return Confusion(confusionOf(k, 4000, 0.95), nil) }}
	}
	long := slices.Repeat([]string{"a class with a name that is much too long"}, 26)
	out["confusion, long names"] = drawing{draw: func() (image.Image, error) { return Confusion(confusionOf(26, 4000, 0.95), long) }}
	out["confusion, no rows"] = drawing{draw: func() (image.Image, error) { return Confusion(confusionOf(3, 0, 1), nil) }}
	out["confusion, small"] = drawing{func() (image.Image, error) {
		return Confusion(confusionOf(26, 4000, 0.95), letters(), WithSize(640, 560))
	}, 640, 560}
	for _, n := range []int{1, 2, 30, 500} {
		out[fmt.Sprintf("curves of %d", n)] = drawing{func() (image.Image, error) { return Curves(historyOf(n)) }, 1360, 640}
	}
	diverged := historyOf(30)
	for i := range 10 {
		diverged.Loss[20+i], diverged.HeldOutLoss[3*i] = math.Inf(1), math.NaN()
	}
	out["curves, diverged"] = drawing{func() (image.Image, error) { return Curves(diverged) }, 1360, 640}
	constant := History{Loss: slices.Repeat([]float64{0.5}, 5), LossName: "squared error ((1000 $)²)"}
	out["curves, constant loss alone"] = drawing{func() (image.Image, error) { return Curves(constant, WithTitle("Housing")) }, 800, 640}
	out["curves, one above the other"] = drawing{func() (image.Image, error) { return Curves(historyOf(30), WithSize(320, 720)) }, 320, 720}
	out["curves, small"] = drawing{func() (image.Image, error) { return Curves(historyOf(30), WithSize(720, 320)) }, 720, 320}
	for _, n := range []int{1, 2, 506, 8192} {
		truth, predicted := targetsOf(n)
		out[fmt.Sprintf("residuals of %d", n)] = drawing{func() (image.Image, error) { return Residuals(truth, predicted) }, 1480, 800}
		out[fmt.Sprintf("residuals of %d, small", n)] = drawing{func() (image.Image, error) { return Residuals(truth, predicted, WithSize(720, 320)) }, 720, 320}
		out[fmt.Sprintf("residuals of %d, all zero", n)] = drawing{func() (image.Image, error) { return Residuals(truth, truth) }, 1480, 800}
	}
	for _, n := range []int{2, 30, 3000} {
		out[fmt.Sprintf("error tradeoffs of %d", n)] = drawing{func() (image.Image, error) {
			truth, scores := targetsOf(n)
			truth[0] = math.Inf(1) // is positive
			positive := make([]bool, n)
			for i, y := range truth {
				positive[i] = y > slices.Min(truth)+1
			}
			r, err := NewRanking(scores, positive)
			if err != nil {
				return nil, err
			}
			return DET([]Line{r.ROC("as fitted"), {Name: "by chance", X: []float64{0, 1}, Y: []float64{0, 1}}})
		}, 800, 880}
	}
	for _, v := range []float64{1e-320, 1e-200, 1e300} {
		out[fmt.Sprintf("residuals around %v", v)] = drawing{func() (image.Image, error) {
			return Residuals([]float64{v, -v, v / 3}, []float64{v / 2, -v / 2, v})
		}, 1480, 800}
	}
	zero := errorsOf("exact", 0)
	some := []Line{errorsOf("iid", 1.1), errorsOf("orthogonal", 0.9), zero}
	for name, opts := range map[string][]Option{"relative": nil, "rms": {WithMetric("rms error")}} {
		out["errors, "+name] = drawing{func() (image.Image, error) { return ErrorCurves(some, opts...) }, 1100, 860}
		out["errors, all zero, "+name] = drawing{func() (image.Image, error) { return ErrorCurves([]Line{zero}, opts...) }, 1100, 860}
		one := []Line{{Name: "one", X: []float64{512}, Y: []float64{0.03}}}
		out["errors, one point, "+name] = drawing{func() (image.Image, error) { return ErrorCurves(one, opts...) }, 1100, 860}
		wide := []Line{{Name: "wide", X: []float64{1 << 40, 1}, Y: []float64{1e-300, 1e300}, Bars: []float64{1e-300, 1e300}}}
		out["errors, extreme, "+name] = drawing{func() (image.Image, error) { return ErrorCurves(wide, opts...) }, 1100, 860}
	}
	for name, lines := range scoresOf() {
		out["scores, "+name] = drawing{func() (image.Image, error) { return ScoreCurves(lines, WithMetric("accuracy, %")) }, 1100, 860}
		out["scores, small, "+name] = drawing{func() (image.Image, error) { return ScoreCurves(lines, WithSize(640, 480)) }, 640, 480}
	}
	for name, lines := range linesOf() {
		out["lines, "+name] = drawing{func() (image.Image, error) { return Lines("distance ‖x − z‖", "k(x, z)", lines) }, 1100, 780}
		out["lines, equal, "+name] = drawing{func() (image.Image, error) {
			return Lines("w₁", "w₂", lines, WithEqualAxes(), WithSize(640, 480))
		}, 640, 480}
	}
	for name, lines := range logLinesOf() {
		out["lines, log, "+name] = drawing{func() (image.Image, error) { return Lines("lambda", "error rate", lines, WithLogX()) }, 1100, 780}
	}
	for _, n := range []int{1, 40, 71, 200} {
		exact, approx := gramsOf(n)
		out[fmt.Sprintf("kernel of %d", n)] = drawing{func() (image.Image, error) { return ExactVsApprox(exact, approx) }, 900, 880}
		out[fmt.Sprintf("kernel of %d, equal and small", n)] = drawing{func() (image.Image, error) { return ExactVsApprox(exact, exact, WithSize(320, 320)) }, 320, 320}
	}
	return out
}

// TestPictures: the right size, something on it, ink neither at the border nor beyond, and the same bytes each time,
// when several are drawn at once too.
func TestPictures(t *testing.T) {
	for name, d := range drawings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := must(d.draw())
			if size := img.Bounds().Size(); d.width > 0 && size != image.Pt(d.width, d.height) {
				t.Errorf("size %v, want %d×%d", size, d.width, d.height)
			}
			colours := map[color.Color]int{}
			b := img.Bounds()
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					c := img.At(x, y)
					colours[c]++
					if border := min(x-b.Min.X, y-b.Min.Y, b.Max.X-1-x, b.Max.Y-1-y) < 2; border && c != (color.RGBA{255, 255, 255, 255}) {
						t.Fatalf("ink %v at the border, (%d, %d)", c, x, y)
					}
				}
			}
			if len(colours) < 20 {
				t.Errorf("%d colours: the picture is as good as blank", len(colours))
			}
			again := must(d.draw())
			if !bytes.Equal(encoded(t, img), encoded(t, again)) {
				t.Error("drawn twice, the bytes differ")
			}
		})
	}
}

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	mustDo((&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img))
	return b.Bytes()
}

// TestConfusionColours counts the pixels of a 3-class matrix in the colours of its cells, which are equally large.
func TestConfusionColours(t *testing.T) {
	img := must(Confusion([][]int{{3, 1, 0}, {0, 0, 0}, {0, 4, 0}}, nil))
	b, pixels := img.Bounds(), map[color.Color]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X*3/4; x++ { // without the colour bar
			pixels[img.At(x, y)]++
		}
	}
	p := blues(0, 1).Palette(256).Colors()
	for _, level := range []float64{math.Sqrt(.75), .5, 1} {
		if n := pixels[color.RGBAModel.Convert(p[int(level*255+.5)])]; n < 30000 || n > 50000 {
			t.Errorf("%d pixels in the colour of %v", n, level)
		}
	}
}

// TestConfusionLabels: neighbouring labels have room, on both axes.
func TestConfusionLabels(t *testing.T) {
	names := map[int][]string{26: letters(), 15: slices.Repeat([]string{"tallbuilding"}, 15), 100: nil, 2: {"-1", "+1"}}
	for k, of := range names {
		for _, size := range []settings{{}, {width: 640, height: 560}} {
			c := &confusion{counts: confusionOf(k, 4000, 0.9), names: of}
			mustDo(c.check("test"))
			if size.width == 0 {
				size.width, size.height = c.size()
			}
			p := newPanel("", "")
			p.Add(plotter.NewHeatMap(c, blues(0, 1).Palette(256)))
			side := c.mark(p, newFigure(size, c.numbers()).body)
			marks, wide := p.X.Tick.Marker.Ticks(0, 1), c.widest(p.X.Tick.Label)
			step := side * vg.Length(k) // of the only label
			if len(marks) > 1 {
				step = side * vg.Length(marks[1].Value-marks[0].Value)
			}
			if step < tickSize || p.X.Tick.Label.Rotation == 0 && step < wide {
				t.Errorf("%d classes in %d×%d: labels %v wide come every %v", k, size.width, size.height, wide, step)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{ticks{}, 0, 1, "0 0.2 0.4 0.6 0.8 1"},
		{ticks{}, -0.26, 0.26, "-0.2 -0.1 0 0.1 0.2"},
		{ticks{}, 0, 2e9, "0 5e+08 1e+09 1.5e+09 2e+09"},
		{ticks{}, 96.5, 96.62, "96.5 96.52 96.54 96.56 96.58 96.6 96.62"},
		{ticks{whole: true}, 0, 2.1, "0 1 2"},
		{ticks{whole: true}, 1, 30, "5 10 15 20 25 30"},
		{ticks{whole: true}, 1, 2, "1 2"},
		{logTicks{}, 0.008, 0.12, "0.01 0.1"},
		{logTicks{}, 1e-5, 1, "1e-05 0.0001 0.001 0.01 0.1 1"},
		{logTicks{}, 1e-100, 1e100, "1e-84 1e-63 1e-42 1e-21 1 1e+21 1e+42 1e+63 1e+84"},
		{logTicks{}, 0.028, 0.033, "0.028 0.029 0.03 0.031 0.032 0.033"},
	} {
		var labels []string
		for _, m := range c.ticker.Ticks(c.lo, c.hi) {
			if m.Value < c.lo-1e-9*math.Abs(c.lo) || m.Value > c.hi+1e-9*math.Abs(c.hi) {
				t.Errorf("%+v: mark %v outside of %v to %v", c.ticker, m.Value, c.lo, c.hi)
			}
			if m.Label != "" {
				labels = append(labels, m.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%+v from %v to %v: %q, want %q", c.ticker, c.lo, c.hi, got, c.want)
		}
	}
}

// TestFeatureTicks: labels that would overlap are left out.
func TestFeatureTicks(t *testing.T) {
	x := plot.Axis{Min: 100, Max: 300, Scale: plot.LogScale{}}
	got := settings{width: 1000}.featureTicks([]float64{128, 130, 256}, x)
	if fmt.Sprint(got) != "[{128 128} {130 } {256 256}]" {
		t.Error(got)
	}
}

func TestShorten(t *testing.T) {
	s := textStyle(tickSize, ink)
	for _, width := range []vg.Length{0, 20, 50, 1000} {
		got := shorten(s, "a rather long name", width)
		if s.Width(got) > max(width, s.Width("…")) || (width == 1000) != (got == "a rather long name") {
			t.Errorf("shortened to %v: %q", width, got)
		}
	}
}

func TestPictureErrors(t *testing.T) {
	two := [][]int{{1, 0}, {0, 1}}
	exact, approx := gramsOf(5)
	bars := func(bars []Bar, opts ...Option) error { return failed(Bars("x", bars, opts...)) }
	wantFailures(t, map[string]failure{
		"no classes":      {failed(Confusion(nil, nil)), ErrShape, []string{"Confusion", "no classes"}},
		"ragged":          {failed(Confusion([][]int{{1, 2}, {3}}, nil)), ErrShape, []string{"row 1 has 1 counts"}},
		"names":           {failed(Confusion(two, []string{"a"})), ErrShape, []string{"names is 1", "classes is 2"}},
		"negative count":  {failed(Confusion([][]int{{1, 2}, {-3, 1}}, nil)), ErrDomain, []string{"counts[1][0] = -3"}},
		"many classes":    {failed(Confusion(make([][]int, 2049), nil)), ErrParam, []string{"2049 classes", "2048"}},
		"too small":       {failed(Confusion(confusionOf(700, 10, 1), nil, WithSize(640, 640))), ErrParam, []string{"640×640", "700 classes", "WithSize"}},
		"wrong option":    {failed(Confusion(two, nil, WithLogX())), ErrParam, []string{"Confusion", "WithLogX does not apply", "WithTitle"}},
		"zero option":     {failed(Confusion(two, nil, Option{})), ErrParam, []string{"zero Option"}},
		"size":            {failed(Confusion(two, nil, WithSize(319, 400))), ErrParam, []string{"WithSize(319, 400)", "320"}},
		"zero size":       {failed(Confusion(two, nil, WithSize(0, 0))), ErrParam, []string{"WithSize(0, 0)"}},
		"large size":      {failed(Confusion(two, nil, WithSize(400, 8193))), ErrParam, []string{"8192"}},
		"no epochs":       {failed(Curves(History{})), ErrShape, []string{"Curves", "no epochs"}},
		"epochs":          {failed(Curves(History{Loss: []float64{1, 2}, Score: []float64{1}})), ErrShape, []string{"Loss is 2", "Score is 1"}},
		"all NaN":         {failed(Curves(History{Loss: []float64{math.NaN()}})), ErrDomain, []string{"none of the values"}},
		"huge loss":       {failed(Curves(History{HeldOutLoss: []float64{1, 1e301}})), ErrDomain, []string{"HeldOutLoss[1] = 1e+301"}},
		"narrow curves":   {failed(Curves(historyOf(2), WithSize(700, 400))), ErrParam, []string{"WithSize(700, 400)", "720"}},
		"no rows":         {failed(Residuals(nil, nil)), ErrShape, []string{"Residuals", "no rows"}},
		"lengths":         {failed(Residuals([]float64{1}, []float64{1, 2})), ErrShape, []string{"truth is 1", "predicted is 2"}},
		"NaN":             {failed(Residuals([]float64{1, 2}, []float64{1, math.NaN()})), ErrDomain, []string{"predicted[1] = NaN"}},
		"huge target":     {failed(Residuals([]float64{1, -1e301}, []float64{1, 1})), ErrDomain, []string{"truth[1] = -1e+301", "scale"}},
		"low curves":      {failed(Curves(historyOf(2), WithSize(400, 700))), ErrParam, []string{"WithSize(400, 700)", "720"}},
		"axis of curves":  {failed(Curves(historyOf(2), WithLogX())), ErrParam, []string{"WithLogX does not apply"}},
		"kernel shapes":   {failed(ExactVsApprox(exact, mat.NewDense(1, 2, nil))), ErrShape, []string{"ExactVsApprox", "5×5"}},
		"huge kernel":     {failed(ExactVsApprox(mat.NewDense(1, 1, []float64{1e301}), mat.NewDense(1, 1, []float64{1}))), ErrDomain, []string{"[0,0]", "1e+301"}},
		"no bars":         {bars(nil), ErrShape, []string{"0 bars"}},
		"many bars":       {bars(make([]Bar, 181)), ErrShape, []string{"181 bars"}},
		"NaN bar":         {bars([]Bar{{"b", math.NaN(), ""}}), ErrDomain, []string{`"b"`, "NaN"}},
		"infinite bar":    {bars([]Bar{{"b", math.Inf(1), ""}}), ErrDomain, []string{"+Inf"}},
		"negative bar":    {bars([]Bar{{"b", -1, ""}}), ErrDomain, []string{"-1", "negative"}},
		"no room of bars": {bars(make([]Bar, 60), WithSize(640, 480)), ErrParam, []string{"60 bars", "640×480"}},
		"axis of bars":    {bars(make([]Bar, 1), WithLogX()), ErrParam, []string{"WithLogX"}},
		"axis of kernels": {failed(ExactVsApprox(exact, approx, WithLogX())), ErrParam, []string{"ExactVsApprox"}},
	})
}

func TestGrid(t *testing.T) {
	solid := func(w, h int, c color.RGBA) image.Image {
		img := image.NewRGBA(image.Rect(3, 5, 3+w, 5+h)) // bounds need not start at 0
		for i := range img.Pix {
			img.Pix[i] = []uint8{c.R, c.G, c.B, c.A}[i%4]
		}
		return img
	}
	red, green, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}
	g := must(Grid(2, solid(11, 7, red), solid(5, 13, green), solid(3, 2, blue)))
	if got, want := g.Bounds(), image.Rect(0, 0, 11+gridGap+5, 13+gridGap+2); got != want {
		t.Errorf("bounds %v, want %v", got, want)
	}
	white := color.RGBA{255, 255, 255, 255}
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{{0, 0, red}, {10, 6, red}, {10, 7, white}, {11, 0, white}, {11 + gridGap, 12, green}, {2, 13 + gridGap + 1, blue}, {3, 13 + gridGap, white}} {
		if got := g.At(c.x, c.y); got != c.want {
			t.Errorf("(%d, %d) is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if one, err := Grid(7, solid(11, 7, red)); err != nil || one.Bounds() != image.Rect(0, 0, 11, 7) {
		t.Errorf("a grid of one picture: %v", err)
	}

	wantErr(t, failed(Grid(0, g)), ErrParam, "Grid", "0 columns")
	wantErr(t, failed(Grid(2)), ErrParam, "0 pictures")
	wantErr(t, failed(Grid(2, g, nil)), ErrParam, "picture 1 is nil")
	wantErr(t, failed(Grid(2, (*image.RGBA)(nil))), ErrParam, "picture 0 is nil")
	wantErr(t, failed(Grid(2, image.NewRGBA(image.Rectangle{}))), ErrParam, "picture 0 is empty")
	wantErr(t, failed(Grid(1, image.NewUniform(red))), ErrParam, "picture 0", "too many") // without end
	wide, high := endless{image.Rect(0, 0, 1<<20, 1)}, endless{image.Rect(0, 0, 1, 1<<20)}
	wantErr(t, failed(Grid(2, wide, high)), ErrParam, "Grid", "too many")
}

// endless has bounds and no memory.
type endless struct{ bounds image.Rectangle }

func (e endless) Bounds() image.Rectangle { return e.bounds }
func (endless) ColorModel() color.Model   { return color.RGBAModel }
func (endless) At(_, _ int) color.Color   { return color.Black }

func TestSavePNG(t *testing.T) {
	img := must(Confusion([][]int{{3, 1}, {0, 2}}, nil))
	folder := t.TempDir()
	path := filepath.Join(folder, "confusion.png")
	var wait sync.WaitGroup
	for range 3 { // over one another
		wait.Go(func() {
			if err := SavePNG(path, img); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	data := must(os.ReadFile(path))
	back, err := png.Decode(bytes.NewReader(data))
	if err != nil || back.Bounds() != img.Bounds() || !bytes.Equal(encoded(t, back), encoded(t, img)) {
		t.Errorf("the file does not hold the picture: %v", err)
	}

	missing := filepath.Join(folder, "no such folder", "p.png")
	wantErr(t, SavePNG(missing, img), os.ErrNotExist, missing, "folder exists")
	if err := SavePNG(folder, img); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("a folder as the path: %v", err)
	}
	wantErr(t, SavePNG(path, nil), ErrParam, "SavePNG", "nil")
	wantErr(t, SavePNG(path, image.NewRGBA(image.Rectangle{})), ErrParam, "empty")
	wantErr(t, SavePNG(path, image.NewUniform(color.Black)), ErrParam, "SavePNG", "too many")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Errorf("files left behind: %v, %v", files, err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
		t.Error("a failed write changed the file")
	}
}
