package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

type convertCmd struct {
	Files []string `arg:"" help:"Files and folders of rows."`
	Out   string   `required:"" placeholder:"FILE" help:"The file to write: .npy (numbers alone) or .parquet (names, texts and times too)."`
	CSV   csvFlags `embed:"" group:"Tables"`
}

// Run writes the rows once in a format that is read several times as fast as text.
func (c *convertCmd) Run(ctx context.Context) error {
	if ext := filepath.Ext(c.Out); ext != ".npy" && ext != ".parquet" {
		return program.Usage("--out %s: want a name that ends in .npy or .parquet", c.Out)
	}
	outputs := []program.File{{Flag: "--out", Path: c.Out}}
	if err := program.CheckFiles(program.Files("FILES", c.Files...), outputs); err != nil {
		return err
	}
	read, err := c.CSV.options(c.Files)
	if err != nil {
		return err
	}
	defer program.EndSoon(ctx, "bochner")()
	if err := data.Convert(ctx, read, c.Out, c.Files...); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "rows:", c.Out)
	return nil
}
