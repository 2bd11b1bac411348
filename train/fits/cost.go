package fits

import (
	"fmt"
)

// Problem is the size of a fit, before a map or features exist.
type Problem struct {
	Rows, Features, Outputs int
	// Stored is the number of stored features of all rows, where they are sparse. 0: they are dense.
	Stored int
	Signed bool // whether the kernel is indefinite, see layers.SignatureOf
	// Streamed says that the rows are read in blocks, again in every pass, so that memory never holds all features.
	Streamed bool
	Single   bool // whether the features are float32
}

// Cost estimates the cost of a fit in advance. Bytes is the memory that it holds at a time beside its rows and its map:
// matrices and the largest vectors, right to some tenths. Operations are its multiplications and additions after the
// map; two of float32 numbers count as one. The number of iterations, if there are any, is a typical one.
type Cost struct {
	Bytes, Operations float64
	Largest           string // the largest part of Bytes, in words
	largest           float64
}

// Hold adds the bytes of a part, which format and args describe.
func (c *Cost) Hold(bytes float64, format string, args ...any) {
	c.Bytes += bytes
	if bytes > c.largest {
		c.largest, c.Largest = bytes, fmt.Sprintf(format, args...)
	}
}

// Cells returns the number of features of all rows that products go over.
func (p Problem) Cells() float64 {
	if p.Stored > 0 {
		return float64(p.Stored)
	}
	return float64(p.Rows) * float64(p.Features)
}

// Bytes returns the size of the features of all rows; sparse ones have columns and row pointers too.
func (p Problem) Bytes() float64 {
	if p.Stored > 0 {
		return float64(p.Stored)*(p.Number()+4) + 8*float64(p.Rows)
	}
	return p.Cells() * p.Number()
}

// Number returns the size of a feature in bytes.
func (p Problem) Number() float64 {
	if p.Single {
		return 4
	}
	return 8
}
