package fits

import (
	"fmt"
)

// Problem is the size of a fit, before there is a map or a feature.
type Problem struct {
	Rows, Features, Outputs int
	// Stored is the number of features of all rows that are stored where they are sparse: of sparse rows under no map or
	// one that keeps zeros. 0: features are dense.
	Stored int
	Signed bool // whether the features have signs, see layers.SignatureOf
	// Streamed says that the rows are read in blocks, again in every pass: there are no features of all of them.
	Streamed bool
	Single   bool // whether they are float32
}

// Cost is an estimate of what a fit takes, to be had before it begins: the memory that it holds at a time besides its
// rows and its map, and its multiplications and additions after the map, of which two of float32 numbers count as one.
// Memory counts matrices and the largest vectors, right to some tenths; the number of iterations, where there are any,
// is a usual one.
type Cost struct {
	Bytes, Operations float64
	Largest           string // the largest of what is held, in words
	largest           float64
}

// Hold adds so many bytes of one thing.
func (c *Cost) Hold(bytes float64, format string, args ...any) {
	c.Bytes += bytes
	if bytes > c.largest {
		c.largest, c.Largest = bytes, fmt.Sprintf(format, args...)
	}
}

// Cells is the number of features of all rows that products go over.
func (p Problem) Cells() float64 {
	if p.Stored > 0 {
		return float64(p.Stored)
	}
	return float64(p.Rows) * float64(p.Features)
}

// Bytes is the size of the features of all rows: of sparse ones with their columns and the pointers to the rows.
func (p Problem) Bytes() float64 {
	if p.Stored > 0 {
		return float64(p.Stored)*(p.Number()+4) + 8*float64(p.Rows)
	}
	return p.Cells() * p.Number()
}

// Number is the size of a feature.
func (p Problem) Number() float64 {
	if p.Single {
		return 4
	}
	return 8
}
