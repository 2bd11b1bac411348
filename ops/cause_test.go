package ops_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// negative is a graph of a map of x >= 0 whose x has a negative cell.
func negative() *G.Node {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, 2), G.WithName("x"), G.WithValue(
		tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, -2}))))
	w := G.NewMatrix(g, G.Float64, G.WithShape(2, 3), G.WithName("W"), G.WithValue(uniform(tensor.Float64, 2, 3, 1)))
	return G.Must(G.Sum(G.Must(ops.Laplace(ops.Attr{Layer: "mine"}).Node(x, w))))
}

// TestCause: an error of either machine has the error of the op as its cause, with its sentinel, its cell and no word
// of the machine's. An error of Gorgonia's own op has the machine's error, and any other error is its own cause.
func TestCause(t *testing.T) {
	for name, machine := range map[string]func(*G.ExprGraph) G.VM{
		"tape": func(g *G.ExprGraph) G.VM { return G.NewTapeMachine(g) },
		"lisp": func(g *G.ExprGraph) G.VM { return G.NewLispMachine(g, G.ExecuteFwdOnly()) },
	} {
		if name == "lisp" && raceEnabled {
			continue
		}
		m := machine(negative().Graph())
		err := m.RunAll()
		if err == nil || errors.Is(err, ops.ErrDomain) {
			t.Fatalf("%s: the error %v needs no Cause", name, err)
		}
		var cell *domain.CellError
		for _, err := range []error{err, fmt.Errorf("step 3: %w", err)} {
			cause := ops.Cause(err)
			if !errors.Is(cause, ops.ErrDomain) || !errors.As(cause, &cell) || cell.Col != 1 ||
				!strings.HasPrefix(cause.Error(), "mine: x[0,1]") {
				t.Errorf("%s: the cause of %q is %q", name, err, cause)
			}
		}
		m.Close()
	}
	g := G.NewGraph()
	G.Must(G.Square(G.NewMatrix(g, G.Float64, G.WithShape(2, 2), G.WithName("a")))) // without a value
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err == nil || ops.Cause(err).Error() != err.Error() {
		t.Errorf("the cause of %v is %v", err, ops.Cause(err))
	}
	other := errors.New("other")
	if ops.Cause(other) != other || ops.Cause(nil) != nil {
		t.Error("another error changes")
	}
}

// The error of a machine hides the error of the op; Cause brings it back.
func ExampleCause() {
	machine := G.NewTapeMachine(negative().Graph())
	defer machine.Close()
	err := machine.RunAll()
	fmt.Println(errors.Is(err, ops.ErrDomain), errors.Is(ops.Cause(err), ops.ErrDomain))
	fmt.Println(ops.Cause(err))
	// Output:
	// false true
	// mine: x[0,1] = -2 is negative; the kernel is defined for histograms, x >= 0: shift the data, or scale them by the range of the training rows and clip what is beyond it: the scaler cube
}
