// Package given reads and checks what a fit is given: arguments, options, rows, targets and class weights.
package given

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// Missing is the error of the first argument that is nil, a nil pointer included. Each argument follows its name.
func Missing(who string, arguments ...any) error {
	for i := 0; i < len(arguments); i += 2 {
		if domain.IsNil(arguments[i+1]) {
			return fmt.Errorf("train: %s: %v is nil: %w", who, arguments[i], domain.ErrParam)
		}
	}
	return nil
}
