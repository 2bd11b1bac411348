package ops

import "sync/atomic"

// Inputs is a set of an op's inputs, by the letters that its documentation gives them. Other inputs have no gradient.
type Inputs uint16

// The inputs that a gradient is computed for where they are not frozen.
const (
	X      Inputs = 1 << iota // x, the rows; also the p of HDD and Coefficients, the z of BagMean, the parts of Concat
	W                         // W, the frequencies or weights
	B                         // b, the bias
	C                         // c, the shift of LogShift and of the skewed maps
	H                         // h, the bandwidths of KDE
	L                         // L, the base frequency of Homogeneous
	R                         // r, the roots of Homogeneous, the norms of SignedFourier
	S                         // s, the scales of ScaleColumns and Damp
	T                         // t, the targets of CrossEntropy
	U                         // U, the directions of SignedFourier
	Z                         // z, the features that Damp scales
	Rho                       // ρ, the log bandwidth of Bandwidth and the structured maps, the roots of SignedFourier
	Lambda                    // λ, the frequencies of HDD
)

// Attr is what an op knows besides its inputs. The zero value differentiates for every input and accepts any finite x.
type Attr struct {
	// Layer names the layer in messages, e.g. `layers: FourierLayer "rff"`. Empty: the op names itself.
	Layer string
	// Frozen are the inputs whose gradient nobody wants. Nothing is computed for them, and G.Grad refuses them.
	Frozen Inputs
	// Domain is the domain of x.
	Domain Domain
	// Packed holds W packed, or nil. An op of xW in a graph then does not pack its input again each time that it runs,
	// if the input lies in the memory that was packed. Whoever writes to that memory stores nil, or W packed again.
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

// takes notes that an input is made of data alone, the data of the given layer; an empty name: it is not known to be.
// The input is frozen.
func (a *Attr) takes(input Inputs, layer string) {
	if a.Frozen |= input; layer != "" {
		a.data = layer
		a.refused |= input
	}
}
