package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
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
	s, err := settings{title: "Confusion matrix"}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	if s.width == 0 {
		s.width, s.height = c.size()
	}
	p := newPanel("predicted class", "true class")
	cells := plotter.NewHeatMap(c, blues(0, 1).Palette(256))
	cells.Min, cells.Max, cells.Rasterized = 0, 1, len(counts) > 100
	p.Add(cells)
	f := newFigure(s, c.numbers())
	area := draw.Crop(f.body, 0, -barWidth-8, 0, 0)
	side := c.mark(p, area)
	if side < vg.Inch/dpi {
		return nil, fmt.Errorf("report: %s: %d×%d pixels are too few for %d classes with these names; raise WithSize: %w",
			who, s.width, s.height, len(counts), ErrParam)
	}
	c.write(p, side)
	data := p.square(area)
	marks := plot.ConstantTicks{{Value: 0, Label: "0"}}
	for _, percent := range []int{1, 5, 10, 20, 40, 60, 80, 100} {
		marks = append(marks, plot.Tick{Value: math.Sqrt(float64(percent) / 100), Label: fmt.Sprintf("%d%%", percent)})
	}
	f.colourBar(data, 0, 1, "share of the true class", marks)
	return f.image(), nil
}

// confusion is a confusion matrix as a plotter.GridXYZ, with the first class on top: the square roots of the shares of a
// class that were predicted as each class.
type confusion struct {
	counts [][]int
	names  []string
	totals []float64 // rows of each true class
	digits int       // number of digits of the largest count
}

// Dims, X, Y and Z implement plotter.GridXYZ.
func (c *confusion) Dims() (int, int) { return len(c.counts), len(c.counts) }
func (c *confusion) X(j int) float64  { return float64(j) }
func (c *confusion) Y(i int) float64  { return float64(i) }
func (c *confusion) Z(j, y int) float64 {
	i := len(c.counts) - 1 - y
	if c.counts[i][j] == 0 {
		return 0 // of a class without rows, too
	}
	return math.Sqrt(float64(c.counts[i][j]) / c.totals[i])
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

// size is the size of a picture with enough room for each cell.
func (c *confusion) size() (width, height int) {
	k := len(c.counts)
	cell := max(600/float64(k), 1)
	if k <= maxWritten {
		cell = max(cell, 32, float64(c.digits)*10+12)
	}
	side := int(math.Ceil(cell*float64(k))) + int(c.widest(textStyle(tickSize, ink))*dpi/vg.Inch)
	return max(640, side+220), max(minSide, side+170)
}

// widest is the width of the widest name.
func (c *confusion) widest(style text.Style) (width vg.Length) {
	for _, name := range c.names {
		width = max(width, style.Width(shorten(style, name, maxName)))
	}
	return width
}

const maxName vg.Length = 90 // longer names are shortened

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

// mark marks the axes with the names of the classes, upright below the columns if they are wide, and leaves out names that
// would overlap. It returns the side of a cell.
func (c *confusion) mark(p *panel, area draw.Canvas) vg.Length {
	style := &p.X.Tick.Label
	k, widest := len(c.counts), c.widest(*style)
	side := func(stride int) vg.Length { // of a cell, with one name in stride
		var x, y plot.ConstantTicks
		for i := 0; i < k; i += stride {
			name := shorten(*style, c.names[i], maxName)
			x = append(x, plot.Tick{Value: float64(i), Label: name})
			y = append(y, plot.Tick{Value: float64(k - 1 - i), Label: name})
		}
		p.X.Tick.Marker, p.Y.Tick.Marker = x, y
		data := p.DataCanvas(area).Size()
		return min(data.X, data.Y) / vg.Length(k)
	}
	needs := widest + 3
	if one := side(1); widest > one-4 && widest > 2*tickSize {
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XRight, text.YCenter
		needs = tickSize * 1.15
	}
	needs = max(needs, tickSize*1.15)
	return side(max(1, int(math.Ceil(float64(needs/max(side(1), .1))))))
}

// write writes the counts into cells of a given side if they are large enough.
func (c *confusion) write(p *panel, side vg.Length) {
	k := len(c.counts)
	style := textStyle(min(14, side*0.48), ink)
	if w := style.Width(fmt.Sprintf("%0*d", c.digits, 0)); w > side-4 {
		style.Font.Size *= (side - 4) / w
	}
	if k > maxWritten || style.Font.Size < minSize {
		return
	}
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	labels := &plotter.Labels{}
	for i, row := range c.counts {
		for j, n := range row {
			if n == 0 && k > 10 {
				continue
			}
			style.Color = ink
			if n == 0 {
				style.Color = faint
			} else if c.Z(j, k-1-i) > .55 {
				style.Color = color.White
			}
			labels.XYs = append(labels.XYs, plotter.XY{X: float64(j), Y: float64(k - 1 - i)})
			labels.Labels = append(labels.Labels, strconv.Itoa(n))
			labels.TextStyle = append(labels.TextStyle, style)
		}
	}
	p.Add(labels)
}
