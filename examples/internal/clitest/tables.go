package clitest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Tables are the cells of the Markdown tables that a program printed, without their heads.
func Tables(stdout string) (tables [][][]string) {
	within := 0 // lines of the table so far
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "|") {
			within = 0
			continue
		}
		if within++; within == 1 {
			tables = append(tables, nil)
		}
		if within <= 2 { // the head, and the line below it
			continue
		}
		row := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i, cell := range row {
			row[i] = strings.TrimSpace(cell)
		}
		tables[len(tables)-1] = append(tables[len(tables)-1], row)
	}
	return tables
}

// Cells are the rows of all tables that a program printed, without their heads.
func Cells(stdout string) [][]string { return slices.Concat(Tables(stdout)...) }

// Number is the number that a cell begins with.
func Number(t *testing.T, cell string) float64 {
	t.Helper()
	number, _, _ := strings.Cut(cell, " ")
	v, err := strconv.ParseFloat(number, 64)
	OK(t, err)
	return v
}

// WrongFlags wants the program to refuse each of some arguments with the status 2 and a text, to begin what it prints
// for -h with a synopsis, and to leave no file.
func WrongFlags(t *testing.T, program, synopsis string, texts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for args, text := range texts {
		Run(t, dir, args).Fails(t, 2, program, text)
	}
	if r := Run(t, dir, "-h").OK(t); !strings.HasPrefix(r.Stdout, program+" "+synopsis) || r.Stderr != "" {
		t.Errorf("-h: %+v", r)
	}
	if names := Names(t, dir); len(names) > 0 {
		t.Errorf("wrong flags left %v", names)
	}
}
