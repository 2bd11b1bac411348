package main

import (
	"fmt"
	"image"
	"image/color"

	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// panel is a bar chart: what has one element type and one number of cores.
type panel struct {
	dtype string
	cores int
}

// bar is what a bar is the speed of.
type bar struct{ lib, setting, name string }

func (b bar) String() string {
	if b.lib == "bochner" {
		return b.name
	}
	if b.lib == b.name || b.name == "RBFSampler" {
		return fmt.Sprintf("%s %s (%s)", b.lib, b.name, b.setting)
	}
	return fmt.Sprintf("%s %s (%s)", b.lib, b.name, b.setting)
}

// colours are ours in blues and greens, the peers' in warm ones, from the palette of Okabe and Ito (2008).
var (
	ourColours  = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0x22, 0x22, 0x22, 0xff}}
	peerColours = []color.RGBA{{0xe6, 0x9f, 0x00, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0x99, 0x55, 0x77, 0xff}, {0xbb, 0xbb, 0xbb, 0xff}, {0x77, 0x77, 0x77, 0xff}}
)

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
	if pictures == nil {
		return fmt.Errorf("-plot: nothing that was measured has a product; add a dense map to -maps")
	}
	img, err := report.Grid(min(2, len(pictures)), pictures...)
	if err != nil {
		return err
	}
	return report.SavePNG(path, img)
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
	c.Legend.Top = true
	width := vg.Length(68) / vg.Length(len(bars)+1)
	ours, peers, top := 0, 0, peak
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
		if b.lib == "bochner" {
			chart.Color = ourColours[ours%len(ourColours)]
			ours++
		} else {
			chart.Color = peerColours[peers%len(peerColours)]
			peers++
		}
		c.Add(chart)
		c.Legend.Add(b.String(), chart)
	}
	if peak > 0 {
		line, err := plotter.NewLine(plotter.XYs{{X: -.5, Y: peak}, {X: float64(len(shapes)) - .5, Y: peak}})
		if err != nil {
			return nil, err
		}
		line.Dashes = []vg.Length{4, 3}
		c.Add(line)
		c.Legend.Add("FMA peak", line)
	}
	c.NominalX(shapes...)
	c.X.Min, c.X.Max, c.Y.Min = -.5, float64(len(shapes))-.5, 0
	c.Y.Max = top * (1.1 + .075*float64(len(bars)+1)) // room for the legend
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(max(5, len(shapes)))*82+60, 340), vgimg.UseDPI(144))
	c.Draw(vgdraw.New(canvas))
	return canvas.Image(), nil
}
