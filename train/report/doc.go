// Package report computes numbers about a feature map or a fitted model, and draws pictures of them.
//
// Numbers: Compare measures an approximate kernel matrix against the exact one. ApproxGram computes the matrix that a
// feature map approximates, ExactGram the exact one for dense or sparse rows. KernelError does both for several seeds
// and separates bias from noise. Accuracy, F1, RMSE and ConfusionMatrix measure predictions against the truth, and a
// Ranking the scores of one class: ROC curve, AUC, average precision, equal error rate.
//
// Pictures: Confusion, Residuals, Curves, ErrorCurves, ScoreCurves, DET, ExactVsApprox, Lines and Bars return an
// image.Image. A notebook shows it directly, or by Must. Grid combines several pictures, FromPlot draws a gonum plot,
// Graphviz a graph, and SavePNG writes a file. Except for Graphviz they need no display and no other program: they use
// built-in fonts (Latin, Greek and Cyrillic letters) at 144 pixels per inch, and equal input gives equal bytes. Their
// colours suit colour-blind readers, and series also differ in shape or dash.
package report

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// The errors of this package wrap one of these, which are the ones of package domain.
var (
	ErrDomain = domain.ErrDomain
	ErrShape  = domain.ErrShape
	ErrDtype  = domain.ErrDtype
	ErrParam  = domain.ErrParam
)

// Map is a feature map without a graph: the inner product of two feature rows approximates a kernel.
type Map = layers.Map
