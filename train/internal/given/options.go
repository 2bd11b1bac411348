package given

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// Options returns a check of options: the error for one whose value is not ok says what is wanted.
func Options(who string) func(ok bool, name string, value any, want string) error {
	return func(ok bool, name string, value any, want string) error {
		if ok {
			return nil
		}
		return fmt.Errorf("train: %s: %s = %v, want %s: %w", who, name, value, want, domain.ErrParam)
	}
}
