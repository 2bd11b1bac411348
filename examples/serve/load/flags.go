package main

import (
	"flag"
	"math"
	"net"
	"net/url"
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
	idle, hostile      int
	memory             int64
}

// mostCrowd bounds the connections that carry no requests.
const mostCrowd = 10000

// maxRequests bounds the latencies that are kept.
const maxRequests = 1e7

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	fs.StringVar(&o.url, "url", "", "`address` of a server, http://host:port")
	fs.StringVar(&o.model, "model", "", "model `file` to start a server with, in place of -url")
	fs.StringVar(&o.format, "format", "json", "form of the bodies: json, npy")
	fs.Float64Var(&o.rate, "rate", 500, "`requests` a second")
	fs.IntVar(&o.rows, "rows", 64, "`rows` of a request, drawn from [0, 1), or as /model tells the columns")
	fs.IntVar(&o.connections, "connections", 32, "most `requests` at a time")
	fs.DurationVar(&o.duration, "duration", 60*time.Second, "for how long")
	fs.DurationVar(&o.timeout, "timeout", 30*time.Second, "longest `time` for one request")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the rows")
	fs.IntVar(&o.idle, "idle", 0, "idle `connections` beside the requests")
	fs.IntVar(&o.hostile, "hostile", 0, "`connections` beside them that send large, packed, slow and broken bodies, and take no answer")
	fs.Int64Var(&o.memory, "memory", 0, "limit in `bytes` of the memory of the server that -model starts: a control group where one can be made, else its peak is compared; 0: none")
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
	case o.idle < 0 || o.hostile < 0 || o.idle+o.hostile > mostCrowd:
		return nil, cli.Usage("-idle %d -hostile %d: want 0 to %d together", o.idle, o.hostile, mostCrowd)
	case o.memory < 0 || o.memory > 0 && o.model == "":
		return nil, cli.Usage("-memory %d: want 0 or more, and -model, of a server that this program starts", o.memory)
	case o.hostile > 0 && !o.local():
		return nil, cli.Usage("-hostile %d -url %s: want a server on this machine, as with -model", o.hostile, o.url)
	case o.rows < 1 || o.connections < 1 || o.timeout <= 0:
		return nil, cli.Usage("-rows %d -connections %d -timeout %v: want at least 1, at least 1, and more than 0", o.rows, o.connections, o.timeout)
	}
	o.url = strings.TrimRight(o.url, "/")
	return o, nil
}

// local says whether the server is on this machine: a loopback address.
func (o *options) local() bool {
	if o.model != "" {
		return true
	}
	u, err := url.Parse(o.url)
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
}

// requests is how many there are in all.
func (o *options) requests() float64 { return math.Round(o.rate * o.duration.Seconds()) }
