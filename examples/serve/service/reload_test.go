package service

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bochner-go/bochner/train"
)

// models are two that predict differently, and what each says of x, by the checksum of its file.
func models(t *testing.T, r *running, body string) (two [2]*train.Model, want map[string]any) {
	t.Helper()
	want = map[string]any{}
	for i := range two {
		two[i] = newModel("gaussian", 3, uint64(i+1))
		ok(t, two[i].Save(r.Model))
		r.reload()
		status, ob := r.post(t, "?scores=true", typeJSON, body)
		sum := must(checksum(r.Model))
		if status != http.StatusOK || ob["model"] != sum {
			t.Fatalf("model %d: %d %v", i, status, ob)
		}
		want[sum] = ob
	}
	if len(want) != 2 {
		t.Fatal("the two models have one checksum")
	}
	return two, want
}

// TestReloadUnderLoad: while models are taken over one after the other, every request is answered, and by one of them
// alone.
func TestReloadUnderLoad(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Watch = time.Millisecond })
	x := randomRows(8, 5)
	body := asJSON(x)
	two, want := models(t, r, body)
	done := make(chan struct{})
	var clients sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				status, ob := r.post(t, "?scores=true", typeJSON, body)
				sum := fmt.Sprint(ob["model"])
				if status != http.StatusOK || !reflect.DeepEqual(ob, want[sum]) {
					t.Errorf("%d %v, want %v", status, ob, want[sum])
					return
				}
				mu.Lock()
				seen[sum]++
				mu.Unlock()
			}
		})
	}
	for i := range 30 {
		if err := two[i%2].Save(r.Model); err != nil { // which the watch sees
			t.Error(err)
		}
		wait(t, func() bool { return r.current.Load().card.SHA256 == must(checksum(r.Model)) })
	}
	close(done)
	clients.Wait()
	if len(seen) != 2 {
		t.Errorf("answers by model: %v", seen)
	}
}

// wait wants something to come true.
func wait(t *testing.T, f func() bool) {
	t.Helper()
	for start := time.Now(); !f(); time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatal("it does not come true")
		}
	}
}

// TestSetsAreRefused: rows are no sets of samples.
func TestSetsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	ok(t, newModel("mean-map", 2, 1).Save(path))
	if _, err := load(&options{Model: path}); err == nil || !strings.Contains(err.Error(), "mean-map takes sets of samples") {
		t.Error(err)
	}
}

// TestBadReload: a file that is no model is a bad file.
func TestBadReload(t *testing.T) {
	badReload(t, func(path string) error { return os.WriteFile(path, []byte("no model"), 0o644) })
}

// badReload wants a bad file, or none at all, to leave the model that is served, to be counted, and not to be read
// again and again; the next good one is taken over, also one of another width.
func badReload(t *testing.T, makeFile func(path string) error) {
	t.Helper()
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.Watch = time.Millisecond })
	body := asJSON(randomRows(8, 5))
	_, before := r.post(t, "", typeJSON, body)
	const failed = `bochner_model_loads_total{result="failed"} 1`
	ok(t, makeFile(r.Model+".tmp"))
	ok(t, os.Rename(r.Model+".tmp", r.Model))
	r.counts(t, failed)
	ok(t, os.Remove(r.Model))
	time.Sleep(20 * time.Millisecond)
	if !r.counted(t, failed) {
		t.Error("a file was read more than once")
	}
	r.answers(t, "", typeJSON, body, before) // after a bad file
	if status, _ := r.get(t, "/readyz"); status != http.StatusOK {
		t.Errorf("/readyz: %d", status)
	}
	ok(t, evaluated("gaussian", 2, 9).Save(r.Model))
	wait(t, func() bool { return len(r.current.Load().card.Classes) == 2 })
}
