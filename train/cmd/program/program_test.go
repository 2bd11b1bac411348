package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
)

// redirect runs f with a standard stream going elsewhere, and returns what f wrote to it.
func redirect(t *testing.T, stream **os.File, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := *stream
	*stream = w
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		text <- string(b)
	}()
	defer func() { *stream = was }()
	f()
	w.Close()
	return <-text
}

// TestExit: the status of each kind of end, and one line for an error whatever its text.
func TestExit(t *testing.T) {
	for _, tc := range []struct {
		err    error
		status int
		line   string
	}{
		{nil, 0, ""},
		{flag.ErrHelp, 0, ""},
		{errors.New("no such file"), 1, "prog: no such file\n"},
		{errors.Join(errors.New("first"), errors.New("second\n\tthird")), 1, "prog: first second third\n"},
		{Usage("-a %d: %w", 3, io.EOF), 2, "prog: -a 3: EOF\n"},
		{fmt.Errorf("around it: %w", &UsageError{errors.New("-b")}), 2, "prog: around it: -b\n"},
		{context.Canceled, 1, "prog: context canceled\n"},
	} {
		status := -1
		text := redirect(t, &os.Stderr, func() { status = exit("prog", tc.err) })
		if status != tc.status || text != tc.line {
			t.Errorf("%v: exit status %d, stderr %q, want %d, %q", tc.err, status, text, tc.status, tc.line)
		}
	}
	if err := Usage("-a: %w", io.EOF); !errors.Is(err, io.EOF) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

// TestProgress: where stderr is no terminal, a task that is done is a line, and one that goes on is none yet.
func TestProgress(t *testing.T) {
	text := redirect(t, &os.Stderr, func() {
		p := NewProgress("rows")
		p.Step(1, 3, "")
		p.Step(3, 3, "")
		p.Close()
		NewProgress("epoch").Step(2, 2, "loss 0.5")
	})
	if text != "rows 3/3\nepoch 2/2 loss 0.5\n" {
		t.Errorf("%q", text)
	}
}

// TestDelimiter: what is no single character is a wrong flag, which names the flag and the text.
func TestDelimiter(t *testing.T) {
	for text, want := range map[string]rune{"auto": 0, "tab": '\t', `\t`: '\t', ";": ';', "·": '·'} {
		if got, err := Delimiter("--delimiter", text); got != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ab", `"`, "\n", "\r", "\xff"} {
		var usage *UsageError
		_, err := Delimiter("-d", text)
		if !errors.As(err, &usage) || err.Error() != "-d "+text+": want auto, tab, or one character" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTellOnce: a note that comes again is not printed again, and a terminal obeys nothing in it.
func TestTellOnce(t *testing.T) {
	text := redirect(t, &os.Stderr, func() {
		tell := TellOnce("note:")
		for _, note := range []string{"a", "b\x1b", "a"} {
			tell(note)
		}
	})
	if text != "note: a\nnote: b\\x1b\n" {
		t.Errorf("%q", text)
	}
}

func TestPeakRSS(t *testing.T) {
	if rss := PeakRSS(); rss != 0 && rss < 1<<20 || rss > 1<<34 {
		t.Errorf("%d bytes", rss)
	}
}
