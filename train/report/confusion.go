package report

import (
	"fmt"
	"image"
	stddraw "image/draw"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	maxWritten = 30   // the largest number of classes with counts in the cells
	maxClasses = 2048 // the largest number of classes with visible cells
)

// Confusion draws a confusion matrix: counts[i][j] rows of true class i were predicted as class j. Rows are true
// classes, columns are predicted ones. The colour of a cell shows its share of the true class, on a square-root scale
// so that rare mistakes are visible; a class without rows stays white. With up to 30 classes the cells have counts;
// from 11 classes on zeros are left out. nil names are 0, 1, 2, ...; labels that would overlap are thinned out. It
// takes WithTitle and WithSize.
//
// Errors: ErrShape for no class, counts that are not square or another number of names; ErrDomain for a negative count;
// ErrParam for more than 2048 classes or a size that is too small for them.
func Confusion(counts [][]int, names []string, opts ...Option) (image.Image, error) {
	const who = "Confusion"
	c := &confusion{counts: counts, names: names}
	if err := c.check(who); err != nil {
		return nil, err
	}
	c.measure()
	s, err := settings{title: "Confusion matrix"}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	if s.width == 0 {
		s.width, s.height = c.size()
	}
	f := newFigure(s, c.numbers())
	if err := c.layout(f); err != nil {
		return nil, fmt.Errorf("report: %s: %d×%d pixels are too few for %d classes with these names; raise WithSize: %w", who, s.width, s.height, len(counts), err)
	}
	c.paint(f)
	c.write(f)
	c.label(f)
	right, side := c.origin.X+c.side(len(counts))+12, c.side(len(counts))
	bar := draw.Canvas{Canvas: f.canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: right, Y: c.origin.Y - side}, Max: vg.Point{X: right + barWidth, Y: c.origin.Y}}}
	colourBar(bar, 0, "share of the true class", []barTick{{0, "0"}, {0.1, "1%"}, {math.Sqrt(.05), "5%"}, {math.Sqrt(.1), "10%"},
		{math.Sqrt(.2), "20%"}, {math.Sqrt(.4), "40%"}, {math.Sqrt(.6), "60%"}, {math.Sqrt(.8), "80%"}, {1, "100%"}})
	return f.image(), nil
}

type confusion struct {
	counts  [][]int
	names   []string
	totals  []float64 // rows of each true class
	digits  int       // number of digits of the largest count
	widest  vg.Length // width of the widest name
	upright bool      // column labels read upwards
	cell    int       // side of a cell in pixels
	origin  vg.Point  // upper left corner of the matrix
	stride  int       // one in stride classes has a label
}

func (c *confusion) check(who string) error {
	k := len(c.counts)
	if k == 0 {
		return fmt.Errorf("report: %s: there are no classes: %w", who, ErrShape)
	}
	if k > maxClasses {
		return fmt.Errorf("report: %s: %d classes are too many to draw, at most %d: %w", who, k, maxClasses, ErrParam)
	}
	if c.names == nil {
		c.names = make([]string, k)
		for i := range c.names {
			c.names[i] = strconv.Itoa(i)
		}
	}
	if err := checkSameLength(who, "names", len(c.names), "classes", k); err != nil {
		return err
	}
	c.totals = make([]float64, k)
	for i, row := range c.counts {
		if len(row) != k {
			return fmt.Errorf("report: %s: row %d has %d counts, where %d classes need %d: %w", who, i, len(row), k, k, ErrShape)
		}
		for j, n := range row {
			if n < 0 {
				return fmt.Errorf("report: %s: counts[%d][%d] = %d is negative: %w", who, i, j, n, ErrDomain)
			}
			c.totals[i] += float64(n)
			c.digits = max(c.digits, len(strconv.Itoa(n)))
		}
	}
	return nil
}

const maxName vg.Length = 90 // longer names are shortened

// measure shortens the names and finds the widest.
func (c *confusion) measure() {
	style := textStyle(tickSize, ink)
	short := make([]string, len(c.names))
	for i, name := range c.names {
		short[i] = shorten(style, name, maxName)
		c.widest = max(c.widest, style.Width(short[i]))
	}
	c.names = short
}

// Room around the matrix for the axis titles, in points.
const (
	leftTitle   vg.Length = labelSize + 8
	bottomTitle vg.Length = labelSize + 4
	nameGap     vg.Length = 5
)

// size is the size of a picture with enough room for each cell.
func (c *confusion) size() (width, height int) {
	k := len(c.counts)
	cell := max(600/float64(k), 1)
	if k <= maxWritten {
		cell = max(cell, 32, float64(c.digits)*10+12)
	}
	matrix := vg.Length(math.Ceil(cell)*float64(k)) * vg.Inch / dpi
	w := 2*margin + leftTitle + c.widest + nameGap + matrix + 12 + barWidth
	h := 2*margin + bottomTitle + max(c.widest, tickSize*1.2) + nameGap + matrix + 1.4*(titleSize+tickSize) + 6
	pixels := func(v vg.Length) int { return max(minSide, int(math.Ceil(float64(v*dpi/vg.Inch)))) }
	return max(pixels(w), 640), pixels(h)
}

// numbers is the line below the title.
func (c *confusion) numbers() string {
	right, all := 0.0, 0.0
	for i, row := range c.counts {
		right += float64(row[i])
		all += c.totals[i]
	}
	if all == 0 {
		return count(len(c.counts), "class", "classes") + ", no rows"
	}
	return fmt.Sprintf("accuracy %.4f: %.0f of %.0f rows in %s", right/all, right, all, count(len(c.counts), "class", "classes"))
}

// layout fits whole-pixel cells into the body.
func (c *confusion) layout(f *figure) error {
	k := len(c.counts)
	left := leftTitle + c.widest + nameGap
	fit := func(below vg.Length) int {
		room := min(f.body.Size().X-left-12-barWidth, f.body.Size().Y-bottomTitle-nameGap-below)
		return int(math.Floor(float64(room*dpi/vg.Inch) / float64(k)))
	}
	// Level column labels if they fit, one to a cell.
	c.cell = fit(tickSize * 1.2)
	if c.widest+4 > c.side(1) && c.widest > 2*tickSize {
		c.upright, c.cell = true, fit(c.widest)
	}
	if c.cell < 1 {
		return ErrParam
	}
	needs := vg.Length(tickSize * 1.15)
	if !c.upright {
		needs = max(needs, c.widest+3)
	}
	c.stride = int(math.Ceil(float64(needs / c.side(1))))
	c.origin = vg.Point{X: f.body.Min.X + left, Y: f.body.Max.Y}
	// Onto the grid of pixels, counted from the upper left corner of the picture.
	_, height := f.canvas.Size()
	snap := func(v vg.Length) vg.Length { return vg.Length(math.Round(float64(v*dpi/vg.Inch))) * vg.Inch / dpi }
	c.origin.X, c.origin.Y = snap(c.origin.X), height-snap(height-c.origin.Y)
	return nil
}

// side is the side of n cells in points.
func (c *confusion) side(n int) vg.Length { return vg.Length(c.cell*n) * vg.Inch / dpi }

// level is the position of a cell on the ramp.
func (c *confusion) level(i, j int) float64 {
	if c.counts[i][j] == 0 {
		return 0
	}
	return math.Sqrt(float64(c.counts[i][j]) / c.totals[i])
}

// paint fills the cells, pixel by pixel so that no seams show, and draws the frame.
func (c *confusion) paint(f *figure) {
	k := len(c.counts)
	img := f.canvas.Image()
	_, height := f.canvas.Size()
	x0 := int(math.Round(float64(c.origin.X * dpi / vg.Inch)))
	y0 := int(math.Round(float64((height - c.origin.Y) * dpi / vg.Inch)))
	gap := 0 // a hairline between cells that are large enough for it
	if c.cell >= 12 {
		gap = 1
		stddraw.Draw(img, image.Rect(x0, y0, x0+k*c.cell, y0+k*c.cell), image.NewUniform(rule), image.Point{}, stddraw.Src)
	}
	for i := range k {
		for j := range k {
			r := image.Rect(x0+j*c.cell, y0+i*c.cell, x0+(j+1)*c.cell-gap, y0+(i+1)*c.cell-gap)
			stddraw.Draw(img, r, image.NewUniform(rampAt(c.level(i, j))), image.Point{}, stddraw.Src)
		}
	}
	side := c.side(k)
	frame := vg.Rectangle{Min: vg.Point{X: c.origin.X, Y: c.origin.Y - side}, Max: vg.Point{X: c.origin.X + side, Y: c.origin.Y}}
	f.body.SetLineStyle(draw.LineStyle{Color: faint, Width: 0.75})
	f.body.Stroke(frame.Path())
}

// centre is the middle of a cell.
func (c *confusion) centre(i, j int) vg.Point {
	return vg.Point{X: c.origin.X + c.side(2*j+1)/2, Y: c.origin.Y - c.side(2*i+1)/2}
}

// write writes the counts into the cells if they are large enough.
func (c *confusion) write(f *figure) {
	k := len(c.counts)
	style := textStyle(min(14, c.side(1)*0.48), ink)
	if w := style.Width(fmt.Sprintf("%0*d", c.digits, 0)); w > c.side(1)-4 {
		style.Font.Size *= (c.side(1) - 4) / w
	}
	if k > maxWritten || style.Font.Size < minSize-1 {
		return
	}
	for i, row := range c.counts {
		for j, n := range row {
			if n == 0 && k > 10 {
				continue
			}
			style.Color = onRamp(c.level(i, j))
			if n == 0 {
				style.Color = faint
			}
			write(f.body, style, c.centre(i, j), atMiddle, false, strconv.Itoa(n))
		}
	}
}

// label writes the names of the classes and of the axes.
func (c *confusion) label(f *figure) {
	k := len(c.counts)
	style := textStyle(tickSize, ink)
	bottom := c.origin.Y - c.side(k)
	below := vg.Length(tickSize * 1.2)
	if c.upright {
		below = c.widest
	}
	for i := 0; i < k; i += c.stride {
		at := c.centre(i, i)
		write(f.body, style, vg.Point{X: c.origin.X - nameGap, Y: at.Y}, atEnd, false, c.names[i])
		if c.upright {
			write(f.body, style, vg.Point{X: at.X, Y: bottom - nameGap}, atEnd, true, c.names[i])
		} else {
			write(f.body, style, vg.Point{X: at.X, Y: bottom - nameGap - tickSize/2}, atMiddle, false, c.names[i])
		}
	}
	title := textStyle(labelSize, ink)
	mid := c.centre(k-1, k-1)
	mid.X, mid.Y = (c.origin.X*2+c.side(k))/2, (c.origin.Y*2-c.side(k))/2
	write(f.body, title, vg.Point{X: mid.X, Y: bottom - nameGap - below - labelSize/2 - 3}, atMiddle, false, "predicted class")
	write(f.body, title, vg.Point{X: c.origin.X - nameGap - c.widest - 6 - labelSize/2, Y: mid.Y}, atMiddle, true, "true class")
}
