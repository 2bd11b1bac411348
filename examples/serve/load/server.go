package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// process is a server that was started for the run.
type process struct {
	url string
	cmd *exec.Cmd
	dir string
	in  *group // nil: none
}

// pkg is the server.
const pkg = "github.com/bochner-go/bochner/examples/serve"

var listening = regexp.MustCompile(`http://\S+`)

// start builds the server, starts it on a free port with so much memory, 0 for any, and waits until it listens.
func start(ctx context.Context, model string, memory int64) (*process, error) {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir}
	bin := filepath.Join(dir, "serve.exe")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, pkg).CombinedOutput(); err != nil {
		return nil, p.fail(fmt.Errorf("building the server, which takes a folder of its module, examples/serve: %w: %s", err, out))
	}
	p.cmd = exec.Command(bin, "-addr", "127.0.0.1:0", "-model", model)
	if memory > 0 {
		if p.in, err = newGroup(memory); err == nil {
			p.cmd = p.in.into(p.cmd)
		} else {
			p.cmd.Args = append(p.cmd.Args, "-max-memory", fmt.Sprint(memory/4)) // as by default under such a limit
		}
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, p.fail(err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, p.fail(err)
	}
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	if p.url = listening.FindString(line); p.url == "" {
		_ = p.cmd.Wait() // its line says why it ended
		return nil, p.fail(fmt.Errorf("the server does not start: %s", strings.TrimSpace(line)))
	}
	if err != nil {
		return nil, p.fail(err)
	}
	go func() { _, _ = io.Copy(os.Stderr, lines) }()
	return p, nil
}

func (p *process) fail(err error) error {
	p.clear()
	return err
}

func (p *process) clear() {
	_ = os.RemoveAll(p.dir)
	if p.in != nil {
		p.in.remove()
	}
}

// limited adds to a result what the memory of the server was.
func (p *process) limited(r *result, memory int64) error {
	r.Peak = peak(p.cmd.Process.Pid)
	if r.Limit = fmt.Sprintf("%d MB, no control group, the peak alone", memory>>20); p.in != nil {
		r.Limit = fmt.Sprintf("%d MB, a control group", memory>>20)
	}
	if r.Peak > memory {
		return fmt.Errorf("the server had %d bytes of memory, more than -memory %d", r.Peak, memory)
	}
	return nil
}

// stop ends the server as its users do, and wants it to end well.
func (p *process) stop() error {
	defer p.clear()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stopping the server: %w", err)
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the server ended: %w", err)
	}
	return nil
}
