package main

import (
	"regexp"
	"strings"
	"testing"
)

func lines(events ...string) string {
	return strings.ReplaceAll(strings.Join(events, "\n")+"\n", "'", `"`)
}

func TestRun(t *testing.T) {
	const (
		pass = `{'Action':'pass','Package':'p','Test':'TestA'}`
		say  = `{'Action':'output','Package':'p','Test':'TestB','Output':'    b_test.go:7: no node here\n'}`
		skip = `{'Action':'skip','Package':'p','Test':'TestB'}`
		fail = `{'Action':'fail','Package':'p','Test':'TestB'}`
	)
	for _, c := range []struct{ in, allow, want, err string }{
		{lines(pass), "", "1 passed, 0 failed, 0 skipped\n", ""},
		{lines(pass, say, skip), "race detector", "NOT RUN p.TestB: no node here\n1 passed, 0 failed, 1 skipped\n", "1 tests were skipped"},
		{lines(pass, say, skip), "race detector|no node", "skipped p.TestB: no node here\n1 passed, 0 failed, 1 skipped\n", ""},
		{lines(pass, skip), "", "NOT RUN p.TestB: \n1 passed, 0 failed, 1 skipped\n", "1 tests were skipped"},
		{lines(pass, say, fail), "node", "    b_test.go:7: no node here\n1 passed, 1 failed, 0 skipped\n", "1 tests or packages failed"},
		{lines(say, skip), "node", "skipped p.TestB: no node here\n0 passed, 0 failed, 1 skipped\n", "no test ran"},
		{lines(`{'Action':'fail','Package':'p'}`), "", "0 passed, 1 failed, 0 skipped\n", "failed"},
		{"go: no such file\n" + lines(`{'Action':'output','Package':'p','Output':'ok p 1s\n'}`, pass), "", "go: no such file\nok p 1s\n1 passed, 0 failed, 0 skipped\n", ""},
	} {
		var out strings.Builder
		err := run(&out, strings.NewReader(c.in), regexp.MustCompile(c.allow))
		if out.String() != c.want {
			t.Errorf("%q with %q prints\n%s, want\n%s", c.in, c.allow, out.String(), c.want)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q with %q: the error is %v, want %q", c.in, c.allow, err, c.err)
		}
	}
}
