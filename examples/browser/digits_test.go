package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// TestPicture: the ink of a picture keeps within its box, its centre of mass is the middle, and neither size nor
// place of the strokes matters.
func TestPicture(t *testing.T) {
	for digit, paths := range shapes {
		for _, path := range paths {
			s := strokes(path, 0, rand.New(rand.NewPCG(1, 1)))
			got := picture(s, 1.5)
			var mass, x, y float64
			left, right, top, bottom := side, -1, side, -1
			for i, v := range got {
				if v < 0 || v > 1 {
					t.Fatalf("%d: a pixel of %v", digit, v)
				}
				r, c := i/side, i%side
				mass, x, y = mass+v, x+v*float64(c), y+v*float64(r)
				if v > 0 {
					left, right, top, bottom = min(left, c), max(right, c), min(top, r), max(bottom, r)
				}
			}
			if dx, dy := x/mass-(side-1)/2., y/mass-(side-1)/2.; math.Abs(dx) > .05 || math.Abs(dy) > .05 {
				t.Errorf("%d: the centre of mass is %.3f, %.3f from the middle", digit, dx, dy)
			}
			// The box, and the pixels at its edges, which half a pixel of ink touches.
			if long := max(right-left, bottom-top) + 1; long < box-1 || long > box+2 {
				t.Errorf("%d: the ink is %d pixels long", digit, long)
			}
			for _, line := range s {
				for i, p := range line {
					line[i] = point{p.x/50 - 7, p.y/50 + 3}
				}
			}
			if again := picture(s, 1.5); floats.Distance(got, again, math.Inf(1)) > 1e-9 {
				t.Errorf("%d: the picture depends on size or place", digit)
			}
		}
	}
	if got := picture(nil, 1); slices.Max(got) != 0 {
		t.Error("no stroke leaves ink")
	}
	dot := picture([][]point{{{3, 4}}}, 1)
	if got := dot[side*(side/2)+side/2]; !(got > 0) || slices.Max(dot) > 1 {
		t.Errorf("a dot has the ink %v in the middle", got)
	}
}

// TestPagePicture: the page draws the pictures that the model has learned from.
func TestPagePicture(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed: nothing is compared with the page")
	}
	type drawing struct {
		Strokes [][][2]float64
		Pen     float64
	}
	drawings, want := []drawing{{Strokes: [][][2]float64{}, Pen: 1}}, [][]float64{picture(nil, 1)}
	rng := rand.New(rand.NewPCG(2, 2))
	for _, path := range append([]string{"M 40 40"}, slices.Concat(shapes[:]...)...) {
		s, d := strokes(path, 5, rng), drawing{Pen: 1 + rng.Float64()}
		for _, line := range s {
			var l [][2]float64
			for _, p := range line {
				l = append(l, [2]float64{p.x, p.y})
			}
			d.Strokes = append(d.Strokes, l)
		}
		drawings, want = append(drawings, d), append(want, picture(s, d.Pen))
	}
	text, err := json.Marshal(drawings)
	clitest.OK(t, err)
	const script = `import fs from "fs";
const { picture } = await import("data:text/javascript," + encodeURIComponent(fs.readFileSync("page/picture.js", "utf8")));
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0)).map((d) => [...picture(d.Strokes, d.Pen)])));`
	cmd := exec.Command("node", "--input-type=module", "-e", script)
	cmd.Stdin = strings.NewReader(string(text))
	out, err := cmd.Output()
	clitest.OK(t, err)
	var got [][]float64
	clitest.OK(t, json.Unmarshal(out, &got))
	for i := range want {
		if d := floats.Distance(got[i], want[i], math.Inf(1)); !(d < 1e-6) { // a number of float32
			t.Errorf("drawing %d: a pixel differs by %v", i, d)
		}
	}
}

// TestMade: a seed makes the same digits again, as many of each, and another seed others.
func TestMade(t *testing.T) {
	a, b, c := made(40, 1), made(40, 1), made(40, 2)
	cells := func(x any) []float64 { return x.(*tensor.Dense).Float64s() }
	if !slices.Equal(cells(a.X), cells(b.X)) || slices.Equal(cells(a.X), cells(c.X)) {
		t.Error("the pictures differ between runs of one seed")
	}
	for _, label := range []string{"0", "9"} {
		if n := strings.Count(strings.Join(a.Labels, ""), label); n != 4 {
			t.Errorf("%d of 40 digits are %s", n, label)
		}
	}
}
