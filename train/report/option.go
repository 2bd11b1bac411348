package report

import (
	"fmt"
	"slices"
	"strings"
)

// Option changes how a picture is drawn. WithTitle and WithSize fit every picture; an option that does not fit a
// picture is an error that wraps ErrParam.
type Option struct {
	name string
	set  func(*settings)
}

type settings struct {
	title         string
	width, height int // in pixels; 0 leaves the choice to the picture
	least         int // least longer side
	metric        string
	logX          bool
	equal         bool
}

// WithTitle replaces the title.
func WithTitle(title string) Option {
	return Option{"WithTitle", func(s *settings) { s.title = title }}
}

// WithSize sets the size in pixels. Text keeps its size, 144 pixels being an inch, so the least side is 320, and of two
// panels, which lie along the longer side, that side is at least 720; the largest is 8192.
func WithSize(width, height int) Option {
	return Option{"WithSize", func(s *settings) { s.width, s.height = width, height }}
}

// WithMetric names the error that ErrorCurves shows; without it, it is the relative Frobenius error.
func WithMetric(metric string) Option {
	return Option{"WithMetric", func(s *settings) { s.metric = metric }}
}

// WithLogX makes the axis of x in Lines logarithmic.
func WithLogX() Option {
	return Option{"WithLogX", func(s *settings) { s.logX = true }}
}

// WithEqualAxes gives both axes of Lines the same range, in a square.
func WithEqualAxes() Option {
	return Option{"WithEqualAxes", func(s *settings) { s.equal = true }}
}

// Sides of a picture in pixels.
const minSide, twoPanels, maxSide = 320, 720, 8192

// apply changes the defaults of a picture, who, which takes the options of extra besides the common ones.
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
