package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/bochner-go/bochner/ops/blas"
)

// hostInfo names the machine that the numbers are of.
type hostInfo struct {
	CPU      string `json:"cpu"`
	CPUs     int    `json:"machine_cores"`
	ISA      string `json:"isa"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Load     string `json:"load"` // the load averages at the start, where the system tells
}

func machine() hostInfo {
	h := hostInfo{CPU: "unknown CPU", CPUs: runtime.NumCPU(), ISA: blas.ISA(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for _, line := range strings.Split(string(text), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				h.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) >= 3 {
			h.Load = strings.Join(f[:3], " ")
		}
	}
	return h
}

func (h hostInfo) String() string {
	s := fmt.Sprintf("%s, %d cores, %s, %s %s", h.CPU, h.CPUs, h.ISA, h.Go, h.Platform)
	if h.Load != "" {
		s += ", load at the start " + h.Load
	}
	return s
}

// tableHead names the machine and the columns. A column for each setting says how many times as long the peer takes.
func tableHead(h hostInfo, runs int, settings []setting) string {
	head, rule := "| rows×columns→features | map | type | cores | ms | ns/output | GFLOP/s | of the FMA peak |", "|---|---|---|---|---|---|---|---|"
	for _, s := range settings {
		head += fmt.Sprintf(" peer, %s: ms (ratio) |", s.name)
		rule += "---|"
	}
	return fmt.Sprintf("%v; median of %d\n\n%s\n%s\n", h, runs, head, rule)
}

// tableRows are the rows of a cell.
func tableRows(found []measurement, settings []setting) string {
	var b strings.Builder
	for _, m := range found {
		if m.Lib != "bochner" {
			continue
		}
		fmt.Fprintf(&b, "| %d×%d→%d | %s | %s | %d | %.3g | %.3g | %s | %s |", m.N, m.Dims, m.Features, m.Map, m.Dtype, m.Cores,
			m.MS, m.NSPerOut, unless0("%.0f", m.GFLOPS), unless0("%.0f %%", 100*m.PeakShare))
		for _, s := range settings {
			if p, ok := peer(found, m, s); ok {
				fmt.Fprintf(&b, " %.3g (%.2f) |", p.MS, p.MS/m.MS)
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// unless0 leaves a cell empty for what was not measured.
func unless0(format string, v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// peer finds what one of our measurements is set against.
func peer(found []measurement, m measurement, s setting) (measurement, bool) {
	for _, p := range found {
		if p.Lib != "bochner" && p.Map == peerOf[m.Map] && p.Setting == s.name {
			return p, true
		}
	}
	return measurement{}, false
}
