package simd

// epilogue is what a forward does to its projection, a segment of a row at a time, while the segment is in cache.
type epilogue int

const (
	identity     epilogue = iota // p
	phaseMap                     // scale·cos(p)
	pairMap                      // scale·[cos(p) | sin(p)]
	expMap                       // scale·exp(-p)
	phaseGradMap                 // -scale·sin(p)·grad
	blocksMap                    // [scale_b·cos(norms_b∘p) | scale_b·sin(norms_b∘p)] for each block b
)

// output is where a product and its epilogue write: m columns of projections in rows that are ld apart, and for the
// pair m more to their right.
type output[T Float] struct {
	dst   []T
	ld, m int
	epilogue
	scale float64
	grad  matrix[T] // of the output, for phaseGradMap

	norms  []T       // [blocks,m], and
	scales []float64 // [blocks], for blocksMap
}

// finish applies the epilogue to columns lo to hi of row i, where the projections are, and tells whether one of them was
// not finite, for the maps that have no value there.
func (o *output[T]) finish(i, lo, hi int) (bad bool) {
	return o.write(i, lo, o.dst[i*o.ld+lo:i*o.ld+hi])
}

// write is finish for projections p that belong to row i from column lo on and may lie elsewhere.
func (o *output[T]) write(i, lo int, p []T) (bad bool) {
	row, hi := o.dst[i*o.ld:], lo+len(p)
	to := row[lo:hi]
	switch o.epilogue {
	case phaseMap:
		return vecCos(to, p, o.scale)
	case pairMap:
		return vecSinCos(row[o.m+lo:o.m+hi], to, p, o.scale)
	case expMap:
		vecExp(to, p, o.scale, -1)
	case phaseGradMap:
		cosSlopes(to, p, o.grad.row(i, hi)[lo:], o.scale)
	case blocksMap:
		return o.eachBlock(row, lo, p)
	default:
		copy(to, p)
	}
	return false
}

// finishRows is finish for columns 0 to hi of rows r0 to r1, and returns the first bad row, or -1.
func (o *output[T]) finishRows(r0, r1, hi int) (badRow int) {
	badRow = -1
	for i := r0; i < r1 && o.epilogue != identity; i++ {
		if o.finish(i, 0, hi) && badRow < 0 {
			badRow = i
		}
	}
	return badRow
}
