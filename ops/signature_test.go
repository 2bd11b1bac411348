package ops

import (
	"fmt"
	"testing"

	"gorgonia.org/tensor"
)

// TestSignature: shapes that fit set the letters and the result; others name the first input that does not fit and what
// it should have been.
func TestSignature(t *testing.T) {
	type shapes = []tensor.Shape
	for _, c := range []struct {
		text   string
		fixed  map[byte]int
		shapes shapes
		want   string // the result, or the input that does not fit and what is wanted
	}{
		{"nd,dm->n2m", nil, shapes{{5, 3}, {3, 7}}, "(5, 14)"},
		{"nd,dm->n2m", nil, shapes{{5, 3}, {4, 7}}, "1: [3, m]"},
		{"nd,dm->n2m", nil, shapes{{5}, {3, 7}}, "0: [n, 3]"},
		{"nd,dm->n2m", nil, shapes{{0, 3}, {3, 0}}, "(0, 0)"},
		{"nd,dm,m?->n(2m)|nm", nil, shapes{{5, 3}, {3, 7}, nil}, "(5, 14)"},
		{"nd,dm,m?->n(2m)|nm", nil, shapes{{5, 3}, {3, 7}, {7}}, "(5, 7)"},
		{"nd,dm,m?->n(2m)|nm", nil, shapes{{5, 3}, {3, 7}, {8}}, "2: [7]"},
		{"nd,1|d->nd", nil, shapes{{5, 3}, {1}}, "(5, 3)"},
		{"nd,1|d->nd", nil, shapes{{5, 3}, {3}}, "(5, 3)"},
		{"nd,1|d->nd", nil, shapes{{5, 3}, {2}}, "1: [1] or [3]"},
		{"dm|d,1|d->dm|d", nil, shapes{{5, 3}, {5}}, "(5, 3)"},
		{"dm|d,1|d->dm|d", nil, shapes{{5}, {1}}, "(5)"},
		{"nd,R->n(dW)", map[byte]int{'R': 2, 'W': 3}, shapes{{5, 3}, {2}}, "(5, 9)"},
		{"nd,R->n(dW)", map[byte]int{'R': 2, 'W': 3}, shapes{{5, 3}, {3}}, "1: [2]"},
		{"nd,p(d+1)->np", nil, shapes{{5, 3}, {2, 4}}, "(5, 2)"},
		{"nd,p(d+1)->np", nil, shapes{{5, 3}, {2, 3}}, "1: [2, 4]"},
		{"p(d+1),nd->np", nil, shapes{{2, 4}, {5, 3}}, "(5, 2)"},
		{"p(d+1),nd->np", nil, shapes{{2, 0}, {5, 3}}, "0: [2, 4]"},
		// a product waits for what a later input says
		{"nd,d(pm),m->nm", nil, shapes{{5, 3}, {3, 14}, {7}}, "(5, 7)"},
		{"nd,d(pm),m->nm", nil, shapes{{5, 3}, {3, 15}, {7}}, "1: [3, p·7]"},
		{"nd,d(pm),m->nm", nil, shapes{{5, 3}, {3, 15}, {0}}, "1: [3, p·0]"},
		{"nd,d(Bm)|dm,(Bm),B->n(2Bm)", nil, shapes{{5, 3}, {3, 14}, {14}, {2}}, "(5, 28)"},
		{"nd,d(Bm)|dm,(Bm),B->n(2Bm)", nil, shapes{{5, 3}, {3, 7}, {14}, {2}}, "(5, 28)"},
		{"nd,d(Bm)|dm,(Bm),B->n(2Bm)", nil, shapes{{5, 3}, {3, 5}, {14}, {2}}, "1: [3, 14] or [3, 7]"},
		{"n_,n_->n", nil, shapes{{5, 3}, {5, 9}}, "(5)"},
		{"n_,n_->n", nil, shapes{{5, 3}, {4, 9}}, "1: [5, any]"},
	} {
		s, v := parse(c.text), sizes{}
		for l, size := range c.fixed {
			v.set(l, size)
		}
		got := ""
		if bad := s.resolve(&v, c.shapes); bad >= 0 {
			got = fmt.Sprint(bad, ": ", s.want(&v, bad))
		} else {
			got = fmt.Sprint(v.shape(nil, s.result(&v, c.shapes)))
		}
		if got != c.want {
			t.Errorf("%s of %v: %s, want %s", c.text, c.shapes, got, c.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a text without a result has a meaning")
		}
	}()
	parse("nd")
}
