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
}

// job computes rows r0 to r1 of C in panels lo to hi.
func (p *product[T]) job(ws *workspace[T], r0, r1, lo, hi int) {
	p.scaleC(r0, r1, lo, hi)
	ws.tile = grow(ws.tile, p.height()*p.width)
	for i := 0; i*p.depth < p.k; i++ {
		k0, k := p.kBlock(i)
		s := sweep[T]{product: p, ws: ws, k0: k0, k: k, first: i == 0, last: k0+k == p.k, b0: lo}
		if p.packed != nil {
			s.b = p.packed[p.offset(k0, k, lo):]
		} else {
			ws.b = grow(ws.b, k*p.width*(hi-lo))
			packPanels(ws.b, p.b, k0, k, p.n, p.width, lo, hi)
			s.b = ws.b
		}
		for i0 := r0; i0 < r1; i0 += p.block {
			s.i0, s.i1 = i0, min(i0+p.block, r1)
			s.tall = (s.i1 - s.i0 + p.height() - 1) / p.height()
			s.packA()
			for q := lo; q < hi; q += p.group {
				s.group(q, min(q+p.group, hi))
			}
		}
	}
}

// scaleC multiplies a job's part of C by beta, unless that is done by adding to it or by not reading it.
func (p *product[T]) scaleC(r0, r1, lo, hi int) {
	if p.beta == 0 || p.beta == 1 {
		return
	}
	for i := r0; i < r1; i++ {
		row := p.dst[i*p.ld+lo*p.width : i*p.ld+min(hi*p.width, p.n)]
		scaleCopy(row, row, p.beta)
	}
}

// tile is the t-th of near-equal tiles of rows.
func (s *sweep[T]) tile(t int) (i, rows int) {
	n := s.i1 - s.i0
	lo, hi := t*n/s.tall, (t+1)*n/s.tall
	return s.i0 + lo, hi - lo
}

// inPlace: kernels read a row-major A where it lies.
func (s *sweep[T]) inPlace() bool { return !s.a.t && s.alpha == 1 }

// packA copies alpha·op(A) of the block where it cannot be read in place: a transposed A tile by tile as [k,rows], else row by
// row.
func (s *sweep[T]) packA() {
	if s.inPlace() {
		return
	}
	s.ws.a = grow(s.ws.a, (s.i1-s.i0)*s.k)
	dst := s.ws.a
	for t := range s.tall {
		i, rows := s.tile(t)
		if s.a.t {
			for step := range s.k {
				scaleCopy(dst[step*rows:][:rows], s.a.v[(s.k0+step)*s.a.ld+i:][:rows], s.alpha)
			}
		} else {
			for r := range rows {
				scaleCopy(dst[r*s.k:][:s.k], s.a.v[(i+r)*s.a.ld+s.k0:][:s.k], s.alpha)
			}
		}
		dst = dst[rows*s.k:]
	}
}

// tileA is where the tile of A that begins at row i lies, and its strides.
func (s *sweep[T]) tileA(i, rows int) (a *T, rs, ks int) {
	switch {
	case s.inPlace():
		return &s.a.v[i*s.a.ld+s.k0], s.a.ld, 1
	case s.a.t:
		return &s.ws.a[(i-s.i0)*s.k], 1, rows
	}
	return &s.ws.a[(i-s.i0)*s.k], s.k, 1
}

// group multiplies all tiles with panels lo to hi. Where an epilogue follows, a tile is finished a few panels at a time.
func (s *sweep[T]) group(lo, hi int) {
	step := hi - lo
	finish := s.last && s.epilogue != identity
	if finish {
		step = max(1, segment/s.width)
	}
	for t := range s.tall {
		i, rows := s.tile(t)
		a, rs, ks := s.tileA(i, rows)
		for q := lo; q < hi; q += step {
			end := min(q+step, hi)
			s.panelsOf(a, rs, ks, i, rows, q, end)
			if !finish {
				continue
			}
			for r := i; r < i+rows; r++ {
				if s.finish(r, q*s.width, min(end*s.width, s.n)) {
					s.bad.report(r)
				}
			}
		}
	}
}

// panelsOf multiplies one tile with panels lo to hi.
func (s *sweep[T]) panelsOf(a *T, rs, ks, i, rows, lo, hi int) {
	kernel := s.kernels.tile[rows-1]
	whole := min(hi, s.n/s.width) - lo // the last panel of C may be a part
	if whole > 0 {
		c := &s.dst[i*s.ld+lo*s.width]
		from, ldfrom := s.from(c, lo*s.width)
		kernel(s.k, a, rs, ks, &s.b[(lo-s.b0)*s.k*s.width], whole, c, s.ld, from, ldfrom)
	}
	if lo+whole == hi {
		return
	}
	kernel(s.k, a, rs, ks, &s.b[(hi-1-s.b0)*s.k*s.width], 1, &s.ws.tile[0], s.width, nil, 0)
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
func (s *sweep[T]) edge(c, sum []T, j int) {
	switch {
	case !s.first || s.beta != 0:
		for i := range c {
			c[i] += sum[i]
		}
	case s.bias != nil:
		for i := range c {
			c[i] = sum[i] + s.bias[j+i]
		}
	default:
		copy(c, sum)
	}
}
