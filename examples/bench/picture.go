package main

import (
	"fmt"
	"image"
	"image/color"
	"strconv"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// panel is a bar chart of the measurements with one element type and one number of cores.
type panel struct {
	dtype string
	cores int
}

// bar names what a bar shows: a map of a library under a setting.
type bar struct{ lib, setting, name string }

func (b bar) String() string {
	if b.lib == "bochner" {
		return b.name
	}
	return fmt.Sprintf("%s %s (%s)", b.lib, b.name, b.setting)
}

// colours are ours in blues and greens, the peers' in warm ones, the lighter for OpenBLAS's own choice. Most are of the
// palette of Okabe and Ito (2008).
var colours = map[bar]color.RGBA{
	{"bochner", "", "gaussian"}:                {0x00, 0x72, 0xb2, 0xff},
	{"bochner", "", "phase"}:                   {0x56, 0xb4, 0xe9, 0xff},
	{"bochner", "", "laplace"}:                 {0x00, 0x9e, 0x73, 0xff},
	{"bochner", "", "normalised"}:              {0x66, 0xc2, 0xa5, 0xff},
	{"bochner", "", "levy"}:                    {0x33, 0x66, 0x33, 0xff},
	{"bochner", "", "exp-chi2"}:                {0x99, 0xcc, 0x99, 0xff},
	{"bochner", "", "gradient"}:                {0x22, 0x22, 0x22, 0xff},
	{"bochner", "", "sparse"}:                  {0x88, 0x22, 0x55, 0xff},
	{"scipy", "default", "csr"}:                {0xdd, 0xaa, 0xaa, 0xff},
	{"scipy", "SkylakeX", "csr"}:               {0xaa, 0x66, 0x66, 0xff},
	{"scikit-learn", "default", "RBFSampler"}:  {0xff, 0xd8, 0x8a, 0xff},
	{"scikit-learn", "SkylakeX", "RBFSampler"}: {0xe6, 0x9f, 0x00, 0xff},
	{"numpy", "default", "laplace"}:            {0xee, 0xbf, 0xd9, 0xff},
	{"numpy", "SkylakeX", "laplace"}:           {0xcc, 0x79, 0xa7, 0xff},
	{"numpy", "default", "gradient"}:           {0xcc, 0xcc, 0xcc, 0xff},
	{"numpy", "SkylakeX", "gradient"}:          {0x88, 0x88, 0x88, 0xff},
}

// draw writes the picture of the GFLOP/s of the products. The structured map has no product and no bar.
func draw(path string, host hostInfo, all []measurement) error {
	var panels []panel
	of := map[panel][]measurement{}
	for _, m := range all {
		p := panel{m.Dtype, m.Cores}
		if m.GFLOPS == 0 {
			continue
		}
		if of[p] == nil {
			panels = append(panels, p)
		}
		of[p] = append(of[p], m)
	}
	var pictures []image.Image
	for _, p := range panels {
		img, err := p.draw(host, of[p])
		if err != nil {
			return err
		}
		pictures = append(pictures, img)
	}
	return cli.SavePicture(path, min(2, len(pictures)), pictures...)
}

// draw is one panel: a group of bars for each shape, and a line at the peak.
func (p panel) draw(host hostInfo, found []measurement) (image.Image, error) {
	var shapes []string
	var bars []bar
	column := map[string]int{}
	values := map[bar]map[string]float64{}
	peak := 0.0
	for _, m := range found {
		s, b := fmt.Sprintf("%d×%d→%d", m.N, m.Dims, m.Features), bar{m.Lib, m.Setting, m.Map}
		if _, ok := column[s]; !ok {
			column[s] = len(shapes)
			shapes = append(shapes, s)
		}
		if values[b] == nil {
			values[b] = map[string]float64{}
			bars = append(bars, b)
		}
		values[b][s] = m.GFLOPS
		peak = max(peak, m.PeakGFLOPS)
	}
	c := plot.New()
	c.Title.Text = fmt.Sprintf("%s, %s, cores: %d (%s)", host.CPU, p.dtype, p.cores, host.ISA)
	c.Y.Label.Text = "GFLOP/s of the product"
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, 2
	c.Y.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ticks := plot.DefaultTicks{}.Ticks(lo, hi)
		for i, t := range ticks {
			if t.Label != "" {
				ticks[i].Label = strconv.FormatFloat(t.Value, 'f', -1, 64)
			}
		}
		return ticks
	})
	width := vg.Length(84) / vg.Length(len(bars)+1)
	top := peak
	for i, b := range bars {
		v := make(plotter.Values, len(shapes))
		for s, speed := range values[b] {
			v[column[s]] = speed
			top = max(top, speed)
		}
		chart, err := plotter.NewBarChart(v, width)
		if err != nil {
			return nil, err
		}
		chart.LineStyle.Width = 0
		chart.Offset = (vg.Length(i) - vg.Length(len(bars)-1)/2) * width
		chart.Color = colours[b]
		c.Add(chart)
		legend.Add(b.String(), chart)
	}
	if peak > 0 {
		line, err := plotter.NewLine(plotter.XYs{{X: -.5, Y: peak}, {X: float64(len(shapes)) - .5, Y: peak}})
		if err != nil {
			return nil, err
		}
		line.Dashes = []vg.Length{4, 3}
		c.Add(line)
		legend.Add("FMA peak", line)
	}
	c.NominalX(shapes...)
	c.X.Min, c.X.Max, c.Y.Min = -.5, float64(len(shapes))-.5, 0
	c.Y.Max = top * 1.05
	sans(&c.Title.TextStyle, &c.X.Tick.Label, &c.Y.Tick.Label, &c.Y.Label.TextStyle, &legend.TextStyle)
	const beside, height = 240, 300 // points; the legend stands beside the bars
	wide := vg.Length(max(3, len(shapes)))*96 + 60
	canvas := vgimg.NewWith(vgimg.UseWH(wide+beside, height), vgimg.UseDPI(144))
	area := vgdraw.Crop(vgdraw.New(canvas), 8, -8, 8, -8)
	c.Draw(vgdraw.Crop(area, 0, -beside, 0, 0))
	legend.Draw(vgdraw.Crop(area, wide-4, 0, 0, -24))
	return canvas.Image(), nil
}

func sans(styles ...*text.Style) {
	for _, s := range styles {
		s.Font.Variant = "Sans"
	}
}
