package service

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics tells, besides the Go runtime's and the process's own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by status
	seconds  *prometheus.HistogramVec // of a request, from its head to its answer
	inFlight prometheus.Gauge
	rows     prometheus.Counter
	loads    *prometheus.CounterVec // by result
	loadedAt prometheus.Gauge
	model    *prometheus.GaugeVec
}

// newMetrics asks held for the bytes and open for the number of connections when it is asked.
func newMetrics(held func() int64, open func() int) *metrics {
	const ns = "bochner"
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "predict_requests_total", Help: "Requests to /predict and of the form of the page, by status."}, []string{"code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: ns, Name: "predict_seconds", Help: "Time from the head of such a request to its answer.",
			Buckets: prometheus.ExponentialBuckets(.00025, 2, 16)}, nil), // to 8 s
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: ns, Name: "predict_in_flight", Help: "Such requests that have no answer yet."}),
		rows:     prometheus.NewCounter(prometheus.CounterOpts{Namespace: ns, Name: "predicted_rows_total", Help: "Rows that were predicted."}),
		loads:    prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "model_loads_total", Help: "Model files read, by result."}, []string{"result"}),
		loadedAt: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: ns, Name: "model_loaded_timestamp_seconds", Help: "When the model that is served was taken over."}),
		model:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: ns, Name: "model_info", Help: "The model that is served."}, []string{"sha256", "map", "features"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.inFlight, m.rows, m.loads, m.loadedAt, m.model,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: ns, Name: "predict_held_bytes", Help: "Memory that the requests in flight hold of their budget, half of what -max-memory leaves beside the model."}, func() float64 { return float64(held()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: ns, Name: "open_connections", Help: "Connections."}, func() float64 { return float64(open()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, result := range []string{"ok", "failed"} { // there from the start, so that a rate has something to start from
		m.loads.WithLabelValues(result)
	}
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 8})
}

// instrument counts and times the requests of a handler.
func (m *metrics) instrument(h http.Handler) http.Handler {
	return promhttp.InstrumentHandlerInFlight(m.inFlight, promhttp.InstrumentHandlerDuration(m.seconds, promhttp.InstrumentHandlerCounter(m.requests, h)))
}

// took notes that a model is served from now on.
func (m *metrics) took(c card) {
	m.loads.WithLabelValues("ok").Inc()
	m.loadedAt.SetToCurrentTime()
	m.model.Reset()
	m.model.WithLabelValues(c.SHA256, c.Map, strconv.Itoa(c.Features)).Set(1)
}
