package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestNamed(t *testing.T) {
	whole := ""
	for name, command := range commands {
		whole += fmt.Sprintf("%s\n\n![a picture](%s/%s)\n", command, folder, name)
	}
	for name, c := range map[string]struct{ text, want string }{
		"whole":           {whole, ""},
		"without one":     {strings.Replace(whole, "("+folder+"/fit.png)", "", 1), "no guide shows fit.png"},
		"with another":    {whole + "![](" + folder + "/more.png)\n", "shows more.png"},
		"another command": {strings.Replace(whole, "yang2014 -rows 300", "yang2014 -rows 200", 1), "the command that draws figure1.png"},
	} {
		err := named(c.text)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestKeep: what a command draws is taken over and compared; a picture of an earlier run, which it did not draw, is
// not.
func TestKeep(t *testing.T) {
	if _, err := exec.LookPath("cp"); err != nil {
		t.Skip("no cp here")
	}
	here, err := os.Getwd()
	clitest.OK(t, err)
	drawn := filepath.Join(here, "fit.png") // of a guide, here as what a command draws
	t.Chdir(t.TempDir())
	clitest.OK(t, os.MkdirAll(folder, 0o755))
	command := "cp " + drawn + " fit.png"
	if err := keep("fit.png", command, false); err == nil {
		t.Error("a picture that is not in the folder is no error")
	}
	clitest.OK(t, keep("fit.png", command, true))
	if err := keep("fit.png", command, false); err != nil {
		t.Error(err)
	}
	other := "cp " + filepath.Join(here, "features.png") + " fit.png"
	if err := keep("fit.png", other, false); err == nil || !strings.Contains(err.Error(), "drawn") {
		t.Errorf("another picture: %v", err)
	}
	for _, command := range []string{"true", "false"} { // which draws nothing, or fails
		if err := keep("fit.png", command, false); err == nil {
			t.Errorf("%s is no error", command)
		}
	}
}
