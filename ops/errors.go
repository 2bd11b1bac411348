package ops

import "github.com/bochner-go/bochner/ops/domain"

var (
	// Errors of this package wrap one of these.
	ErrDomain = domain.ErrDomain // a value outside the domain of an op
	ErrShape  = domain.ErrShape  // shapes or lengths that do not fit
	ErrDtype  = domain.ErrDtype  // an element type other than float32 or float64, or two types
	ErrParam  = domain.ErrParam  // a parameter out of range
)

// Domain is the set of rows that an op accepts as x; the zero value is every row of finite numbers.
type Domain = domain.Domain
