package service

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// send sends the form of the page as a browser does, and returns the page.
func (r *running) send(t *testing.T, values ...string) (int, string) {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	resp, err := http.PostForm(r.url+"/", form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind, policy := resp.Header.Get("Content-Type"), resp.Header.Get("Content-Security-Policy"); kind != "text/html; charset=utf-8" || !strings.Contains(policy, "form-action 'self'") {
		t.Errorf("%s, %s", kind, policy)
	}
	return resp.StatusCode, string(must(io.ReadAll(resp.Body)))
}

// lines are the cells of the table of predictions.
func lines(page string) (out [][]string) {
	table := regexp.MustCompile(`(?s)<caption>.*?</table>`).FindString(page)
	for _, line := range regexp.MustCompile(`<tr>.*`).FindAllString(table, -1) {
		var cells []string
		for _, cell := range regexp.MustCompile(`<t[dh](?: scope="[a-z]*")?>([^<]*)`).FindAllStringSubmatch(line, -1) {
			cells = append(cells, html.UnescapeString(cell[1]))
		}
		out = append(out, cells)
	}
	return out
}

func wantTexts(t *testing.T, what, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s: the page does not hold %q:\n%s", what, text, page)
		}
	}
}

// TestFormControls: every page has a form, whose row is answered; the controls of the distribution, each with a label,
// are there where the model has an uncertainty, and the card says what it has.
func TestFormControls(t *testing.T) {
	for name, m := range sureModels() {
		r := runServer(t, m, nil)
		_, page := r.get(t, "/")
		wantTexts(t, name, page, `<input type="checkbox" id="distribution" name="distribution" value="true">`, `<label for="distribution">`,
			`<input type="number" id="level" name="level" min="0" max="0.99`, `step="any" value="0.9">`, `<label for="level">`, `<label for="rows">`,
			`<button type="submit">`, "<th>uncertainty<td>", " held-out rows")
		row := html.UnescapeString(regexp.MustCompile(`<textarea[^>]*>([^<]*)`).FindStringSubmatch(page)[1])
		status, page := r.send(t, "rows", row, "level", "0.9")
		if got := lines(page); status != http.StatusOK || len(got) != 1+targetsOf(m) {
			t.Errorf("%s: %d %q", name, status, got)
		}
	}
}

// targetsOf is the number of lines of a row.
func targetsOf(m *train.Model) int {
	if m.Classes != nil {
		return 1
	}
	return m.Head.Features()
}

// TestFormPlain: a model without an uncertainty has no such control, and says so to those who ask all the same.
func TestFormPlain(t *testing.T) {
	for name, m := range map[string]*train.Model{"classes": newModel("gaussian", 3, 1), "target": newModel("exp-semigroup", 1, 1), "table": tableModel(data.ColumnOptions{})} {
		r := runServer(t, m, nil)
		_, page := r.get(t, "/")
		for _, not := range []string{"checkbox", "level", "uncertainty"} {
			if strings.Contains(page, not) {
				t.Errorf("%s: the page holds %q", name, not)
			}
		}
		row := html.UnescapeString(regexp.MustCompile(`<textarea[^>]*>([^<]*)`).FindStringSubmatch(page)[1])
		status, page := r.send(t, "rows", row)
		if got := lines(page); status != http.StatusOK || len(got) != 2 || len(got[1]) != 2 {
			t.Errorf("%s: %d %q", name, status, got)
		}
		status, page = r.send(t, "rows", row, "distribution", "true")
		if status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, status)
		}
		wantTexts(t, name, page, `<p class="refused" role="alert">?distribution=true: the model has not learned its uncertainty`)
		_, text := r.get(t, "/model")
		if strings.Contains(text, "uncertainty") {
			t.Errorf("%s: the card is %s", name, text)
		}
	}
}

// TestFormResult: the page shows what /predict answers, and keeps what was sent; names are not taken for HTML.
func TestFormResult(t *testing.T) {
	body := asJSON(randomRows(3, 1))
	x := mat.NewDense(3, dims, randomRows(3, 1).Float64s())
	target := sureModel("gaussian", 2, nil, false)
	r := runServer(t, target, nil)
	status, page := r.send(t, "rows", body, "distribution", "true", "level", "0.75")
	wantTexts(t, "targets", page, `value="true" checked>`, `value="0.75">`, html.EscapeString("with a probability of at least 75 %"))
	if got := html.UnescapeString(page); !strings.Contains(got, body) {
		t.Error("the rows that were sent are lost")
	}
	got, want := lines(page), wantSure(target, x, .75)
	if status != http.StatusOK || len(got) != 7 || !slices.Equal(got[0], []string{"row", "target", "prediction", "75 % interval", "standard deviation", "without noise"}) {
		t.Fatalf("%d %q", status, got)
	}
	for i, line := range got[1:] {
		at := func(name string) float64 { return want[name].([]any)[i/2].([]any)[i%2].(float64) }
		var lower, upper, std, function float64
		if _, err := fmt.Sscanf(strings.Join(line[3:], " "), "%g to %g %g %g", &lower, &upper, &std, &function); err != nil || line[0] != fmt.Sprint(i/2) || line[1] != fmt.Sprint(i%2) {
			t.Fatalf("%q: %v", line, err)
		}
		width := at("upper") - at("lower")
		for _, pair := range [][2]float64{{lower, at("lower")}, {upper, at("upper")}} {
			if math.Abs(pair[0]-pair[1]) > .01*width {
				t.Errorf("%q: %v, want %v", line, pair[0], pair[1])
			}
		}
		if math.Abs(std-at("std")) > .01*std || math.Abs(function-at("function_std")) > .01*function {
			t.Errorf("%q, want %v and %v", line, at("std"), at("function_std"))
		}
	}

	classes := sureModel("gaussian", 0, linear.RidgeOptions{}, false)
	classes.Classes[0] = "<i>high</i>"
	r = runServer(t, classes, nil)
	_, page = r.send(t, "rows", body, "distribution", "true", "level", "0.99")
	if strings.Contains(page, "<i>") {
		t.Error("a class is taken for HTML")
	}
	want = wantSure(classes, x, .99)
	for i, line := range lines(page)[1:] {
		var set []string
		for _, name := range want["sets"].([]any)[i].([]any) {
			set = append(set, name.(string))
		}
		p := want["probabilities"].([]any)[i].([]any)
		if len(line) != 4 || line[3] != strings.Join(set, ", ") || !strings.Contains(line[2], fmt.Sprintf("<i>high</i> %.3f", p[0])) || !strings.HasPrefix(line[2], set[0]) {
			t.Errorf("%q, want the set %q of %v", line, set, p)
		}
	}
	if got := r.budget.held(); got != 0 {
		t.Errorf("%d bytes of the budget are held at the end", got)
	}
}

// TestFormRefusals: what is wrong with a form is told on the page with a status, beside what was sent.
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
		{[]string{"rows", good, "distribution", "true", "level", "0.9999"}, 422, "the level 0.9999 needs the scores of 9999 rows"},
		{[]string{"rows", good, "distribution", "yes"}, 400, "want true or false"},
		{[]string{"rows", asJSON(randomRows(51, 1))}, 413, "more than 50 rows"},
		{[]string{"rows", strings.Repeat(" ", 1<<17)}, 413, "more than 65536 bytes"},
	} {
		status, page := r.send(t, tc.values...)
		refused := html.UnescapeString(regexp.MustCompile(`(?s)role="alert">(.*?)</p>`).FindString(page))
		if status != tc.status || !strings.Contains(refused, tc.text) || strings.Contains(page, "<script>") || lines(page) != nil {
			t.Errorf("%.100q: %d %s, want %d %s", tc.values, status, refused, tc.status, tc.text)
		}
		if tc.status != 413 && !strings.Contains(html.UnescapeString(page), ">"+tc.values[1]+"</textarea>") {
			t.Errorf("%.100q: the rows that were sent are lost", tc.values)
		}
	}
	resp := must(http.Post(r.url+"/", "text/plain", strings.NewReader("rows=1")))
	page := string(must(io.ReadAll(resp.Body)))
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(page, "which is no form of the page") {
		t.Errorf("text/plain: %s %s", resp.Status, page)
	}
	wait(t, func() bool { return r.budget.held() == 0 })
	if _, text := r.get(t, "/metrics"); !strings.Contains(text, `bochner_predict_requests_total{code="422"} 3`) {
		t.Error("forms are not counted")
	}
}

// TestFormMany: of many lines the first are shown, and the rest told.
func TestFormMany(t *testing.T) {
	r := runServer(t, sureModel("gaussian", 3, nil, false), nil)
	status, page := r.send(t, "rows", asJSON(randomRows(50, 1)), "distribution", "true")
	if got := len(lines(page)); status != http.StatusOK || got != 1+mostLines {
		t.Errorf("%d, %d lines", status, got)
	}
	wantTexts(t, "150 lines", page, "these are the first 100 of 150 lines; /predict has all")
}

// TestUncertaintyCard: /model says how the model knows how sure it is.
func TestUncertaintyCard(t *testing.T) {
	for name, m := range sureModels() {
		r := runServer(t, m, nil)
		_, text := r.get(t, "/model")
		var c card
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		u := c.Uncertainty
		if u == nil || u.HeldOut != 120 || u.MostLevel != 120./121 || u.Posterior != (m.Uncertainty.Posterior != nil) || (u.Noise != nil) != u.Posterior ||
			(u.Sets == "least-ambiguous") != (m.Classes != nil) || (u.Calibration != "") != (m.Classes != nil) || (u.Laplace == "exact") != (name == "laplace") {
			t.Errorf("%s: %s", name, text)
		}
		level := fmt.Sprint("?distribution=true&level=", u.MostLevel)
		if status, ob := r.post(t, level, "application/json", strings.NewReader(asJSON(randomRows(2, 1)))); status != http.StatusOK {
			t.Errorf("%s: %s: %d %v", name, level, status, ob)
		}
	}
}

// TestResolved: numbers are shown to three digits of the width of their interval.
func TestResolved(t *testing.T) {
	for _, tc := range []struct {
		v, width float64
		want     string
	}{{123456.789, 3.5, "123456.79"}, {.14, .533, "0.140"}, {-2, 60, "-2.0"}, {123456, 4e4, "1.235e+05"}, {1234567, 0, "1.23457e+06"}, {0, 1e-20, "0"}, {3e-20, 1e-20, "3e-20"}, {1, math.Inf(1), "1"}, {1e300, 1e290, "1e+300"}} {
		if got := resolved(tc.v, tc.width); got != tc.want {
			t.Errorf("%v to %v: %s, want %s", tc.v, tc.width, got, tc.want)
		}
	}
	for level, want := range map[float64]string{.9: "0.9", 120. / 121: "0.99173", 4. / 5: "0.8", 9999. / 10000: "0.9999"} {
		if got := digits(level); got != want {
			t.Errorf("%v: %s, want %s", level, got, want)
		}
	}
}
