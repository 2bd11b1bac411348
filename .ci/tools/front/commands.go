package main

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A command is a line of a guide, with those that continue it.
type command struct {
	guide string
	line  int
	text  string
}

func (c command) wrong(err error) string {
	return fmt.Sprintf("%s:%d: %s: %v", c.guide, c.line, c.text, err)
}

var prints = regexp.MustCompile(`^<!-- prints: (.*) -->$`)

// commandsOf finds the commands that .ci/guides runs, and those that it leaves out.
func commandsOf(guide, text string) (out []command) {
	block, continued := false, false
	for i, line := range strings.Split(text, "\n") {
		part, more := strings.CutSuffix(line, `\`)
		switch m := prints.FindStringSubmatch(line); {
		case line == "```sh":
			block = true
		case line == "```":
			block = false
		case block && continued:
			out[len(out)-1].text += strings.TrimLeft(part, " ")
			continued = more
		case block && line != "" && line[0] != '#':
			out = append(out, command{guide, i + 1, part})
			continued = more
		case m != nil:
			out = append(out, command{guide, i + 1, m[1]})
		}
	}
	return out
}

var shell = regexp.MustCompile(`((?:[^\s'"|&;]|'[^']*'|"[^"]*")+)|[|&;]+`)

// split cuts a line into the commands of its pipes and lists, and those into words. It expands nothing.
func split(line string) (list [][]string, err error) {
	if left := strings.TrimSpace(shell.ReplaceAllString(line, "")); left != "" {
		return nil, fmt.Errorf("the quotation mark %s has no other one", left)
	}
	begun := false
	for _, word := range shell.FindAllStringSubmatch(line, -1) {
		switch word := word[1]; {
		case word == "": // between commands
			begun = false
		case word[0] == '#':
			return list, nil
		case begun:
			list[len(list)-1] = append(list[len(list)-1], strings.Trim(word, `'"`))
		default:
			list, begun = append(list, []string{word}), true
		}
	}
	return list, nil
}

// A program is a main package, from a folder of its module.
type program struct{ dir, pkg string }

// checkGuides says what is wrong with the commands of guides. It builds each program that a guide gives arguments, and
// reads its flags from what it prints for -h.
func checkGuides(root, unbuilt string, guides []string) (said []string, err error) {
	type call struct {
		command
		program
		args []string
	}
	var calls []call
	var programs []program
	n, with := 0, map[string]bool{}
	for _, guide := range guides {
		text, err := os.ReadFile(filepath.Join(root, guide))
		if err != nil {
			return nil, err
		}
		for _, c := range commandsOf(guide, string(text)) {
			n++
			with[guide] = true
			list, err := split(c.text)
			for i := 0; i < len(list) && err == nil; i++ {
				var p program
				var args []string
				p, args, err = read(root, list[i])
				looked := unbuilt == "" || filepath.Clean(p.dir) != filepath.Clean(unbuilt)
				if err == nil && p.pkg != "" && len(args) > 0 && looked {
					calls, programs = append(calls, call{c, p, args}), append(programs, p)
				}
			}
			if err != nil {
				said = append(said, c.wrong(err))
			}
		}
	}
	if n == 0 {
		return nil, errors.New("the guides have no command")
	}
	fmt.Printf("%d commands of %d guides\n", n, len(with))
	tmp, err := os.MkdirTemp("", "front")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	built, err := buildAll(root, tmp, programs)
	if err != nil {
		return said, err
	}
	known := map[string]map[string]option{}
	for _, c := range calls {
		asked, args := []string{built[c.program]}, c.args
		for len(args) > 0 && subcommand.MatchString(args[0]) {
			asked, args = append(asked, args[0]), args[1:]
		}
		key := strings.Join(asked, " ")
		if known[key] == nil {
			known[key], err = help(tmp, asked)
		}
		if err == nil {
			err = checkFlags(known[key], args)
		}
		if err != nil {
			said, err = append(said, c.wrong(err)), nil
		}
	}
	return said, nil
}

// read says which program a simple command runs, if it is one of Go, and its arguments: of an interpreter those after
// its name, of other commands none.
func read(root string, words []string) (p program, args []string, err error) {
	switch name := words[0]; {
	case name == "go":
		return readGo(root, words[1:])
	case slices.Contains([]string{"bash", "sh", "python3", "node"}, name):
		if len(words) == 1 {
			return p, nil, fmt.Errorf("%s without a file", name)
		}
		if _, err := os.Stat(filepath.Join(root, words[1])); err != nil {
			return p, nil, fmt.Errorf("there is no file %s", words[1])
		}
		return p, words[2:], nil
	case strings.Contains(name, "/"):
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode()&0o111 == 0 {
			return p, nil, fmt.Errorf("there is no program %s", name)
		}
		return p, nil, nil
	case slices.Contains([]string{"cd", "curl", "echo", "git", "jupyter", "npm"}, name):
		return p, nil, nil
	default:
		return p, nil, fmt.Errorf("%s is no command that this check knows; teach it in .ci/tools/front", name)
	}
}

func readGo(root string, words []string) (p program, args []string, err error) {
	p.dir = "."
	if len(words) > 1 && words[0] == "-C" {
		p.dir, words = words[1], words[2:]
	}
	if len(words) == 0 {
		return p, nil, errors.New("go without a command")
	}
	switch verb, rest := words[0], words[1:]; verb {
	case "get", "install", "version":
		return p, nil, nil
	case "build", "test", "vet":
		for _, w := range rest {
			if folder, _ := strings.CutSuffix(w, "..."); strings.HasPrefix(w, ".") {
				if info, err := os.Stat(filepath.Join(root, p.dir, folder)); err != nil || !info.IsDir() {
					return p, nil, fmt.Errorf("there is no folder %s", w)
				}
			}
		}
		return p, nil, nil
	case "run":
		if len(rest) == 0 || !strings.HasPrefix(rest[0], ".") {
			return p, nil, errors.New("go run wants the folder of a program, from . on, and then its flags")
		}
		folder := filepath.Join(root, p.dir, rest[0])
		pkg, err := build.ImportDir(folder, 0)
		switch {
		case err != nil:
			return p, nil, fmt.Errorf("there is no package %s", rest[0])
		case pkg.Name != "main":
			return p, nil, fmt.Errorf("%s is package %s, no program", rest[0], pkg.Name)
		case module(folder) != module(filepath.Join(root, p.dir)):
			return p, nil, fmt.Errorf("%s is in another module; run it by go -C", rest[0])
		}
		p.pkg = rest[0]
		return p, rest[1:], nil
	default:
		return p, nil, fmt.Errorf("go %s is no command that this check knows; teach it in .ci/tools/front", verb)
	}
}

// module is the folder of the go.mod that a folder is under.
func module(folder string) string {
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
	}
	return folder
}

// buildAll builds programs, those of a module in one go, and returns where they are.
func buildAll(root, tmp string, programs []program) (map[program]string, error) {
	built, packages := map[program]string{}, map[string][]string{}
	for _, p := range programs {
		if !slices.Contains(packages[p.dir], p.pkg) {
			packages[p.dir] = append(packages[p.dir], p.pkg)
		}
	}
	for dir, list := range packages {
		out, err := os.MkdirTemp(tmp, "bin")
		if err != nil {
			return nil, err
		}
		for _, pkg := range list {
			built[program{dir, pkg}] = filepath.Join(out, filepath.Base(filepath.Join(root, dir, pkg)))
		}
		args := append([]string{"-C", filepath.Join(root, dir), "build", "-ldflags=-s -w", "-o", out + "/"}, list...)
		if said, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build of %s in %s: %w\n%s", strings.Join(list, " "), dir, err, said)
		}
	}
	return built, nil
}

// An option is what the help says of a flag.
type option struct {
	value bool // it takes one
	help  string
}

var (
	subcommand = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	flagLine   = regexp.MustCompile(`^  -([a-zA-Z][\w.-]*)( .+)?(\t.*)?$`) // as package flag prints it
	kongLine   = regexp.MustCompile(`^ {2,6}(?:-\w, )?--([a-z][\w-]*)(=\S+)?( .*)?$`)
	kongUsage  = regexp.MustCompile(`^Usage: .*[<\[][a-z]+[>\]]`) // with arguments that are no flags
)

// help asks a program, or a subcommand, for its flags.
func help(tmp string, command []string) (map[string]option, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(slices.Clone(command[1:]), "-h")...)
	cmd.Dir = tmp
	said, err := cmd.CombinedOutput()
	options := parseHelp(string(said))
	if err != nil || len(options) == 0 {
		asked := strings.TrimPrefix(cmd.String(), filepath.Dir(command[0])+"/")
		return nil, fmt.Errorf("%s lists no flags (%v)", asked, err)
	}
	return options, nil
}

// arguments is the key of the options of a command that takes arguments besides flags.
const arguments = ""

func parseHelp(text string) map[string]option {
	options, last := map[string]option{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if kongUsage.MatchString(strings.TrimSuffix(line, "[flags]")) {
			options[arguments] = option{}
		}
		m := kongLine.FindStringSubmatch(line)
		if m == nil {
			m = flagLine.FindStringSubmatch(line)
		}
		if m != nil {
			last = m[1]
			options[last] = option{value: m[2] != "", help: m[3]}
		} else if last != "" {
			options[last] = option{options[last].value, options[last].help + line + "\n"}
		}
	}
	return options
}

// named are the flags whose values their help lists.
var named = []string{
	"dtype", "head", "kernels", "map", "part", "sampler", "scale", "schedule", "solver", "task", "tune",
}

var name = regexp.MustCompile(`[\w-]+`)

// checkFlags holds arguments against the flags of their program.
func checkFlags(options map[string]option, args []string) error {
	_, hasArguments := options[arguments]
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		flag, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		o, ok := options[flag]
		switch {
		case !strings.HasPrefix(a, "-") && hasArguments:
			continue
		case !strings.HasPrefix(a, "-"):
			return fmt.Errorf("%s is neither a flag nor the value of one", a)
		case !ok:
			return fmt.Errorf("there is no flag -%s", flag)
		case !o.value:
			continue
		case !has && (len(args) == 0 || flagLine.MatchString("  "+args[0])):
			return fmt.Errorf("-%s has no value", flag)
		case !has:
			value, args = args[0], args[1:]
		}
		if slices.Contains(named, flag) && !strings.Contains(o.help, ", see ") { // which lists them elsewhere
			known := name.FindAllString(o.help, -1)
			for _, v := range strings.Split(value, ",") {
				if !slices.Contains(known, v) {
					return fmt.Errorf("-%s %s: the help does not list it", flag, v)
				}
			}
		}
	}
	return nil
}
