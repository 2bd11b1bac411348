package service

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/train"
)

// uncertaintyCard is what /model tells of how a model knows how sure it is.
type uncertaintyCard struct {
	HeldOut     int       `json:"held_out_rows"`         // that intervals or sets come from
	MostLevel   float64   `json:"most_level"`            // the largest level that so many rows allow
	Posterior   bool      `json:"posterior,omitempty"`   // whether targets have standard deviations
	Noise       []float64 `json:"noise_std,omitempty"`   // the standard deviation of the noise of each target
	Calibration string    `json:"calibration,omitempty"` // of probabilities: the method
	Laplace     string    `json:"laplace,omitempty"`     // the covariance of Laplace's approximation
	Sets        string    `json:"sets,omitempty"`        // how classes are scored
}

func newUncertaintyCard(m *train.Model) *uncertaintyCard {
	if !knows(m) {
		return nil
	}
	u, c := m.Uncertainty, new(uncertaintyCard)
	if m.Classes == nil {
		c.HeldOut = u.Intervals.Rows()
	} else {
		c.HeldOut, c.Calibration, c.Sets = u.Sets.Rows(), string(u.Calibration.Method()), string(u.Sets.Method())
	}
	c.MostLevel = float64(c.HeldOut) / float64(c.HeldOut+1)
	if u.Posterior != nil {
		c.Posterior = true
		for _, v := range u.Posterior.Noise {
			c.Noise = append(c.Noise, math.Sqrt(v))
		}
	}
	if u.Laplace != nil {
		c.Laplace = string(u.Laplace.Covariance)
	}
	return c
}

// Text says it in few words.
func (c *uncertaintyCard) Text() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if c.Posterior {
		const most = 8
		var noise []string
		for _, v := range c.Noise[:min(most, len(c.Noise))] {
			noise = append(noise, fmt.Sprintf("%.4g", v))
		}
		if len(c.Noise) > most {
			noise = append(noise, fmt.Sprintf("... %d targets", len(c.Noise)))
		}
		add("standard deviations, of the noise %s", strings.Join(noise, ", "))
	}
	what := "intervals"
	if c.Sets != "" {
		what = "sets of classes"
		how := c.Calibration
		if c.Laplace != "" {
			how += " after Laplace's approximation (" + c.Laplace + ")"
		}
		add("probabilities calibrated by %s", how)
	}
	add("%s up to the level %s, by %d held-out rows", what, digits(c.MostLevel), c.HeldOut)
	return strings.Join(parts, "; ")
}

// digits are those of a level below 1 that tell how far below 1 it is; never a larger number.
func digits(level float64) string {
	places := 2 - int(math.Floor(math.Log10(1-level)))
	scale := math.Pow(10, float64(places))
	return strconv.FormatFloat(math.Floor(level*scale)/scale, 'f', -1, 64)
}

// percent is a level in percent.
func percent(level float64) string { return strconv.FormatFloat(100*level, 'g', 6, 64) + " %" }
