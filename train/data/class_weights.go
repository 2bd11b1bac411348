package data

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// BalancedWeights returns class weights that give all classes the same total weight: n/(k n_c) for class c, which has
// n_c of the n rows, of k classes. Summed over the rows, the weights give n. Errors: domain.ErrShape for no classes,
// domain.ErrDomain for a class without rows.
func BalancedWeights(counts []int) ([]float64, error) {
	n := 0
	for c, rows := range counts {
		if rows < 1 {
			return nil, fmt.Errorf("data: BalancedWeights: class %d has %d rows, and no weight makes up for none; "+
				"leave it out: %w", c, rows, domain.ErrDomain)
		}
		n += rows
	}
	if n == 0 {
		return nil, fmt.Errorf("data: BalancedWeights: there are no classes: %w", domain.ErrShape)
	}
	out := make([]float64, len(counts))
	for c, rows := range counts {
		out[c] = float64(n) / (float64(len(counts)) * float64(rows))
	}
	return out, nil
}
