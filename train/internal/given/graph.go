package given

import (
	"fmt"
	"sync"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Building serialises the building of graphs and machines: Gorgonia writes to globals meanwhile.
var Building sync.Mutex

// OnRows replaces a map of bags and the bags by the map of rows in it and the rows that it makes of them: what is
// tuned is there, and a graph takes rows. Other rows and their map come back as they are.
func OnRows(who string, m layers.Layer, x ops.Matrix) (layers.Layer, ops.Matrix, error) {
	b, ok := x.(*ops.Bags)
	if !ok {
		return m, x, nil
	}
	bags, ok := layers.Unwrap(m).(*layers.BagLayer)
	if !ok {
		return nil, nil, fmt.Errorf("train: %s: %v is no BagLayer, and on bags it must be frozen and its "+
			"features be kept: raise CacheBytes: %w", who, m, domain.ErrParam)
	}
	rows, err := bags.Rows(b)
	return bags.OfRows(), rows, err
}
