package simd

// sweep is a block of rows of A on its way past the panels of one K block.
type sweep[T Float] struct {
	*product[T]
	ws          *workspace[T]
	k0, k       int  // the K block
	first, last bool // of the K blocks
	b           []T  // its panels, from panel b0 on
	b0          int
	i0, i1      int // the rows
	tall        int // tiles that they are cut into
	lda         int // stride of their copy, where there is one
}

// job computes rows r0 to r1 of C in panels lo to hi.
func (p *product[T]) job(ws *workspace[T], r0, r1, lo, hi int) {
	p.scaleC(r0, r1, lo, hi)
	ws.tile = grow(ws.tile, p.height()*p.width)
	for i := 0; i*p.depth < p.k; i++ {
		k0, k := p.kBlock(i)
		s := sweep[T]{product: p, ws: ws, k0: k0, k: k, first: i == 0, last: k0+k == p.k, b0: lo}
		if p.once {
			s.i0, s.i1 = r0, r1
			s.tall = s.tiles()
			s.packA()
			for q := lo; q < hi; q += p.group {
				end := min(q+p.group, hi)
				s.packB(q, end)
				s.pass(q, end)
			}
			continue
		}
		if p.packed != nil {
			s.b = p.packed[p.offset(k0, k, lo):]
		} else {
			s.packB(lo, hi)
		}
		for i0 := r0; i0 < r1; i0 += p.block {
			s.i0, s.i1 = i0, min(i0+p.block, r1)
			s.tall = s.tiles()
			s.packA()
			for q := lo; q < hi; q += p.group {
				s.pass(q, min(q+p.group, hi))
			}
		}
	}
}

// packB packs panels lo to hi of the K block.
func (s *sweep[T]) packB(lo, hi int) {
	s.ws.b = grow(s.ws.b, s.k*s.width*(hi-lo))
	s.packPanels(s.ws.b, s.product.b, s.k0, s.k, s.n, lo, hi)
	s.b, s.b0 = s.ws.b, lo
}

// scaleC multiplies a job's part of C by beta, unless that is done by adding to it or by not reading it.
func (p *product[T]) scaleC(r0, r1, lo, hi int) {
	if p.beta == 0 || p.beta == 1 {
		return
	}
	for i := r0; i < r1; i++ {
		from, to := p.triangle.columns(i, p.n)
		if from, to = max(from, lo*p.width), min(to, hi*p.width); from < to {
			row := p.dst[i*p.ld+from : i*p.ld+to]
			vecMultiple(row, row, p.beta)
		}
	}
}

// tiles is how many tiles the rows are cut into.
func (s *sweep[T]) tiles() int {
	if s.mirrored {
		return panelsOf(s.kernels, s.i1-s.i0) * s.kernels.tall
	}
	return s.kernels.tiles(s.i1 - s.i0)
}

// tile is the t-th tile of rows.
func (s *sweep[T]) tile(t int) (i, rows int) {
	i0 := s.i0
	if s.mirrored { // of the panels
		i0 += t / s.kernels.tall * s.width
		t %= s.kernels.tall
		i, rows = s.kernels.part(min(s.width, s.i1-i0), t)
	} else {
		i, rows = s.kernels.part(s.i1-i0, t)
	}
	return i0 + i, rows
}

// inPlace: kernels read A where it lies, unless it is to be scaled or its logarithm taken, or it is transposed
// and its rows are a multiple of 1 KB apart: then the steps of a product would compete for a few sets of the
// first-level cache. Neither where panels make low tiles: a copy makes full ones.
func (s *sweep[T]) inPlace() bool {
	if s.a.t && (s.triangle != whole && s.lowPanels() || s.a.ld*sizeof[T]()%1024 == 0) {
		return false
	}
	return s.alpha == 1 && s.shift == nil && !s.once
}

// inTiles says that a transposed A is copied tile by tile, so that its steps lie one after another. A C of few columns
// does not read them often enough to pay for it: a copy as A lies, with other strides, takes half as long there.
func (s *sweep[T]) inTiles() bool { return s.a.t && s.n > 128 }

// packA copies alpha·op(A), or ln(A + shift), of the block where it cannot be read in place: as it lies, with rows
// s.lda apart, or tile by tile, each [k, rows].
func (s *sweep[T]) packA() {
	if s.mirrored || s.inPlace() {
		return
	}
	if s.inTiles() {
		s.packTiles()
		return
	}
	r0, rows, c0, cols := s.i0, s.i1-s.i0, s.k0, s.k
	if s.a.t {
		r0, rows, c0, cols = c0, cols, r0, rows
	}
	s.lda = cols + cacheLine/sizeof[T]() // not a power of two
	s.ws.a = grow(s.ws.a, rows*s.lda)
	for r := range rows {
		to, from := s.ws.a[r*s.lda:][:cols], s.a.v[(r0+r)*s.a.ld+c0:][:cols]
		if s.shift != nil {
			vecLog(to, from, s.shiftOf(cols))
			continue
		}
		vecMultiple(to, from, s.alpha)
	}
}

// packTiles is packA for a transposed A, which has no shift.
func (s *sweep[T]) packTiles() {
	const some = 8 // steps of the product, whose rows of A are open at a time
	n := s.i1 - s.i0
	s.ws.a = grow(s.ws.a, n*s.k)
	for k0 := 0; k0 < s.k; k0 += some {
		steps := min(some, s.k-k0)
		from, ld := s.a.v[(s.k0+k0)*s.a.ld+s.i0:], s.a.ld
		if s.alpha != 1 {
			s.ws.line = grow(s.ws.line, some*n)
			for k := range steps {
				vecMultiple(s.ws.line[k*n:][:n], from[k*ld:][:n], s.alpha)
			}
			from, ld = s.ws.line, n
		}
		for t := range s.tall {
			i, rows := s.tile(t)
			copyTile(s.ws.a[(i-s.i0)*s.k+k0*rows:], from[i-s.i0:], rows, steps, ld)
		}
	}
}

// copyTile copies so many rows of each step of a transposed A, ld apart, one step after another. It knows the usual
// numbers of rows, which are copied without a call.
func copyTile[T Float](dst, from []T, rows, steps, ld int) {
	for k := range steps {
		to, step := dst[k*rows:][:rows], from[k*ld:][:rows]
		switch rows {
		case 4:
			*(*[4]T)(to) = *(*[4]T)(step)
		case 5:
			*(*[5]T)(to) = *(*[5]T)(step)
		case 6:
			*(*[6]T)(to) = *(*[6]T)(step)
		case 8:
			*(*[8]T)(to) = *(*[8]T)(step)
		case 12:
			*(*[12]T)(to) = *(*[12]T)(step)
		default:
			copy(to, step)
		}
	}
}

// shiftOf is the shift of the K block's columns.
func (s *sweep[T]) shiftOf(cols int) []T {
	if len(s.shift) == 1 {
		return s.shift
	}
	return s.shift[s.k0:][:cols]
}

// tileA is where the tile of A of so many rows that begins at row i lies, and its strides.
func (s *sweep[T]) tileA(i, rows int) (a *T, rs, ks int) {
	switch {
	case s.mirrored:
		q := i / s.width
		return &s.packed[s.offset(s.k0, s.k, q)+i-q*s.width], 1, s.width
	case s.inPlace() && s.a.t:
		return &s.a.v[s.k0*s.a.ld+i], 1, s.a.ld
	case s.inPlace():
		return &s.a.v[i*s.a.ld+s.k0], s.a.ld, 1
	case s.inTiles():
		return &s.ws.a[(i-s.i0)*s.k], 1, rows
	case s.a.t:
		return &s.ws.a[i-s.i0], 1, s.lda
	}
	return &s.ws.a[(i-s.i0)*s.lda], s.lda, 1
}

// pass multiplies all tiles with panels lo to hi. Where an epilogue follows, a tile is finished a few panels at a time.
func (s *sweep[T]) pass(lo, hi int) {
	step := hi - lo
	finish := s.last && s.epilogue != identity
	if finish {
		step = max(1, segment/s.width)
	}
	for t := range s.tall {
		i, rows := s.tile(t)
		if rows == 0 {
			continue // of the last panel, which is a part
		}
		a, rs, ks := s.tileA(i, rows)
		for q := lo; q < hi; q += step {
			end := min(q+step, hi)
			if s.triangle != whole {
				s.multiplyPart(a, rs, ks, i, rows, q, end)
				continue
			}
			s.multiply(a, rs, ks, i, rows, q, end)
			if !finish {
				continue
			}
			for r := i; r < i+rows; r++ {
				s.prefetchRow(r+rows, q*s.width, min(end*s.width, s.n))
				if s.finish(r, q*s.width, min(end*s.width, s.n)) {
					s.bad.report(r)
				}
			}
		}
	}
}

// prefetchRow prefetches what the epilogue of row i reads from memory in columns lo to hi: the rows of a tile of dP are
// far apart there, and each would begin with a wait.
func (s *sweep[T]) prefetchRow(i, lo, hi int) {
	if at := i*s.grad.ld + lo; s.epilogue == phaseGradMap && at+hi-lo <= len(s.grad.v) {
		prefetchSlice(s.grad.v[at : at+hi-lo])
	}
}

// multiply multiplies one tile with panels lo to hi.
func (s *sweep[T]) multiply(a *T, rs, ks, i, rows, lo, hi int) {
	whole := min(hi, s.n/s.width) - lo // the last panel of C may be a part
	if whole > 0 {
		c := &s.dst[i*s.ld+lo*s.width]
		from, ldfrom := s.from(c, lo*s.width)
		s.kernels.tile(rows, s.k, a, rs, ks, &s.b[(lo-s.b0)*s.k*s.width], whole, c, s.ld, from, ldfrom)
	}
	if lo+whole == hi {
		return
	}
	s.kernels.tile(rows, s.k, a, rs, ks, &s.b[(hi-1-s.b0)*s.k*s.width], 1, &s.ws.tile[0], s.width, nil, 0)
	j := (hi - 1) * s.width
	for r := range rows {
		s.edge(s.dst[(i+r)*s.ld+j:(i+r)*s.ld+s.n], s.ws.tile[r*s.width:], j)
	}
}

// from is what the kernel adds to the tile at c, whose first column is j: C itself, or the bias, or nothing.
func (s *sweep[T]) from(c *T, j int) (from *T, ldfrom int) {
	switch {
	case !s.first || s.beta != 0:
		return c, s.ld
	case s.bias != nil:
		return &s.bias[j], 0
	}
	return nil, 0
}

// edge writes a row of a partial panel, with what the kernel would have added.
func (s *sweep[T]) edge(c, sum []T, j int) { writeEdge(c, sum, s.bias, j, !s.first || s.beta != 0) }

// writeEdge writes sums to c, whose first column is j, plus c itself with add, or else plus the bias if there is one.
func writeEdge[T Float](c, sum, bias []T, j int, add bool) {
	switch {
	case add:
		for i := range c {
			c[i] += sum[i]
		}
	case bias != nil:
		for i := range c {
			c[i] = sum[i] + bias[j+i]
		}
	default:
		copy(c, sum)
	}
}
