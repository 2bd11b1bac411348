// Package service is the HTTP server of examples/serve. A program that registers kernels of its own serves models of
// them too:
//
//	func main() {
//		if err := layers.Register(myKernel); err != nil {
//			log.Fatal(err)
//		}
//		service.Main()
//	}
package service

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// options are the flags.
type options struct {
	Model string `placeholder:"FILE" required:"" help:"Model file."`
	Addr  string `default:"localhost:8080" placeholder:"HOST:PORT" help:"Address; port 0 is any free one (${default})."`
	// Hosts are for a loopback address.
	Hosts          []string      `placeholder:"NAME" help:"Hosts that requests may name beside localhost; * for any."`
	MaxBody        byteCount     `default:"8MiB" placeholder:"BYTES" help:"Largest body of a request (${default})."`
	MaxRows        int           `default:"8192" placeholder:"N" help:"Most rows of a request (${default})."`
	MaxMemory      byteCount     `default:"0" placeholder:"BYTES" help:"Most memory, as 500MB; 0: a quarter of the machine."`
	MaxConnections int           `default:"4096" placeholder:"N" help:"Most connections; others wait (${default})."`
	Concurrent     int           `default:"${cpus}" placeholder:"N" help:"Requests computed at a time (${default})."`
	Timeout        time.Duration `default:"10s" placeholder:"TIME" help:"To read, to wait, to write, each (${default})."`
	Linger         time.Duration `default:"0s" placeholder:"TIME" help:"To go on after SIGTERM, not ready (${default})."`
	Drain          time.Duration `default:"30s" placeholder:"TIME" help:"For requests that have begun (${default})."`
	Watch          time.Duration `default:"2s" placeholder:"TIME" help:"Between looks for a new model file (${default})."`
}

// Validate is called by kong.
func (o *options) Validate() error {
	const mostBody, mostRows = 1 << 32, 1 << 24
	switch {
	case o.MaxBody < 1 || o.MaxBody > mostBody:
		return fmt.Errorf("--max-body %d: want 1 to %d", o.MaxBody, int64(mostBody))
	case o.MaxRows < 1 || o.MaxRows > mostRows:
		return fmt.Errorf("--max-rows %d: want 1 to %d", o.MaxRows, mostRows)
	case o.MaxMemory < 0:
		return fmt.Errorf("--max-memory %d: want 0 or more", o.MaxMemory)
	case o.MaxConnections < 1 || o.Concurrent < 1:
		return fmt.Errorf("--max-connections %d --concurrent %d: want at least 1", o.MaxConnections, o.Concurrent)
	case o.Timeout <= 0:
		return fmt.Errorf("--timeout %v: want more than 0", o.Timeout)
	case o.Linger < 0 || o.Drain < 0 || o.Watch < 0:
		return fmt.Errorf("--linger %v --drain %v --watch %v: want 0 or more", o.Linger, o.Drain, o.Watch)
	}
	return nil
}

// Main serves as the flags of the program say until SIGINT or SIGTERM, and ends the process: with status 0, 2 for a
// wrong flag, or 1 for a failure.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	o := new(options)
	parser, err := kong.New(o, kong.Name("serve"), kong.Vars{"cpus": fmt.Sprint(runtime.GOMAXPROCS(0))},
		kong.Description("Predict over HTTP with a model file."))
	if err == nil {
		_, err = parser.Parse(os.Args[1:])
	}
	status := 2
	if err == nil {
		status, err = 1, run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(status)
	}
	os.Exit(0)
}

func run(ctx context.Context, o *options) error {
	var s *server
	loading := make(chan error, 1)
	go func() {
		var err error
		s, err = newServer(o)
		loading <- err
	}()
	select {
	case err := <-loading:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return fmt.Errorf("--model %s: stopped while it was read: %w", o.Model, ctx.Err())
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w; choose another, HOST:0 for any free port", o.Addr, err)
	}
	s.log.Printf("http://%s serves %s, sha256 %.12s", l.Addr(), o.Model, s.current.Load().card.SHA256)
	return s.serve(ctx, l)
}
