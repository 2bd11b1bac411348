package service

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train/data"
)

// send sends the form of the page as a browser does, and returns the page.
func (r *running) send(t *testing.T, values ...string) (int, string) {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	resp := must(http.PostForm(r.url+"/", form))
	defer resp.Body.Close()
	kind, policy := resp.Header.Get("Content-Type"), resp.Header.Get("Content-Security-Policy")
	if kind != "text/html; charset=utf-8" || !strings.Contains(policy, "form-action 'self'") {
		t.Errorf("%s, %s", kind, policy)
	}
	return resp.StatusCode, string(must(io.ReadAll(resp.Body)))
}

// part is what a page has in an element.
func part(page, begin, end string) string {
	found := regexp.MustCompile(`(?s)` + begin + `(.*?)` + end).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

func resultOf(page string) string  { return part(page, `<pre role="status">`, `</pre>`) }
func rowsIn(page string) string    { return part(page, `<textarea[^>]*>`, `</textarea>`) }
func refusedBy(page string) string { return part(page, `role="alert">`, `</p>`) }

// TestForm: every page has a form, whose row is answered as /predict answers it; the controls of the distribution are
// there if the model has an uncertainty, and names are not treated as HTML.
func TestForm(t *testing.T) {
	models := sureModels()
	for _, m := range models {
		if m.Classes != nil {
			m.Classes[0] = "<i>high</i>"
		}
	}
	models["plain classes"], models["plain target"] = newModel("gaussian", 3, 1), newModel("exp-semigroup", 1, 1)
	models["table"] = tableModel(data.ColumnOptions{})
	for name, m := range models {
		r := runServer(t, m, nil)
		_, page := r.get(t, "/")
		row, query := rowsIn(page), ""
		values := []string{"rows", row}
		if m.Uncertainty == nil {
			for _, not := range []string{"checkbox", "level", "uncertainty"} {
				if strings.Contains(page, not) {
					t.Errorf("%s: the page holds %q", name, not)
				}
			}
			status, page := r.send(t, "rows", row, "distribution", "true")
			if !strings.Contains(refusedBy(page), "the model has no uncertainty") || status != http.StatusBadRequest {
				t.Errorf("%s: %d %s", name, status, refusedBy(page))
			}
		} else {
			holds(t, name, page, `<input type="checkbox" id="distribution" name="distribution" value="true">`,
				`<label for="distribution">`, `name="level" min="0" max="0.99`, `step="any" value="0.9">`,
				`<label for="level">`, `<label for="rows">`, "<th>uncertainty<td>", " held-out rows")
			values, query = append(values, "distribution", "true", "level", "0.75"), "?distribution=true&level=0.75"
		}
		_, want := r.post(t, query, typeJSON, row)
		status, page := r.send(t, values...)
		var got map[string]any
		err := json.Unmarshal([]byte(resultOf(page)), &got)
		if err != nil || status != http.StatusOK || !reflect.DeepEqual(got, want) || rowsIn(page) != row ||
			strings.Contains(page, "<i>") {
			t.Errorf("%s: %d %v, want %v: %v", name, status, got, want, err)
		}
	}
}

// TestFormRefusals: what is wrong with a form is said on the page with a status, beside what was sent.
func TestFormRefusals(t *testing.T) {
	r := runServer(t, sureModel("exp-semigroup", 1, nil, false), nil)
	good := asJSON(randomRows(2, 1))
	for _, tc := range []struct {
		values []string
		status int
		text   string
	}{
		{[]string{"rows", ""}, 400, "body, byte 0: it ends early"},
		{[]string{"rows", `{"rows": [[1,2]]}<script>`}, 422, "row 0 has 2 numbers, the model takes 5"},
		{[]string{"rows", `{"rows": [[1,2,-3,4,5]]}`}, 422, "x[0,2] = -3 is negative"},
		{[]string{"rows", good, "distribution", "true", "level", "<script>"}, 400, `?level="<script>": want a probability`},
		{[]string{"rows", good, "distribution", "true", "level", "0.9999"}, 422, "the level 0.9999 needs the scores of"},
		{[]string{"rows", good, "distribution", "yes"}, 400, "want true or false"},
		{[]string{"rows", asJSON(randomRows(51, 1))}, 413, "more than 50 rows"},
		{[]string{"rows", strings.Repeat(" ", 1<<17)}, 413, "more than 65536 bytes"},
	} {
		status, page := r.send(t, tc.values...)
		if status != tc.status || !strings.Contains(refusedBy(page), tc.text) || strings.Contains(page, "<script>") ||
			resultOf(page) != "" {
			t.Errorf("%.100q: %d %s, want %d %s", tc.values, status, refusedBy(page), tc.status, tc.text)
		}
		if tc.status != 413 && rowsIn(page) != tc.values[1] {
			t.Errorf("%.100q: the rows that were sent are lost", tc.values)
		}
	}
	resp := must(http.Post(r.url+"/", "text/plain", strings.NewReader("rows=1")))
	page := string(must(io.ReadAll(resp.Body)))
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(page, "forms to /") {
		t.Errorf("text/plain: %s %s", resp.Status, page)
	}
	r.counts(t, `bochner_predict_requests_total{code="422"} 3`) // forms too
}

// TestFormMany: a long answer is cut.
func TestFormMany(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxRows, o.MaxBody = 8000, 1<<20 })
	status, page := r.send(t, "rows", `{"rows": [`+strings.Repeat("[1,2,3,4,5],", 7999)+`[1,2,3,4,5]]}`)
	if result := resultOf(page); status != http.StatusOK || !strings.HasSuffix(result, "/predict has all") ||
		len(result) > mostResult+100 {
		t.Errorf("%d %d bytes, %s", status, len(result), refusedBy(page))
	}
}
