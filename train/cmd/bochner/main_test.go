package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"bochner": main}) }

// TestScripts runs the program by scripts, each in a folder with the files of rowFiles. Besides the commands of package
// testscript there are
//
//	fails STATUS TEXT PROGRAM ...   wants an exit status, nothing on stdout, and one line on stderr that holds the text
//	keys [KEY:]KEYS ...             wants the last line of stdout to be an object with these keys and no others
//	json KEY OP VALUE ...           compares what the object has under a key, a.b for b in a; OP is ==, <, > or has
//	same TOLERANCE FILE KEY ...     compares numbers of the object with those of an object that was copied to a file
//	picture FILE WIDTH HEIGHT       wants a PNG file of at least this size
//	until PATTERN                   waits for a file
//	lines FILE N                    wants a file of N lines
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:             "testdata/script",
		ContinueOnError: true,
		Setup:           func(e *testscript.Env) error { return rowFiles(e.WorkDir) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"fails": fails, "keys": keys, "json": jsonHas, "same": same, "picture": drawn, "until": until, "lines": lines,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "full":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			case "fifo":
				_, err := exec.LookPath("mkfifo")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	})
}

func fails(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[2], args[3:]...)
	var exit *exec.ExitError
	switch stderr, stdout := ts.ReadFile("stderr"), ts.ReadFile("stdout"); {
	case !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0]:
		ts.Fatalf("%v, want the status %s: %s", err, args[0], stderr)
	case stdout != "" || !strings.HasPrefix(stderr, "bochner: ") || strings.Index(stderr, "\n") != len(stderr)-1:
		ts.Fatalf("not one line of stderr: %q, %q", stdout, stderr)
	case !strings.Contains(stderr, args[1]):
		ts.Fatalf("no %q in %q", args[1], stderr)
	}
}

// lastObject is the last line of stdout.
func lastObject(ts *testscript.TestScript, text string) (ob map[string]any) {
	all := strings.Split(strings.TrimSpace(text), "\n")
	if err := json.Unmarshal([]byte(all[len(all)-1]), &ob); err != nil {
		ts.Fatalf("%v in %q", err, all)
	}
	return ob
}

// at is what an object has under a key.
func at(ob any, key string) any {
	for _, k := range strings.Split(key, ".") {
		if list, ok := ob.([]any); ok {
			n, err := strconv.Atoi(k)
			if err != nil || n >= len(list) {
				return nil
			}
			ob = list[n]
			continue
		}
		m, _ := ob.(map[string]any)
		ob = m[k]
	}
	return ob
}

func keys(ts *testscript.TestScript, _ bool, args []string) {
	ob := lastObject(ts, ts.ReadFile("stdout"))
	if under, ok := strings.CutSuffix(args[0], ":"); ok {
		ob, args = at(ob, under).(map[string]any), args[1:]
	}
	var got []string
	for k := range ob {
		got = append(got, k)
	}
	want := strings.Fields(strings.NewReplacer("ALWAYS", always, "CLASSES", "classes accuracy f1 auc average_precision train_accuracy", "FEATURES", features).Replace(strings.Join(args, " ")))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		ts.Fatalf("the keys are\n%v, want\n%v", got, want)
	}
}

// The keys of every fit, and of every report on features.
const (
	always   = "scale map params features seed dtype head tuned train_rows test_rows input_dim kernel_error seconds peak_rss_bytes version"
	features = "map params features seed dtype rows input_dim seconds peak_rss_bytes version"
)

func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	ob := lastObject(ts, ts.ReadFile("stdout"))
	for ; len(args) >= 3; args = args[3:] {
		if args[0] == "peak_rss_bytes" && trial.RaceEnabled {
			continue // the race detector keeps books of all memory
		}
		v, want := at(ob, args[0]), args[2]
		x, isNumber := v.(float64)
		y, err := strconv.ParseFloat(want, 64)
		ok := false
		switch text, _ := json.Marshal(v); args[1] {
		case "==":
			ok = string(text) == want || fmt.Sprint(v) == want || isNumber && err == nil && x == y
		case "<":
			ok = isNumber && err == nil && x < y
		case ">":
			ok = isNumber && err == nil && x > y
		case "has":
			list, _ := v.([]any)
			ok = strconv.Itoa(len(list)) == want
		}
		if ok == neg {
			ts.Fatalf("%s is %v, want %s %s: %v", args[0], v, args[1], want, !neg)
		}
	}
}

func same(ts *testscript.TestScript, neg bool, args []string) {
	got, want := lastObject(ts, ts.ReadFile("stdout")), lastObject(ts, ts.ReadFile(args[1]))
	tolerance, err := strconv.ParseFloat(args[0], 64)
	ts.Check(err)
	for _, key := range args[2:] {
		a, b := at(got, key), at(want, key)
		x, isNumber := a.(float64)
		y, _ := b.(float64)
		if equal := a != nil && fmt.Sprint(a) == fmt.Sprint(b) || isNumber && math.Abs(x-y) <= tolerance*math.Abs(y); equal == neg {
			ts.Fatalf("%s is %v, and %v in %s", key, a, b, args[1])
		}
	}
}

func drawn(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	c, err := png.DecodeConfig(f)
	ts.Check(err)
	for i, size := range []int{c.Width, c.Height} {
		if least, err := strconv.Atoi(args[1+i]); err != nil || size < least {
			ts.Fatalf("a picture of %d x %d", c.Width, c.Height)
		}
	}
}

func until(ts *testscript.TestScript, _ bool, args []string) {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if found, _ := filepath.Glob(ts.MkAbs(args[0])); found != nil {
			return
		}
	}
	ts.Fatalf("there is no file %s", args[0])
}

func lines(ts *testscript.TestScript, _ bool, args []string) {
	if n := len(regexp.MustCompile(`(?m)$\n`).FindAllString(ts.ReadFile(args[0]), -1)); strconv.Itoa(n) != args[1] {
		ts.Fatalf("%d lines", n)
	}
}
