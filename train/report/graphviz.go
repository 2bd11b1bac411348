package report

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os/exec"
	"strings"
)

// Graphviz draws a graph in the language of Graphviz, such as layers.Dot writes, by the command dot, which must be
// installed (Debian: apt-get install graphviz).
//
// Errors: exec.ErrNotFound without the command dot; ErrParam for a text that it does not accept.
func Graphviz(text string) (image.Image, error) {
	cmd := exec.Command("dot", "-Tpng", "-Gdpi=96")
	cmd.Stdin = strings.NewReader(text)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("report: Graphviz: the command dot is not there; install Graphviz (Debian: apt-get install graphviz): %w", err)
	case err != nil:
		return nil, fmt.Errorf("report: Graphviz: dot says %q: %w", strings.TrimSpace(complaint.String()), ErrParam)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("report: Graphviz: dot wrote no picture (%d bytes): %w", len(out), ErrParam)
	}
	return img, nil
}
