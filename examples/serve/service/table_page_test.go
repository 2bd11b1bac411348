package service

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train/data"
)

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
