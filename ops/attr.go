package ops

import "sync/atomic"

// Inputs is a set of inputs of an op, named by the letters of its documentation. Inputs without a letter here have no
// gradient.
type Inputs uint16

const (
	// The inputs with a gradient, unless they are frozen.
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

// Attr holds what an op needs besides its inputs. The zero value computes the gradients for all inputs and accepts any
// finite x.
type Attr struct {
	// Layer names the layer in messages, such as `layers: FourierLayer "rff"`. If it is empty, messages name the op.
	Layer string
	// Frozen are the inputs without a gradient. An op computes nothing for them, and G.Grad for them is an error.
	Frozen Inputs
	// Domain is the domain of x.
	Domain Domain
	// Packed points to W in packed form, or is nil. An op of xW in a graph then does not pack W at each run, provided
	// that its input is the memory that was packed. Code that writes to this memory must store nil, or W packed again.
	Packed *atomic.Pointer[Weights]

	refused Inputs // the inputs in Frozen that depend on data alone, see Data
	data    string // the layer of this data, which the error of G.Grad names
}

// who starts a message.
func (a Attr) who(op string) string {
	if a.Layer != "" {
		return a.Layer
	}
	return "ops: " + op
}

// takes freezes an input. layer is the layer whose data alone the input depends on, or empty if it depends on more.
func (a *Attr) takes(input Inputs, layer string) {
	if a.Frozen |= input; layer != "" {
		a.data = layer
		a.refused |= input
	}
}
