package domain_test

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

func ExampleInputCell() {
	err := domain.NonNegative().Violation("map", 2, 1, -3)
	cell := domain.InputCell(err)
	cell.Col += 10
	fmt.Println(cell.Row, cell.Col, cell.Value)
	// Output: 2 11 -3
}
