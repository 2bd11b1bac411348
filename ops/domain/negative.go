package domain

import "fmt"

// Negative is what a homogeneous kernel, which is defined for x >= 0, does with a negative coordinate. Vedaldi and
// Zisserman (2012), Lemma 2.
type Negative int

const (
	// RejectNegative leaves negative numbers outside the domain.
	RejectNegative Negative = iota
	// SignNegative extends k to sign(x) sign(y) k(|x|, |y|): numbers of different sign are as unlike as they can be. The
	// map of x < 0 is the negated one of |x|.
	SignNegative
	// SplitNegative extends k to k(|x|, |y|) for numbers of the same sign and 0 for others: the positive and the negative
	// part are two dimensions. The metric of the intersection kernel becomes the l1 distance of vectors. The map has
	// columns of their own for x < 0, after those for x > 0.
	SplitNegative
)

func (n Negative) String() string {
	switch n {
	case RejectNegative:
		return "error"
	case SignNegative:
		return "sign"
	case SplitNegative:
		return "split"
	}
	return fmt.Sprintf("Negative(%d)", int(n))
}

// ParseNegative is the inverse of String. Errors: another name (ErrParam).
func ParseNegative(s string) (Negative, error) {
	for n := RejectNegative; n <= SplitNegative; n++ {
		if n.String() == s {
			return n, nil
		}
	}
	return 0, fmt.Errorf("negative = %q: want error, sign or split: %w", s, ErrParam)
}

// Domain is the set of inputs: x >= 0, or any finite numbers.
func (n Negative) Domain() Domain {
	if n == RejectNegative {
		return Histograms()
	}
	return Reals()
}
