package train

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// argument is an argument of an exported function that must not be nil, and what it is called.
type argument struct {
	name  string
	value any
}

// missing is the error of the first argument that is nil, a nil pointer included.
func missing(who string, args ...argument) error {
	for _, a := range args {
		if domain.IsNil(a.value) {
			return fmt.Errorf("train: %s: %s is nil: %w", who, a.name, domain.ErrParam)
		}
	}
	return nil
}
