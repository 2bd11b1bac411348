package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"

	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
)

// contentTypes names the media type of each format.
var contentTypes = map[string]string{"json": "application/json", "npy": "application/x-npy"}

// distinctBodies are made before the run, and sent in turn.
const distinctBodies = 64

func makeBodies(o *options, of target) ([][]byte, error) {
	rng, dims := rand.New(rand.NewPCG(o.seed, 0)), of.width()
	bodies := make([][]byte, distinctBodies)
	for i := range bodies {
		if o.format == "json" && of.Columns != nil {
			var err error
			if bodies[i], err = objects(rng, o.rows, of.Columns); err != nil {
				return nil, err
			}
			continue
		}
		x := mat.NewDense(o.rows, dims, nil)
		rows := make([][]float64, o.rows)
		for j := range rows {
			rows[j] = x.RawRowView(j)
			for k := range rows[j] {
				rows[j][k] = rng.Float64()
			}
		}
		var err error
		if o.format == "json" {
			bodies[i], err = json.Marshal(map[string]any{"rows": rows})
		} else {
			var b bytes.Buffer
			err = npyio.Write(&b, x)
			bodies[i] = b.Bytes()
		}
		if err != nil {
			return nil, err
		}
	}
	return bodies, nil
}
