// Package service is the HTTP server of examples/serve. A program that has registered kernels of its own serves models of
// them, too:
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

	"github.com/bochner-go/bochner/examples/internal/cli"
)

// Main serves as the flags of the program say until it is told to stop, and ends the process.
func Main() { cli.Main("serve", run) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	type made struct {
		*server
		err error
	}
	loading := make(chan made, 1)
	go func() {
		s, err := newServer(o)
		loading <- made{s, err}
	}()
	var s made
	select {
	case s = <-loading:
	case <-ctx.Done():
		return fmt.Errorf("-model %s: stopped while it was read: %w", o.model, ctx.Err())
	}
	if s.err != nil {
		return s.err
	}
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("-addr %s: %w; choose another, host:0 for any free port", o.addr, err)
	}
	s.log.Printf("http://%s serves %s, sha256 %.12s", l.Addr(), o.model, s.current.Load().card.SHA256)
	return s.serve(ctx, l)
}
