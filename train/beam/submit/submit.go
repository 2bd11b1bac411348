// Package submit runs pipelines of package beam, on the engine that the flags of the Beam SDK name; without them on Prism, inside
// this process.
//
//	-runner flink|spark|dataflow|universal   the engine (default prism)
//	-endpoint HOST:PORT                      its job service
//	-environment_type, -environment_config   how it starts workers: DOCKER and an image, EXTERNAL and a pool of workers, LOOPBACK
//	-worker_binary FILE                      the program that they run; this one, built for their machine
//
// A program calls flag.Parse and beam.Init first: as a worker it does not return from the latter.
package submit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/bochner-go/bochner/ops/domain"
)

// Options say how to run a pipeline.
type Options struct {
	// Timeout is the time after which the job has failed. It must be above 0: an engine that has lost a worker may wait for it without end.
	Timeout time.Duration
	// Processes puts the workers into processes of their own on this machine, of the same program. One that ends before the job ends it,
	// with its exit status and the last that it said. For the engine in this process, and for one that listens on this machine.
	Processes bool
}

// running is the job in hand: the options of the SDK are global to the process.
var running sync.Mutex

// embedded says that the engine is the Prism of this process, which its first job starts and the later ones find.
var embedded bool

// Run submits a pipeline and waits until it is done. An error tells the cause: the cause of the worker, as the engine passes it on (a JobError), a
// worker that ended (ErrWorker), the deadline (context.DeadlineExceeded), or the error of ctx; after the latter three the engine is asked to
// cancel the job. Errors besides: domain.ErrParam without a Timeout.
func Run(ctx context.Context, p *beam.Pipeline, o Options) error {
	if o.Timeout <= 0 {
		return fmt.Errorf("submit: Timeout = %v; a job needs a deadline above 0: %w", o.Timeout, domain.ErrParam)
	}
	running.Lock()
	defer running.Unlock()
	late := fmt.Errorf("submit: the job was not done after %v; raise the timeout, or look for what the engine waits for: %w", o.Timeout, context.DeadlineExceeded)
	ctx, fail := withoutDeadline(ctx)
	defer fail(nil)
	defer time.AfterFunc(o.Timeout, func() { fail(late) }).Stop()
	embedded = embedded || *jobopts.Endpoint == "" && slices.Contains([]string{"", "prism", "prismrunner"}, strings.ToLower(*runners.Runner))
	var exited <-chan error
	switch {
	case o.Processes:
		pool, err := startPool(fail)
		if err != nil {
			return err
		}
		defer pool.stop()
		exited = pool.exited
	case embedded && *jobopts.EnvironmentType == "":
		defer set(jobopts.EnvironmentType, "LOOPBACK")()
	}
	name := jobopts.GetJobName()
	defer set(jobopts.JobName, name)()
	done := make(chan error, 1)
	go func() { done <- beamx.Run(ctx, p) }()
	select {
	case err := <-done:
		if err != nil && o.Processes { // by a worker that ended, perhaps: the pool knows how
			select {
			case <-ctx.Done():
			case cause := <-exited:
				return errors.Join(cause, &JobError{err})
			case <-time.After(poolWithin):
			}
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() == nil:
			return &JobError{err}
		}
		done <- err
	case <-ctx.Done():
	}
	err := cancel(name)
	select {
	case <-done:
	case <-time.After(cancelWithin): // an engine's client that does not look at ctx is not waited for
	}
	return errors.Join(context.Cause(ctx), err)
}

// withoutDeadline is a context that ends with ctx and shows no deadline: one would travel to the workers of this process, and Prism panics where
// their connections end by a deadline and not by being cancelled.
func withoutDeadline(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return inner, func(cause error) {
		stop()
		cancel(cause)
	}
}

// set changes an option of the SDK until the function that it returns is called.
func set(option *string, value string) func() {
	old := *option
	*option = value
	return func() { *option = old }
}

// JobError is a job that failed, as the engine tells it: with the plan of the stage, and the stack of a panic.
type JobError struct{ Err error }

// Error is the end of what the engine tells, which is the cause.
func (e *JobError) Error() string {
	text := e.Err.Error()
	if i := strings.LastIndex(text, "caused by:"); i >= 0 {
		text = text[i+len("caused by:"):]
	}
	if i := strings.Index(text, "goroutine "); i > 0 && strings.Contains(text, "[running]:") {
		text = text[:i]
	}
	return "submit: the job failed: " + strings.TrimSpace(text)
}

// Unwrap is all that the engine tells.
func (e *JobError) Unwrap() error { return e.Err }

// cancelWithin is how long an engine has to take a cancellation.
const cancelWithin = 10 * time.Second

// cancel tells the engine's job service to cancel the job of that name.
func cancel(name string) error {
	if r := strings.ToLower(*runners.Runner); strings.HasPrefix(r, "dataflow") {
		return fmt.Errorf("submit: the job %s may still run on Dataflow; cancel it there (gcloud dataflow jobs cancel)", name)
	}
	if *jobopts.Endpoint == "" {
		return nil // no engine was reached yet
	}
	ctx, stop := context.WithTimeout(context.Background(), cancelWithin)
	defer stop()
	fail := func(err error) error {
		return fmt.Errorf("submit: the job %s could not be cancelled at %s; see that it has ended: %w", name, *jobopts.Endpoint, err)
	}
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, cancelWithin)
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	client := jobpb.NewJobServiceClient(conn)
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return fail(err)
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetJobName() != name {
			continue
		}
		if _, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job.GetJobId()}); err != nil {
			return fail(err)
		}
	}
	return nil
}
