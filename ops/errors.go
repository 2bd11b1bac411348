package ops

import "github.com/bochner-go/bochner/ops/domain"

// The errors of this package wrap one of these.
var (
	ErrDomain = domain.ErrDomain
	ErrShape  = domain.ErrShape
	ErrDtype  = domain.ErrDtype
	ErrParam  = domain.ErrParam
)

// Domain is the set of rows that an op accepts as x; the zero value is every row of finite numbers.
type Domain = domain.Domain
