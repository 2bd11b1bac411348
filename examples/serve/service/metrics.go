package service

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics of /metrics that package prometheus does not collect itself.
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

// newMetrics makes the metrics; held are bytes and open connections.
func newMetrics(held, open *atomic.Int64) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	own := promauto.With(prometheus.WrapRegistererWithPrefix("bochner_", registry))
	gauge := func(name, help string, v *atomic.Int64) {
		own.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(v.Load()) })
	}
	gauge("predict_held_bytes", "Memory that the requests in flight hold.", held)
	gauge("open_connections", "Connections.", open)
	m := &metrics{
		registry: registry,
		requests: own.NewCounterVec(prometheus.CounterOpts{Name: "predict_requests_total",
			Help: "Requests to /predict and of the form of the page, by status."}, []string{"code"}),
		seconds: own.NewHistogramVec(prometheus.HistogramOpts{Name: "predict_seconds",
			Help:    "Time from the head of such a request to its answer.",
			Buckets: prometheus.ExponentialBuckets(.00025, 2, 16)}, nil), // to 8 s
		inFlight: own.NewGauge(prometheus.GaugeOpts{Name: "predict_in_flight",
			Help: "Such requests that have no answer yet."}),
		rows: own.NewCounter(prometheus.CounterOpts{Name: "predicted_rows_total", Help: "Rows that were predicted."}),
		loads: own.NewCounterVec(prometheus.CounterOpts{Name: "model_loads_total",
			Help: "Model files read, by result."}, []string{"result"}),
		loadedAt: own.NewGauge(prometheus.GaugeOpts{Name: "model_loaded_timestamp_seconds",
			Help: "When the current model was loaded."}),
		model: own.NewGaugeVec(prometheus.GaugeOpts{Name: "model_info", Help: "The current model."},
			[]string{"sha256", "map", "features"}),
	}
	for _, result := range []string{"ok", "failed"} { // so that both exist from the start
		m.loads.WithLabelValues(result)
	}
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 8})
}

// instrument counts and times the requests of a handler.
func (m *metrics) instrument(h http.HandlerFunc) http.Handler {
	return promhttp.InstrumentHandlerInFlight(m.inFlight,
		promhttp.InstrumentHandlerDuration(m.seconds, promhttp.InstrumentHandlerCounter(m.requests, h)))
}

// took records that a model is served from now on.
func (m *metrics) took(c card) {
	m.loads.WithLabelValues("ok").Inc()
	m.loadedAt.SetToCurrentTime()
	m.model.Reset()
	m.model.WithLabelValues(c.SHA256, c.Map, strconv.Itoa(c.Features)).Set(1)
}
