package submit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/grpc"
)

// poolWithin is how long the pool may take to see that a worker has ended, after the engine has.
const poolWithin = time.Second

// ErrWorker marks a worker process that ended before its job.
var ErrWorker = errors.New("a worker process ended before its job")

// pool starts workers for an engine, each a process of this program, and watches them. Prism does not: it waits for one that has
// ended for as long as the job may take.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	fail    context.CancelCauseFunc // of the job
	exited  chan error              // the first worker that had ended by itself when the engine asked for its end
	server  *grpc.Server
	restore []func() // the options of the SDK
	mu      sync.Mutex
	workers map[string]*worker
	closed  bool
}

// worker is a process.
type worker struct {
	cmd    *exec.Cmd
	said   tail
	wanted bool          // its end, under the pool's mu
	ended  chan struct{} // closed when it has
}

// startPool serves the pool on a port of this machine and names it in the options of the SDK.
func startPool(fail context.CancelCauseFunc) (*pool, error) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	// What the SDK stages as a worker's program, which the engine hands to workers that it starts itself.
	nothing, err := os.CreateTemp("", "bochner-beam-")
	if err != nil {
		listener.Close()
		return nil, fmt.Errorf("submit: %w", err)
	}
	nothing.Close()
	p := &pool{fail: fail, exited: make(chan error, 1), server: grpc.NewServer(), workers: map[string]*worker{}}
	p.restore = []func(){
		set(jobopts.EnvironmentType, "EXTERNAL"),
		set(jobopts.EnvironmentConfig, listener.Addr().String()),
		set(jobopts.WorkerBinary, nothing.Name()),
		func() { os.Remove(nothing.Name()) },
	}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	go p.server.Serve(listener)
	return p, nil
}

// StartWorker is called by the engine. A worker that cannot be started fails the job: Prism would panic at an error.
func (p *pool) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	if err := p.start(req); err != nil {
		p.fail(fmt.Errorf("submit: worker %s: cannot be started: %w: %w", req.GetWorkerId(), err, ErrWorker))
	}
	return &fnpb.StartWorkerResponse{}, nil
}

func (p *pool) start(req *fnpb.StartWorkerRequest) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := req.GetWorkerId()
	if p.closed || p.workers[id] != nil {
		return fmt.Errorf("the pool is closed, or has a worker of that name")
	}
	w := &worker{ended: make(chan struct{})}
	w.cmd = exec.Command(program, "--worker", "--id="+id,
		"--logging_endpoint="+req.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+req.GetControlEndpoint().GetUrl())
	w.cmd.Stdout, w.cmd.Stderr = &w.said, &w.said
	if err := w.cmd.Start(); err != nil {
		return err
	}
	p.workers[id] = w
	go p.watch(id, w)
	return nil
}

// watch waits for the end of a worker. It fails the job if nobody asked for the end. The engine, which may see a broken connection before
// the process is seen to have ended, may have asked already; then a worker that was not killed tells how it ended to a job that fails.
func (p *pool) watch(id string, w *worker) {
	err := w.cmd.Wait()
	close(w.ended)
	p.mu.Lock()
	wanted := w.wanted
	p.mu.Unlock()
	if wanted && killed(w.cmd.ProcessState) {
		return
	}
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	if said := w.said.String(); said != "" {
		how += ", after saying: " + said
	}
	cause := fmt.Errorf("submit: worker %s: %s: %w", id, how, ErrWorker)
	if !wanted {
		p.fail(cause)
		return
	}
	select {
	case p.exited <- cause:
	default:
	}
}

// killed says that a process ended by Process.Kill, or as one that did.
func killed(s *os.ProcessState) bool {
	if runtime.GOOS == "windows" {
		return s.ExitCode() == 1
	}
	return s.ExitCode() < 0
}

// StopWorker is called by the engine at the end of the job.
func (p *pool) StopWorker(_ context.Context, req *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.end(req.GetWorkerId())
	return &fnpb.StopWorkerResponse{}, nil
}

// end kills a worker, which has no other way to end, and waits for it.
func (p *pool) end(id string) {
	p.mu.Lock()
	w := p.workers[id]
	if w == nil {
		p.mu.Unlock()
		return
	}
	w.wanted = true
	p.mu.Unlock()
	w.cmd.Process.Kill() // one that has ended by itself says so, and that is all there is to want
	<-w.ended
}

// stop ends all workers and the pool.
func (p *pool) stop() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for id := range p.workers { // to which no more are added
		p.end(id)
	}
	p.server.Stop()
	for _, undo := range p.restore {
		undo()
	}
}

// tail keeps the end of what a worker says, which is asked for when it has ended.
type tail []byte

const tailBytes = 2048

func (t *tail) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	*t = (*t)[max(0, len(*t)-tailBytes):]
	return len(b), nil
}

func (t tail) String() string { return strings.Join(strings.Fields(string(t)), " ") }
