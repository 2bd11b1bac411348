package submit

import "strings"

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

func jobError(err error) error {
	if err == nil {
		return nil
	}
	return &JobError{err}
}
