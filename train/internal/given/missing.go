// Package given reads and checks what a fit is given: arguments, rows, targets and class weights.
package given

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// Argument is an argument of an exported function that must not be nil, and what it is called.
type Argument struct {
	name  string
	value any
}

// Arg is an argument by its name.
func Arg(name string, value any) Argument { return Argument{name, value} }

// Missing is the error of the first argument that is nil, a nil pointer included.
func Missing(who string, args ...Argument) error {
	for _, a := range args {
		if domain.IsNil(a.value) {
			return fmt.Errorf("train: %s: %s is nil: %w", who, a.name, domain.ErrParam)
		}
	}
	return nil
}
