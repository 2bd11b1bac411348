// Command indefinite does again the experiments of Luo, Fang, Yang and Huang (2021), "Towards Unbiased Random Features with Lower Variance
// For Stationary Indefinite Kernels": generalized orthogonal random features (GORF) of two kernels that are not positive definite, beside
// independent ones (GRFF) and what there was before, random Maclaurin features (RM), tensor sketches (TS) and spherical random features
// (SRF), which are of the polynomial kernel of the sphere alone.
//
//	go run ./examples/papers/indefinite
//	go run ./examples/papers/indefinite -data ../shared/data
//
// The kernels are (1 - ‖x-z‖²/a²)^p on the unit sphere and exp(-‖x-z‖²/2σ₁²) - exp(-‖x-z‖²/2σ₂²). Five parts, each by itself with -part:
//
//	error       table II and figure 2: the relative Frobenius error of the kernel matrix of 1000 rows, its diagonal included
//	couplings   the same for every coupling of the two signs
//	variance    figure 1: by how much the couplings of the two signs lower the variance, by spectral.Coupling.Variance
//	accuracy    figure 3: a support vector machine on the features, its λ the best on rows that are set aside
//	regression  tables III and IV: the error on the test rows of Boston housing, by ridge and by ε-insensitive regression
//
// s is the number of frequencies a sign; every method is given the 4s columns that GORF makes of them. What the paper prints stands in
// brackets. Its a and p are not printed; its figures for GRFF are near those of a = 3 and p = 1, the default. Its code overwrites the
// diagonal of the kernel matrix, which for the polynomial kernel takes away a part of the error that is large where s is small.
//
// Columns are scaled to [0, 1], rows of ijcnn1 to length 1, rows of usps to length 1 after that, which are the scalings that go with the paper's
// figures; for the polynomial kernel all rows have length 1. The first command, without the paper's data, takes made histograms, and has
// no regression. The second takes long, most of it for the support vector machines of ijcnn1 and usps; -sets, -part, -train and -draws make
// it shorter.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

func main() { cli.Main("indefinite", run) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable("plot", o.plot); err != nil {
		return err
	}
	e := &experiment{options: o}
	if err := e.read(); err != nil {
		return err
	}
	for _, p := range parts {
		if !o.parts[p.name] {
			continue
		}
		if err := p.run(e, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if o.plot == "" || len(e.pictures) == 0 {
		return nil
	}
	if err := e.save(o.plot); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "picture:", o.plot)
	return nil
}
