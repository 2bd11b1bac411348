package report

import (
	"fmt"
	"slices"
	"strings"
)

// Option changes how a picture is drawn. Every picture takes WithTitle and WithSize, and its documentation names what
// else it takes. Any other option is an error that wraps ErrParam.
type Option struct {
	name string
	set  func(*settings)
}

type settings struct {
	title         string
	width, height int // in pixels; 0: the picture chooses
	least         int // the least length of the longer side
	metric        string
	logX          bool
	equal         bool
}

// WithTitle sets the title of the picture.
func WithTitle(title string) Option {
	return Option{"WithTitle", func(s *settings) { s.title = title }}
}

// WithSize sets the size in pixels. Text keeps its size, at 144 pixels per inch. A side has at least 320 and at most
// 8192 pixels; for a picture with two panels, which lie along the longer side, that side has at least 720.
func WithSize(width, height int) Option {
	return Option{"WithSize", func(s *settings) { s.width, s.height = width, height }}
}

// WithMetric names the error of ErrorCurves or the score of ScoreCurves, which label the axis. The defaults are
// "relative Frobenius error" and "accuracy (share of rows)".
func WithMetric(metric string) Option {
	return Option{"WithMetric", func(s *settings) { s.metric = metric }}
}

// WithLogX makes the x axis of Lines logarithmic.
func WithLogX() Option {
	return Option{"WithLogX", func(s *settings) { s.logX = true }}
}

// WithEqualAxes gives both axes of Lines the same range, in a square.
func WithEqualAxes() Option {
	return Option{"WithEqualAxes", func(s *settings) { s.equal = true }}
}

// Sides of a picture in pixels.
const minSide, twoPanels, maxSide = 320, 720, 8192

// apply applies options to the defaults of the picture who, which takes the options of extra beside the common ones.
func (s settings) apply(who string, opts []Option, extra ...string) (settings, error) {
	fits := append([]string{"WithTitle", "WithSize"}, extra...)
	for _, o := range opts {
		if o.set == nil {
			return s, fmt.Errorf("report: %s: an option is the zero Option; make it with one of %s: %w", who, strings.Join(fits, ", "), ErrParam)
		}
		if !slices.Contains(fits, o.name) {
			return s, fmt.Errorf("report: %s: %s does not apply; this picture takes %s: %w", who, o.name, strings.Join(fits, ", "), ErrParam)
		}
		o.set(&s)
		short, long := min(s.width, s.height), max(s.width, s.height)
		if least := max(s.least, minSide); o.name == "WithSize" && (short < minSide || long < least || long > maxSide) {
			return s, fmt.Errorf("report: %s: WithSize(%d, %d): a side is to have at least %d pixels, the longer one at least %d and at most %d: %w",
				who, s.width, s.height, minSide, least, maxSide, ErrParam)
		}
	}
	return s, nil
}
