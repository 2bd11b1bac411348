package ops

import "sync/atomic"

// Inputs is a set of an op's inputs, by position.
type Inputs uint8

// The inputs by position: x, W and b of Fourier, Phase, Laplace and Affine; x and c of LogShift; x, c, W and b of SkewedFourier and
// SkewedPhase; W and ρ of Bandwidth; x, directions, norms and roots of SignedFourier; x of Nystrom, Table, Coefficients, BagMean,
// Maclaurin and TensorSketch, of which the others have no gradient.
const (
	First Inputs = 1 << iota
	Second
	Third
	Fourth
)

// Attr is what an op knows besides its inputs. The zero value differentiates for every input and accepts any finite x.
type Attr struct {
	// Layer names the layer in messages, e.g. `layers: FourierLayer "rff"`. Empty: the op names itself.
	Layer string
	// Frozen are the inputs whose gradient nobody wants. Nothing is computed for them, and G.Grad refuses them.
	Frozen Inputs
	// Domain is the domain of x.
	Domain Domain
	// Packed holds W packed, or nil: an op of xW in a graph reads it instead of packing its input every time that it runs, where that lies
	// in the memory that was packed. Who writes to that memory stores nil, or W packed again.
	Packed *atomic.Pointer[Weights]

	refused Inputs // the ones of Frozen that are made of data alone (Data),
	data    string // and whose: the layer that G.Grad for them names
}

// who is the start of a message.
func (a Attr) who(op string) string {
	if a.Layer != "" {
		return a.Layer
	}
	return "ops: " + op
}
