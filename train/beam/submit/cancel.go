package submit

import (
	"context"
	"fmt"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

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
