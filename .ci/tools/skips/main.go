// Command skips reads what go test -json prints, and prints what go test does: a line for each package, and the output
// of each test that fails. It then lists the tests that were skipped, with their reasons, and exits with status 1 if a
// test failed, if none ran, or if the reason of a skip does not match -allow:
//
//	go test -race -json ./... | go -C .ci/tools run ./skips -allow 'race detector'
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	allow := flag.String("allow", "", "skips whose reason matches this `regexp` are no failure; none are without it")
	flag.Parse()
	re, err := regexp.Compile(*allow)
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips: -allow:", err)
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Stdin, re); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json (go doc cmd/test2json).
type event struct{ Action, Package, Test, Output string }

// run copies what is worth reading from r to w.
func run(w io.Writer, r io.Reader, allow *regexp.Regexp) error {
	var skipped []string
	outputs := map[string]string{} // by package and test, while it runs
	passed, failed, refused := 0, 0, 0
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line == "" && err == io.EOF {
			break
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(w, line) // not of go test -json, such as an error of the go command
			continue
		}
		key := e.Package + "." + e.Test
		switch e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "output":
			if e.Test == "" && e.Output != "PASS\n" {
				fmt.Fprint(w, e.Output)
			}
			outputs[key] += e.Output
		case "pass":
			if e.Test != "" {
				passed++
			}
			delete(outputs, key)
		case "fail":
			failed++
			if e.Test != "" {
				fmt.Fprint(w, outputs[key])
			}
			delete(outputs, key)
		case "skip":
			if e.Test == "" { // a package without tests
				break
			}
			reason := why(outputs[key])
			mark := "skipped"
			if allow.String() == "" || !allow.MatchString(reason) {
				mark = "NOT RUN"
				refused++
			}
			skipped = append(skipped, fmt.Sprintf("%s %s: %s", mark, key, reason))
			delete(outputs, key)
		}
	}
	for _, s := range skipped {
		fmt.Fprintln(w, s)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", passed, failed, len(skipped))
	switch {
	case failed > 0:
		return fmt.Errorf("%d tests or packages failed", failed)
	case refused > 0:
		return fmt.Errorf("%d tests were skipped for a reason that does not match %q", refused, allow)
	case passed == 0:
		return fmt.Errorf("no test ran")
	}
	return nil
}

// why returns the reason of a skip from the output of its test: what t.Skip printed, without its place in the source.
func why(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			said = append(said, regexp.MustCompile(`^\S+\.go:\d+: `).ReplaceAllString(line, ""))
		}
	}
	return strings.Join(said, " ")
}
