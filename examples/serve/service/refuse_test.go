package service

import (
	"bufio"
	"bytes"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestRefusals: what is wrong with a request is a 4xx with the place and the remedy, whatever its form.
func TestRefusals(t *testing.T) {
	r := runServer(t, newModel("exp-semigroup", 3, 1), nil)
	const j, n = typeJSON, typeNPY
	const window = "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00" // a zstd body that asks for one of 2^27 bytes
	npy := func(rows, cols int, set ...float64) string {
		v := make([]float64, rows*cols)
		copy(v, set)
		return asNPY(rows, cols, v)
	}
	for _, tc := range []struct {
		kind, body string
		status     int
		texts      []string
	}{
		{j, ``, 400, []string{"byte 0", "ends early", `send {"rows"`}},
		{j, `{"rows": [[1,2,3,4,5]`, 400, []string{"byte 21", "ends early"}},
		{j, `{"rows": [[1,2,3,4,5]]} x`, 400, []string{"byte 24", "there is more after the end"}},
		{j, `[[1,2,3,4,5]]`, 400, []string{"byte 1", "[ where { should be", `send {"rows": [[1, 2, ...], ...]}`}},
		{j, `{"` + strings.Repeat("r", 5000) + `": 1}`, 400, []string{`"rrrr`, `rr"... where "rows" should be`}},
		{j, `{"rows": [[1,2,3,4,5]], "k": 1}`, 400, []string{"byte 27", `"k" where } should be`}},
		{j, `{"rows": [[1,2,.5,4,5]]}`, 400, []string{`x[0,2] is ".5", which is not a value in JSON`}},
		{j, `{"rows": [[1,2,,4,5]]}`, 400, []string{"byte 15: invalid character ',' looking for beginning of value"}},
		{j, `{"rows": [[1,2,3,4,` + strings.Repeat("1", 900) + `]]}`, 422, []string{"x[0,4] = +Inf (the text", "too large for float64; scale the values"}},
		{j, `{"rows": []}`, 422, []string{"no rows to predict"}},
		{j, `{"rows": [[]]}`, 422, []string{"row 0 has 0 numbers, the model takes 5"}},
		{j, `{"rows": [[1,2,3,4,5],[1,2,3,4]]}`, 422, []string{"row 1 has 4 numbers, the model takes 5"}},
		{j, `{"rows": [[1,2,3,4,5,6]]}`, 422, []string{"row 0 has more than the 5 numbers that the model takes"}},
		{j, `{"rows": [[1,2,3,4,5],[1,2,NaN,4,5]]}`, 422, []string{"x[1,2] = NaN is not a finite number; drop the row or fill the value in"}},
		{j, `{"rows": [[1,2,null,4,5]]}`, 422, []string{"x[0,2] is null, not a number; drop the row or fill the value in"}},
		{j, `{"rows": [[1,2,"NaN, or not",4,5]]}`, 422, []string{`x[0,2] is "NaN, or not", not a number`}},
		{j, `{"rows": [[1,2,[3],4,5]]}`, 422, []string{`x[0,2] is [, not a number`}},
		{j, `{"rows": [[1,2,3,4,1e-999]]}`, 422, []string{"x[0,4]", "1e-999", "becomes 0 in float64"}},
		{j, `{"rows": [[1,2,3,4,5],[1,2,-3,4,5]]}`, 422, []string{"x[1,2] = -3 is negative", "histograms"}},
		{j, `{"rows": [` + strings.Repeat("[1,2,3,4,5],", 51) + `]}`, 413, []string{"more than 50 rows; send them in several requests"}},
		{j, `{"rows": [` + strings.Repeat(" ", 1<<16) + `]}`, 413, []string{"more than 65536 bytes; send its rows in several requests"}},
		{n, ``, 400, []string{"body", "is empty"}},
		{n, npy(2, dims)[:150], 400, []string{"truncated"}},
		{n, npy(2, dims) + "x", 400, []string{"trailing garbage"}},
		{n, npy(2, dims-1), 422, []string{"the array has 4 features, want 5"}},
		{n, npy(2, dims, 1, 2, 3, 4, 5, 6, math.NaN()), 422, []string{"x[1,1] = NaN is not a finite number; drop the row or fill the value in"}},
		{n, npy(2, dims, 0, -1), 422, []string{"x[0,1] = -1 is negative"}},
		{n, npy(51, dims), 413, []string{"more than 50 rows; send them in several requests"}},
		{n, npy(2000, dims), 413, []string{"more than 65536 bytes"}},
		{n, clitest.Gzip(npy(1000, dims)), 413, []string{"more than 50 rows"}},
		{n, window, 400, []string{"larger window than is allowed; pack them without --long"}},
		{n, asJSON(randomRows(2, 1)), 400, []string{"mark of an .npy file"}},
		{"", asJSON(randomRows(2, 1)), 415, []string{`Content-Type is ""`, "send application/json"}},
		{"text/csv", "1,2,3,4,5\n", 415, []string{`"text/csv"`, "send application/json", typeNPY}},
		{"application/json;;", asJSON(randomRows(2, 1)), 415, []string{"application/json;;"}},
	} {
		r.refuses(t, "", tc.kind, tc.body, tc.status, tc.texts...)
	}
	r.refuses(t, "?scores=maybe", j, asJSON(randomRows(2, 1)), 400, "want true or false")
	r.works(t) // none of it has done any harm
}

// TestClientErrors: chunks that are none, what is not looked at and texts in other charsets are the client's errors, and
// nothing of them is logged.
func TestClientErrors(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	var lines bytes.Buffer
	r.log.SetOutput(&lines)
	for _, chunks := range []string{"zz\r\n", "5\r\n{\"rowsXX\r\n", "fffffffffffffffff\r\n", "3\r\n{\"r\r\n0\r\nbad trailer\r\n\r\n"} {
		conn := r.dial(t, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks)
		resp := must(http.ReadResponse(bufio.NewReader(conn), nil))
		wantRefusal(t, chunks, resp.StatusCode, object(t, resp), 400, "the body cannot be read")
	}
	body := asJSON(randomRows(2, 1))
	for _, tc := range []struct{ query, kind, text string }{
		{"?score=true", typeJSON, `there is no ?"score"; there are scores, distribution and level`},
		{"?scores=true&scores=false", typeJSON, "?scores is there 2 times"},
		{"", "application/json; charset=utf-16", `the charset is "utf-16"; send UTF-8`},
		{"", "application/json; charset=iso-8859-1", "send UTF-8"},
	} {
		r.refuses(t, tc.query, tc.kind, body, 400, tc.text)
	}
	if status, ob := r.post(t, "?scores=true", "application/json; charset=UTF-8", body); status != http.StatusOK {
		t.Errorf("UTF-8: %d %v", status, ob)
	}
	const form = "application/x-www-form-urlencoded"
	for _, tc := range []struct{ query, kind, body string }{
		{"", form, "row=1"}, {"?scores=true", form, "rows=1"}, {"", form + "; charset=utf-16", "rows=1"},
	} {
		resp := must(http.Post(r.url+"/"+tc.query, tc.kind, strings.NewReader(tc.body)))
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%+v: %s", tc, resp.Status)
		}
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if text := lines.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "stopping") {
		t.Errorf("the log says %q", text)
	}
}

// TestHosts: a server of this machine alone answers to its names and to those that it is given, whatever the page; one
// of any other address to every name. No other site may frame the page.
func TestHosts(t *testing.T) {
	ask := func(r *running, host string) *http.Response {
		req := must(http.NewRequest(http.MethodGet, r.url+"/", nil))
		req.Host = host
		resp := must(http.DefaultClient.Do(req))
		resp.Body.Close()
		return resp
	}
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Hosts = []string{"models.example"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "LOCALHOST.": 200, "a.localhost": 200, "127.0.0.1:1": 200, "127.1.2.3": 200, "[::1]:80": 200,
		"models.example": 200, "Models.Example:443": 200, "evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421,
		"192.0.2.1": 421, "0.0.0.0": 421,
	} {
		if resp := ask(r, host); resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", host, resp.Status, want)
		}
	}
	if policy := ask(r, "localhost").Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	any := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Hosts = []string{"*"} })
	if resp := ask(any, "evil.example"); resp.StatusCode != http.StatusOK {
		t.Errorf("any host: %s", resp.Status)
	}
	wide := r.knownHosts(&net.TCPAddr{IP: net.IPv4zero, Port: 80}, http.NotFoundHandler())
	answer := httptest.NewRecorder()
	wide.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://evil.example/", nil))
	if answer.Code != http.StatusNotFound {
		t.Errorf("an address of all networks: %d", answer.Code)
	}
}

// TestOtherRequests: other methods, pages and encodings are refused, and the remedy said.
func TestOtherRequests(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	for _, tc := range []struct {
		method, page, encoding string
		status                 int
		text                   string
	}{
		{http.MethodGet, "/predict", "", 405, "serve: /predict does not take GET; use POST"},
		{http.MethodGet, "/model.safetensors", "", 404, "serve: there is no page /model.safetensors;"},
		{http.MethodPost, "/predict", "gzip", 415, `"gzip"; send the body as it is`},
	} {
		req := must(http.NewRequest(tc.method, r.url+tc.page, strings.NewReader("x")))
		req.Header.Set("Content-Type", typeJSON)
		req.Header.Set("Content-Encoding", tc.encoding)
		resp := must(http.DefaultClient.Do(req))
		wantRefusal(t, tc.page, resp.StatusCode, object(t, resp), tc.status, tc.text)
	}
}
