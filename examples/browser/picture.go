package main

import "math"

const (
	side = 28 // of a picture, in pixels
	box  = 20 // that the ink fills, as in MNIST
)

// point is where a pen was: x to the right and y down, in any unit.
type point struct{ x, y float64 }

// picture draws strokes as a row of side·side numbers from 0, paper, to 1, ink. It is what page/picture.js does
// with the strokes of a pointer: the longer side of the strokes, pen and all, fills the box, their centre of mass
// is the centre of the picture, and a pixel has the ink r + ½ - d, within 0 and 1, for the radius r of the pen and
// the distance d, in pixels, of its centre to the nearest stroke.
func picture(strokes [][]point, r float64) []float64 {
	least, most := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, line := range strokes {
		for _, p := range line {
			least.x, least.y = min(least.x, p.x), min(least.y, p.y)
			most.x, most.y = max(most.x, p.x), max(most.y, p.y)
		}
	}
	out := make([]float64, side*side)
	long := max(most.x-least.x, most.y-least.y)
	if math.IsInf(long, -1) {
		return out // no stroke
	}
	scale := 0. // of a dot
	if long > 0 {
		scale = (box - 2*r) / long
	}
	shift := point{side/2 - scale*(least.x+most.x)/2, side/2 - scale*(least.y+most.y)/2}
	ink(out, strokes, scale, shift, r)
	var mass, x, y float64
	for i, v := range out {
		mass, x, y = mass+v, x+v*(float64(i%side)+.5), y+v*(float64(i/side)+.5)
	}
	shift.x, shift.y = shift.x+side/2-x/mass, shift.y+side/2-y/mass
	ink(out, strokes, scale, shift, r)
	return out
}

// ink draws the strokes, scaled and shifted, segment by segment on the pixels that it reaches.
func ink(out []float64, strokes [][]point, scale float64, shift point, r float64) {
	clear(out)
	reach := r + .5
	pixels := func(a, b float64) (from, to int) {
		return max(int(math.Floor(min(a, b)-reach)), 0), min(int(math.Ceil(max(a, b)+reach)), side)
	}
	for _, line := range strokes {
		for j, p := range line {
			a := line[max(j-1, 0)]
			a, b := point{scale*a.x + shift.x, scale*a.y + shift.y}, point{scale*p.x + shift.x, scale*p.y + shift.y}
			left, right := pixels(a.x, b.x)
			top, bottom := pixels(a.y, b.y)
			for y := top; y < bottom; y++ {
				for x := left; x < right; x++ {
					d := toSegment(point{float64(x) + .5, float64(y) + .5}, a, b)
					out[y*side+x] = max(out[y*side+x], min(reach-d, 1))
				}
			}
		}
	}
}

// toSegment is the distance of p to the segment from a to b.
func toSegment(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	t := 0.
	if long := dx*dx + dy*dy; long > 0 {
		t = min(max(((p.x-a.x)*dx+(p.y-a.y)*dy)/long, 0), 1)
	}
	return math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy)
}
