package service

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// TestPage: the page and /model tell what the file says, with a picture of the kernel error where it has one; nothing
// in the file is treated as HTML.
func TestPage(t *testing.T) {
	full := evaluated("gaussian", 3, 1)
	full.Classes[1] = "<script>alert(1)</script>"
	for name, tc := range map[string]struct {
		model *train.Model
		texts []string
		not   string
	}{
		"full":          {full, []string{"gaussian", "exp(-‖x-z‖²/2σ²)", "sigma=", "5 columns", "34, float64, frozen", "iid, seed 7", "softmax, 3 outputs", "0.8125", "test accuracy", "101 train, 60 test", "relative Frobenius", "915 of these pairs", "&lt;script&gt;"}, "<script>"},
		"no evaluation": {newModel("exp-semigroup", 1, 1), []string{"exp-semigroup", "beta=", "takes x &gt;= 0", "linear, 1 output\n", "not in the file; models that bochner fit saves have them"}, "<img"},
		"draws nothing": {newModel("linear", 2, 1), []string{"parameters<td>none", "sampler<td>none\n", "softmax, 2 outputs"}, "seed"},
		"two signs":     {newModel("delta-gaussian", 2, 1), []string{"coupling=shared-coupled", "sampler<td>a coupling of the two signs, seed 7"}, "iid"},
	} {
		r := runServer(t, tc.model, nil)
		status, page := r.get(t, "/")
		if status != http.StatusOK {
			t.Errorf("%s: %d", name, status)
		}
		holds(t, name, page, tc.texts...)
		holds(t, name, page, "m.safetensors", must(checksum(r.Model))[:12], "0.5, 0.5, 0.5, 0.5, 0.5]]")
		if strings.Contains(page, tc.not) {
			t.Errorf("%s: the page holds %q", name, tc.not)
		}
		checkCard(t, r, tc.model)
	}
	r := runServer(t, full, nil)
	_, page := r.get(t, "/")
	data := regexp.MustCompile(`src="data:image/png;base64,([^"]+)"`).FindStringSubmatch(page)
	if data == nil {
		t.Fatal("the page has no picture")
	}
	img, err := png.Decode(bytes.NewReader(must(base64.StdEncoding.DecodeString(html.UnescapeString(data[1])))))
	if err != nil || img.Bounds().Dx() < 500 {
		t.Errorf("the picture: %v", err)
	}
}

// checkCard compares /model with the model.
func checkCard(t *testing.T, r *running, m *train.Model) {
	t.Helper()
	c, text := r.readCard(t)
	if c.Map != m.Spec.Map || c.InputDim != dims || c.Features != m.Map.Features() || c.Outputs != m.Head.Features() || fmt.Sprint(c.Classes) != fmt.Sprint([]string(m.Classes)) ||
		c.SHA256 != must(checksum(r.Model)) || c.MaxRows != 50 || (c.Evaluation != nil) != (m.Notes != nil) {
		t.Errorf("%s", text)
	}
	if c.Evaluation != nil && (c.Evaluation.Pairs != nil || *c.Evaluation.Accuracy != .8125) {
		t.Errorf("the evaluation is %+v", c.Evaluation)
	}
}

// TestMetrics: requests by status, rows, models.
func TestMetrics(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), nil)
	for range 3 {
		r.post(t, "", typeJSON, asJSON(randomRows(7, 1)))
	}
	r.post(t, "", "text/csv", "x")
	r.reload()
	_, text := r.get(t, "/metrics")
	holds(t, "the metrics", text,
		"\nbochner_predict_requests_total{code=\"200\"} 3", "\nbochner_predict_requests_total{code=\"415\"} 1",
		"\nbochner_predict_seconds_count 4", "\nbochner_predict_in_flight 0", "\nbochner_predicted_rows_total 21",
		"\nbochner_model_loads_total{result=\"ok\"} 2", "\nbochner_model_loads_total{result=\"failed\"} 0",
		fmt.Sprintf("\nbochner_model_info{features=\"34\",map=\"gaussian\",sha256=\"%s\"} 1", must(checksum(r.Model))),
		"\ngo_goroutines ", "\nbochner_model_loaded_timestamp_seconds 1")
}

// TestTablePage: the page and /model tell the columns, and the command of the page has a body that is answered.
func TestTablePage(t *testing.T) {
	m := tableModel(data.ColumnOptions{})
	m.Columns.Inputs[1].Levels[1] = "<b>it's</b>"
	r := runServer(t, m, nil)
	_, page := r.get(t, "/")
	holds(t, "the page", page, "5 named columns, a row of ", "<tr><td>age<td>number<td>0.", "<tr><td>sex<td>category<td>",
		"&lt;b&gt;it&#39;s&lt;/b&gt;", "<tr><td>child<td>boolean<td>false, true<td>null", "<tr><td>ticket<td>boolean<td>no, yes<td>null",
		"<tr><td>day<td>time<td>2006-01-02<td>null", "curl http://127.0.0.1:")
	if strings.Contains(page, "<b>it's") {
		t.Error("a level is treated as HTML")
	}
	body := regexp.MustCompile(`(?s)-d '(.*)'</pre>`).FindStringSubmatch(html.UnescapeString(page))
	if body == nil {
		t.Fatalf("the page has no command:\n%s", page)
	}
	if status, ob := r.post(t, "", typeJSON, strings.ReplaceAll(body[1], `'\''`, "'")); status != http.StatusOK || ob["notes"] != nil {
		t.Errorf("%s: %d %v", body[1], status, ob)
	}
	got, text := r.readCard(t)
	if len(got.Columns) != 5 || got.InputDim != m.Dims() || got.Targets != nil || !strings.Contains(text, `"name":"day","kind":"time","layout":"2006-01-02","missing":true}`) ||
		!strings.Contains(text, `"name":"child","kind":"boolean","missing":true}`) || !strings.Contains(text, `"unknown":"other"`) || len(got.Columns[0].Range) != 2 {
		t.Errorf("%s", text)
	}
	_, text = runServer(t, newModel("gaussian", 3, 1), nil).get(t, "/model")
	if strings.Contains(text, `"columns"`) || strings.Contains(text, `"targets"`) {
		t.Errorf("a model without names: %s", text)
	}
}
