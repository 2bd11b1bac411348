package domain

// Negative says how a homogeneous kernel, which is defined for x >= 0, treats a negative coordinate. Vedaldi and
// Zisserman (2012), Lemma 2.
type Negative int

const (
	// RejectNegative leaves negative numbers outside the domain.
	RejectNegative Negative = iota
	// SignNegative extends k to sign(x) sign(y) k(|x|, |y|): numbers of different sign have a negative similarity. The
	// features of x < 0 are the features of |x| times -1.
	SignNegative
	// SplitNegative extends k to k(|x|, |y|) for numbers of the same sign and 0 for others, as if the positive and the
	// negative part were two dimensions. The metric of the intersection kernel becomes the ℓ1 distance of vectors. The
	// map has separate columns for x < 0, after those for x > 0.
	SplitNegative
)

func (n Negative) String() string { return Word(n, "error", "sign", "split") }

// Domain returns the domain of a kernel with this treatment: Histograms for RejectNegative, else Reals.
func (n Negative) Domain() Domain {
	if n == RejectNegative {
		return Histograms()
	}
	return Reals()
}
