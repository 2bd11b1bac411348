package service

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// fromKnownHosts refuses requests that give another host than this machine or one of more, where the server listens to
// this machine alone: a page of another site may have its own name resolved to 127.0.0.1, and would read the answers.
func (s *server) fromKnownHosts(listens net.Addr, h http.Handler) http.Handler {
	at, ok := listens.(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() || slices.Contains(s.hosts, "*") {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
		local := host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
		if !local && !slices.ContainsFunc(s.hosts, func(name string) bool { return strings.EqualFold(name, host) }) {
			w.Header().Set("Connection", "close") // the body is not read
			s.refuse(w, refusal(http.StatusMisdirectedRequest,
				"the host %s is not this machine; ask for localhost, or start serve with -hosts and that name", quote(r.Host)))
			return
		}
		h.ServeHTTP(w, r)
	})
}
