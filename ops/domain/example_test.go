package domain_test

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// Each domain knows its numbers and names the first cell that is none of them, with what can be done.
func ExampleDomain() {
	for _, d := range []domain.Domain{domain.Reals(), domain.NonNegative(), domain.Histograms(), domain.Above(.1),
		domain.UnitCube()} {
		fmt.Println(d, d.Contains(-.2))
	}
	fmt.Println(domain.CheckRows(domain.Above(.1), "rows", []float64{0, 1, -.2, 3}, 2, 2, 2))
	fmt.Println(domain.CheckRows(domain.UnitSphere(1e-6), "rows", []float64{3, 4}, 1, 2, 2))
	// Output:
	// x finite true
	// x >= 0 false
	// x >= 0 false
	// x > -0.1 false
	// 0 <= x <= 1 false
	// rows: x[1,0] = -0.2 is not above -c = -0.1; shift the data or raise C (--params c=NUMBER)
	// rows: row 0 has norm 5, not 1; scale the rows to unit l2 norm (--scale l2)
}

// The column in an error of a block of columns is moved to its place among all.
func ExampleInputCell() {
	err := domain.NonNegative().Violation("map", 2, 1, -3)
	cell := domain.InputCell(err)
	cell.Col += 10
	fmt.Println(cell.Row, cell.Col, cell.Value)
	// Output: 2 11 -3
}
