package program

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress tells on stderr how far a task is: a bar on a terminal, a line every few seconds elsewhere.
type Progress struct {
	what string
	bar  *progressbar.ProgressBar
	last time.Time
}

// NewProgress is the progress of a task that has not begun.
func NewProgress(what string) *Progress { return &Progress{what: what, last: time.Now()} }

// Step says that done of total is done; note is shown beside it.
func (p *Progress) Step(done, total int, note string) {
	if term.IsTerminal(int(os.Stderr.Fd())) {
		if p.bar == nil {
			p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetWidth(30),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		}
		p.bar.Describe(p.what + " " + note)
		_ = p.bar.Set(done) // what a bar cannot draw is no failure of the task
		return
	}
	if done == total || time.Since(p.last) > 5*time.Second {
		p.last = time.Now()
		fmt.Fprintln(os.Stderr, strings.TrimSpace(fmt.Sprintf("%s %d/%d %s", p.what, done, total, note)))
	}
}

// Close takes the bar away, so that what comes next starts on a line of its own.
func (p *Progress) Close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
