package main

import (
	"flag"
	"math"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

const synopsis = `load sends requests to a server of examples/serve at a fixed rate and says how it did.`

// options are the flags, read and checked.
type options struct {
	url, model, format string
	rate               float64
	rows, connections  int
	duration, timeout  time.Duration
	seed               uint64
	json               bool
}

// maxRequests bounds the latencies that are kept.
const maxRequests = 1e7

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	fs.StringVar(&o.url, "url", "", "`address` of a server, http://host:port")
	fs.StringVar(&o.model, "model", "", "model `file` to start a server with, in place of -url")
	fs.StringVar(&o.format, "format", "json", "form of the bodies: json, npy")
	fs.Float64Var(&o.rate, "rate", 500, "`requests` a second")
	fs.IntVar(&o.rows, "rows", 64, "`rows` of a request, drawn from [0, 1)")
	fs.IntVar(&o.connections, "connections", 32, "most `requests` at a time")
	fs.DurationVar(&o.duration, "duration", 60*time.Second, "for how long")
	fs.DurationVar(&o.timeout, "timeout", 30*time.Second, "longest `time` for one request")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the rows")
	fs.BoolVar(&o.json, "json", false, "print one JSON object as the last line of stdout")
	if err := cli.Parse(fs, synopsis, args); err != nil {
		return nil, err
	}
	switch {
	case (o.url == "") == (o.model == ""):
		return nil, cli.Usage("say either -url of a server or -model, to start one")
	case o.url != "" && !strings.HasPrefix(o.url, "http://") && !strings.HasPrefix(o.url, "https://"):
		return nil, cli.Usage("-url %s: want http://host:port", o.url)
	case o.format != "json" && o.format != "npy":
		return nil, cli.Usage("-format %s: want json or npy", o.format)
	case !(o.rate > 0) || o.duration <= 0 || !(o.requests() >= 1 && o.requests() <= maxRequests):
		return nil, cli.Usage("-rate %v -duration %v: want 1 to %.0f requests", o.rate, o.duration, float64(maxRequests))
	case o.rows < 1 || o.connections < 1 || o.timeout <= 0:
		return nil, cli.Usage("-rows %d -connections %d -timeout %v: want at least 1, at least 1, and more than 0", o.rows, o.connections, o.timeout)
	}
	o.url = strings.TrimRight(o.url, "/")
	return o, nil
}

// requests is how many there are in all.
func (o *options) requests() float64 { return math.Round(o.rate * o.duration.Seconds()) }
