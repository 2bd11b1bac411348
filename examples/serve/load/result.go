package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// result is what a run found out.
type result struct {
	Rate          float64 `json:"rate"`     // asked for, a second
	Achieved      float64 `json:"achieved"` // requests with an answer a second, until the last of them
	Seconds       float64 `json:"seconds"`
	Requests      int     `json:"requests"`
	Errors        int     `json:"errors"`
	First         string  `json:"first_error,omitempty"`
	Rows          int     `json:"rows"` // of a request
	InputDim      int     `json:"input_dim"`
	Format        string  `json:"format"`
	Latency       latency `json:"latency_seconds"`
	ServerSeconds float64 `json:"server_cpu_seconds"`
	ServerBytes   float64 `json:"server_resident_bytes"`

	Idle    int            `json:"idle_connections,omitempty"`
	Hostile int            `json:"hostile_connections,omitempty"`
	Answers map[string]int `json:"hostile_answers,omitempty"` // by status
	Limit   string         `json:"memory_limit,omitempty"`
	Peak    int64          `json:"server_peak_bytes,omitempty"`
}

type latency struct {
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

func (r *result) String() string {
	text := fmt.Sprintf("requests     %d of %d rows x %d as %s, %.1f a second (asked %g) for %.1f s\nerrors       %d\nlatency      %.1f ms median, %.1f ms 99 %%, %.0f ms largest\nserver       %.1f s of CPU, %.2f cores; %.0f MB of memory",
		r.Requests, r.Rows, r.InputDim, r.Format, r.Achieved, r.Rate, r.Seconds, r.Errors, 1e3*r.Latency.Median, 1e3*r.Latency.P99, 1e3*r.Latency.Max,
		r.ServerSeconds, r.ServerSeconds/r.Seconds, r.ServerBytes/(1<<20))
	if r.Idle+r.Hostile > 0 {
		text += fmt.Sprintf("\nbeside them  %d idle and %d hostile connections; answers to the latter by status: %v", r.Idle, r.Hostile, r.Answers)
	}
	if r.Limit != "" {
		text += fmt.Sprintf("\nlimit        %s; peak %d MB", r.Limit, r.Peak>>20)
	}
	return text
}

// usage is what the server's process has taken so far.
type usage struct{ seconds, bytes float64 }

// usage reads it from the metrics, in which an operating system may leave it out.
func (s *sender) usage() (u usage, err error) {
	err = s.get("/metrics", func(r io.Reader) error {
		for lines := bufio.NewScanner(r); ; {
			if !lines.Scan() {
				return lines.Err()
			}
			name, value, _ := strings.Cut(lines.Text(), " ")
			to := map[string]*float64{"process_cpu_seconds_total": &u.seconds, "process_resident_memory_bytes": &u.bytes}[name]
			if to == nil {
				continue
			}
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return err
			}
		}
	})
	return u, err
}
