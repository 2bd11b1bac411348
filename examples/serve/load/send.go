package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

// sender sends the requests of a run.
type sender struct {
	*options
	client *http.Client
	bodies [][]byte

	mu        sync.Mutex
	latencies []float64 // seconds, of those with a right answer
	failed    int
	first     error
}

// send makes the run.
func send(ctx context.Context, o *options) (*result, error) {
	s := &sender{options: o, client: &http.Client{Timeout: o.timeout, Transport: &http.Transport{MaxIdleConnsPerHost: o.connections}}}
	defer s.client.CloseIdleConnections()
	var card target
	if err := s.get("/model", func(r io.Reader) error { return json.NewDecoder(r).Decode(&card) }); err != nil {
		return nil, err
	}
	var err error
	if s.bodies, err = makeBodies(o, card); err != nil {
		return nil, err
	}
	before, err := s.usage()
	if err != nil {
		return nil, err
	}
	around, leave := context.WithCancel(ctx)
	defer leave()
	c, err := gather(around, s.url, card, s.idle, s.hostile)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	err = s.all(ctx, begin)
	took := time.Since(begin)
	leave()
	c.group.Wait()
	if err != nil {
		return nil, err
	}
	after, err := s.usage()
	if err != nil {
		return nil, err
	}
	r := s.result(card.InputDim, took, before, after)
	r.Idle, r.Hostile, r.Answers = s.idle, s.hostile, c.answers
	return r, nil
}

// all sends the requests, each at its time or as soon after it as a connection is free.
func (s *sender) all(ctx context.Context, begin time.Time) error {
	n := int(s.requests())
	due := make(chan int, n) // so that the clock never waits for the server
	var workers sync.WaitGroup
	for range s.connections {
		workers.Go(func() {
			for i := range due {
				s.note(s.one(ctx, s.bodies[i%len(s.bodies)]), time.Since(begin.Add(s.at(i))))
			}
		})
	}
	bar := cli.NewProgress("requests")
	defer bar.Close()
	var err error
	for i := 0; i < n && err == nil; i++ {
		select {
		case <-time.After(time.Until(begin.Add(s.at(i)))):
			due <- i
			bar.Step(i+1, n, "")
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	close(due)
	workers.Wait()
	return err
}

// at is when request i is due.
func (s *sender) at(i int) time.Duration {
	return time.Duration(float64(i) / s.rate * float64(time.Second))
}

// one sends a request and wants an answer for each of its rows.
func (s *sender) one(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/predict", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentTypes[s.format])
	resp, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(text))
	}
	var answer struct{ Classes, Targets, Scores []json.RawMessage }
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if n := max(len(answer.Classes), len(answer.Targets), len(answer.Scores)); n != s.rows {
		return fmt.Errorf("%d rows have %d predictions", s.rows, n)
	}
	return nil
}

func (s *sender) note(err error, latency time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.latencies = append(s.latencies, latency.Seconds())
		return
	}
	if s.failed++; s.first == nil {
		s.first = err
	}
}

// get reads a page of the server.
func (s *sender) get(page string, read func(io.Reader) error) error {
	resp, err := s.client.Get(s.url + page)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s%s: %s; is it a server of examples/serve?", s.url, page, resp.Status)
	}
	if err := read(resp.Body); err != nil {
		return fmt.Errorf("%s%s: %w", s.url, page, err)
	}
	return nil
}

// quantile of sorted numbers.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (s *sender) result(dims int, took time.Duration, before, after usage) *result {
	slices.Sort(s.latencies)
	r := &result{Rate: s.rate, Achieved: s.requests() / max(took, s.duration).Seconds(), Seconds: took.Seconds(), Requests: int(s.requests()), Errors: s.failed,
		Rows: s.rows, InputDim: dims, Format: s.format,
		Latency:       latency{quantile(s.latencies, .5), quantile(s.latencies, .99), quantile(s.latencies, 1)},
		ServerSeconds: after.seconds - before.seconds, ServerBytes: after.bytes}
	if s.first != nil {
		r.First = s.first.Error()
	}
	return r
}
