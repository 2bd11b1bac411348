// Command beam fits a ridge head on the features of rows in many files, or maps files to features, on an engine that runs Apache Beam.
//
//	go -C train/beam run ./cmd/beam fit -train FILES -save model.safetensors \
//	    -recipe '{"scale": "standard", "spec": {"map": "gaussian", "features": 2048}}'
//	go -C train/beam run ./cmd/beam features -in FILES -load model.safetensors -out FOLDER
//
// Without flags of the Beam SDK the engine is Prism, in this process; -processes runs each worker in a process of its
// own. The model is that of `bochner fit --stream --head ridge`, and `bochner evaluate` evaluates it.
//
// Of local tables whose first has a header the columns are learned and found by their names, as by bochner fit, and
// of others where the recipe has columns.
//
// # Other engines
//
// What follows is how the SDK's documentation says it is done, and is not tested here. Workers run this program, built for their machine:
//
//	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go -C train/beam build -o beam ./cmd/beam
//
// Flink and Spark take jobs through a job server of Beam (images apache/beam_flink1.19_job_server, apache/beam_spark3_job_server), and start
// workers in containers of the SDK (apache/beam_go_sdk:2.77.0), or where there is no Docker from a pool of workers (-environment_type
// EXTERNAL). Files are in a folder that all containers share, or in gs://:
//
//	beam fit -runner flink -endpoint HOST:8099 -environment_type DOCKER -environment_config apache/beam_go_sdk:2.77.0 \
//	    -worker_binary ./beam -parallelism 16 -timeout 6h -train 'gs://BUCKET/part-*' -save gs://BUCKET/model.safetensors
//	beam fit -runner spark -endpoint HOST:8099 ... as for flink
//	beam fit -runner dataflow -project PROJECT -region REGION -staging_location gs://BUCKET/staging -worker_binary ./beam \
//	    -timeout 6h -train 'gs://BUCKET/part-*' -save gs://BUCKET/model.safetensors
//
// Prism runs nothing twice. Dataflow runs a bundle of work four times before the job fails, and Spark a task (spark.task.maxFailures); Flink not
// again unless a restart strategy is set, for a job like this fixed-delay. Where the deadline passes, the job is cancelled at the job server; on
// Dataflow it must be cancelled by hand, and the message says so.
//
// The exit status is 0, 2 for a wrong flag, 1 for bad data or a failure, 128 + n after signal n, with one line on stderr.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/bochner-go/bochner/train/cmd/program"
	_ "github.com/bochner-go/bochner/train/data/parquet"
)

// usage is a wrong flag.
func usage(format string, args ...any) error {
	return program.Usage(format+"; -h lists the flags", args...)
}

func main() { program.Main("beam", run) }

// commands by name. Each registers its flags beside the SDK's and returns what to do once they are read.
var commands = map[string]func(fs *flag.FlagSet) func(ctx context.Context) error{
	"fit": fitCommand, "features": featuresCommand,
}

func run(ctx context.Context, args []string) error {
	fs := flag.CommandLine // the SDK's flags are there
	fs.Init("beam", flag.ContinueOnError)
	fs.StringVar(&log.LogLevel, "log", log.LogLevel, "what workers and engine tell, on stderr: debug, info, warn, error (default nothing)")
	do := func(context.Context) error { return usage("want fit or features, and then flags") }
	if len(args) > 0 && commands[args[0]] != nil {
		do, args = commands[args[0]](fs), args[1:]
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usage("%v", err)
	}
	beam.Init() // a worker stays here
	if !set(fs, "log") {
		slog.SetDefault(slog.New(slog.DiscardHandler)) // a failure comes back as an error
	}
	if fs.NArg() > 0 {
		return usage("unexpected argument %q", fs.Arg(0))
	}
	return do(ctx)
}
