package service

import (
	"flag"
	"runtime"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

const synopsis = `serve predicts over HTTP with a model that examples/train saved.`

// options are the flags, read and checked.
type options struct {
	model, addr            string
	maxBody                int64
	maxMemory              int64 // 0: a quarter of the memory
	maxRows, concurrent    int
	maxConnections         int
	timeout, linger, drain time.Duration
	watch                  time.Duration
	hosts                  []string // beside those of the machine itself
}

// The largest limits: a body is held as it comes, its rows as float64.
const (
	mostBody   = 1 << 32
	mostRows   = 1 << 24
	mostMemory = 1 << 50
)

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	fs.StringVar(&o.model, "model", "", "model `file`, of examples/train -save")
	fs.StringVar(&o.addr, "addr", "localhost:8080", "`address` to listen at, host:port; port 0 is any free one")
	o.maxBody = 8 << 20
	fs.Var((*bytesFlag)(&o.maxBody), "max-body", "largest body of a request, in `bytes`, as 8MiB")
	fs.IntVar(&o.maxRows, "max-rows", 8192, "most `rows` of a request; fewer where -max-memory does not hold so many")
	fs.Var((*bytesFlag)(&o.maxMemory), "max-memory", "most memory of the process, in `bytes`, as 500MB; where the requests in flight take more than is left of it they are told to come again later (503), those first that hold the most; 0: a quarter of the machine's or of its control group's")
	fs.IntVar(&o.maxConnections, "max-connections", 4096, "most `connections`; beyond them the one is closed that has waited longest for a request")
	fs.IntVar(&o.concurrent, "concurrent", runtime.GOMAXPROCS(0), "most `predictions` computed at a time; others wait")
	fs.DurationVar(&o.timeout, "timeout", 10*time.Second, "longest `time` to read a request, to wait for its turn, and to write its answer, each")
	fs.DurationVar(&o.linger, "linger", 0, "`time` to go on accepting requests after SIGTERM while /readyz says 503, so that a balancer looks elsewhere")
	fs.DurationVar(&o.drain, "drain", 30*time.Second, "longest `time` after that for the requests that have begun")
	fs.DurationVar(&o.watch, "watch", 2*time.Second, "how often to look for a new model file; 0: at SIGHUP alone")
	hosts := fs.String("hosts", "", "more `names`, separated by commas, that a request may give as its host where -addr is of this machine alone, such as that of a proxy; * for any")
	if err := cli.Parse(fs, synopsis, args); err != nil {
		return nil, err
	}
	if *hosts != "" {
		o.hosts = cli.List(*hosts)
	}
	switch {
	case o.model == "":
		return nil, cli.Usage("-model is missing; name a file that examples/train -save wrote")
	case o.maxBody < 1 || o.maxBody > mostBody:
		return nil, cli.Usage("-max-body %d: want 1 to %d", o.maxBody, int64(mostBody))
	case o.maxRows < 1 || o.maxRows > mostRows:
		return nil, cli.Usage("-max-rows %d: want 1 to %d", o.maxRows, mostRows)
	case o.maxMemory < 0 || o.maxMemory > mostMemory:
		return nil, cli.Usage("-max-memory %d: want 0 to %d", o.maxMemory, int64(mostMemory))
	case o.maxConnections < 1:
		return nil, cli.Usage("-max-connections %d: want at least 1", o.maxConnections)
	case o.concurrent < 1:
		return nil, cli.Usage("-concurrent %d: want at least 1", o.concurrent)
	case o.timeout <= 0:
		return nil, cli.Usage("-timeout %v: want more than 0", o.timeout)
	case o.linger < 0 || o.drain < 0 || o.watch < 0:
		return nil, cli.Usage("-linger %v -drain %v -watch %v: want 0 or more", o.linger, o.drain, o.watch)
	}
	return o, nil
}
