package trial

import (
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
)

// Classes are rows with the targets of their classes.
func Classes(x ops.Matrix, labels []int, k int) data.Pairs {
	y, err := data.OneVersusRest(labels, k)
	if err != nil {
		panic(err)
	}
	return data.Pairs{X: x, Y: y}
}

// Read are rows that are read: pairs as any other type hands them out.
type Read struct{ data.Pairs }
