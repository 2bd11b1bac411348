// Package report holds numbers about a feature map or a fitted model, and their pictures.
//
// The numbers: Compare sets an approximate kernel matrix against the exact one, ApproxGram computes the matrix that a
// feature map stands for, ExactGram the exact one of dense or sparse rows, KernelError repeats both over seeds and
// tells bias from noise.
//
// The pictures: Confusion, Residuals, Curves, ErrorCurves, ScoreCurves, ExactVsApprox and Lines return an image.Image,
// which a notebook shows as it is, or by Must; Grid puts several into one, FromPlot draws a gonum plot, SavePNG writes
// a file. They are drawn at 144 pixels an inch, without a display, with built-in fonts (Latin, Greek and Cyrillic
// letters), and the same input gives the same bytes. Their colours can be told apart by colour-blind readers, and
// series differ in shape or dash as well.
package report

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// The errors of this package wrap one of these; every other package of the library uses the same ones.
var (
	ErrDomain = domain.ErrDomain
	ErrShape  = domain.ErrShape
	ErrDtype  = domain.ErrDtype
	ErrParam  = domain.ErrParam
)

// Map is a feature map without a graph: the inner product of two feature rows stands for a kernel.
type Map = layers.Map
