// Command load sends requests to a server of examples/serve at a fixed rate and says how it did.
//
//	go -C examples/serve run ./load -model ../../model.safetensors -rate 500 -duration 60s
//	go -C examples/serve run ./load -url http://localhost:8080
//
//	go -C examples/serve run ./load -model ../../model.safetensors -rate 200 -idle 2000 -hostile 200 -memory 1073741824
//
// With -model it builds the server and starts it for the time of the run, as a process of its own on a free port (on
// Unix, as SIGTERM ends it). A request is due at its time whether or not those before it have their answers, and its
// latency counts from then, so that a server that stands still is not spared. The exit status is 1 if any request had
// no right answer.
//
// -idle and -hostile hold connections beside the requests: new and kept alive, and such as a server on the open net
// meets: compressed bodies that announce the most rows and never end, windows of 128 MB, a gigabyte in 32 kB, numbers
// that come one by one, answers that nobody reads. Requests count as before, the answers to hostile ones are told by
// status. -memory bounds the server's memory. -hostile is for a server on the same machine.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

func main() { cli.Main("load", run) }

func run(ctx context.Context, args []string) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	var p *process
	if o.model != "" {
		var e error
		if p, e = start(ctx, o.model, o.memory); e != nil {
			return e
		}
		defer func() { err = errors.Join(err, p.stop()) }()
		o.url = p.url
	}
	r, err := send(ctx, o)
	if err != nil {
		return err
	}
	var over error
	if o.memory > 0 {
		over = p.limited(r, o.memory)
	}
	if o.json {
		err = json.NewEncoder(os.Stdout).Encode(r)
	} else {
		_, err = fmt.Println(r)
	}
	if err = errors.Join(err, over); r.Errors > 0 {
		err = errors.Join(fmt.Errorf("%d of %d requests failed, the first: %s", r.Errors, r.Requests, r.First), err)
	}
	return err
}
