package ops

import (
	"errors"
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
)

var (
	// Errors of this package wrap one of these.
	ErrDomain = domain.ErrDomain // a value outside the domain of an op
	ErrShape  = domain.ErrShape  // shapes or lengths that do not fit
	ErrDtype  = domain.ErrDtype  // an element type other than float32 or float64, or two types
	ErrParam  = domain.ErrParam  // a parameter out of range
)

// Domain is the set of rows that an op accepts as x; the zero value is every row of finite numbers.
type Domain = domain.Domain

// Cause returns the error of an op that a machine or G.Grad of Gorgonia hides: errors.Is(err, ErrDomain) is false for
// an error of RunAll, but errors.Is(Cause(err), ErrDomain) holds. For an op of Gorgonia itself the message includes the
// machine's words about the place. Any other error is returned as it is.
func Cause(err error) error {
	var diff G.SymDiffError
	if errors.As(err, &diff) && diff.Node() != nil {
		if r := refusal(diff.Node()); r != nil {
			return r
		}
	}
	var vm interface {
		error
		Err() error
		InstructionID() int
	}
	if !errors.As(err, &vm) {
		return err
	}
	cause := vm.Err()
	for {
		w, ok := cause.(interface{ Cause() error }) // github.com/pkg/errors, by which Gorgonia adds its words
		if !ok {
			break
		}
		cause = w.Cause()
	}
	if _, theirs := cause.(fmt.Formatter); theirs { // an error that package made
		return vm.Err()
	}
	return cause
}
