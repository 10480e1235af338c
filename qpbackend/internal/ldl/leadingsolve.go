package ldl

// forward is the part of the leading columns in the solution for L.
func (s *leading) forward(x []float64) {
	v, row := s.val[len(s.sign):s.rest], s.row
	k, e := 0, inLine
	for _, r := range s.runs {
		c := int(r.entries)
		own := x[k:][:r.columns]
		k += len(own)
		if r.alike {
			foursForward(x, own, v[e:][:c*len(own)], row[e:][:c])
			e += c * len(own)
			continue
		}
		if c == 2 {
			l, i := v[e:][:2*len(own)], row[e:][:2*len(own)]
			e += len(l)
			for j, w := range own {
				l, i := (*[2]float64)(l[2*j:2*j+2:2*j+2]), (*[2]int32)(i[2*j:2*j+2:2*j+2])
				x[i[0]] -= l[0] * w
				x[i[1]] -= l[1] * w
			}
			continue
		}
		for _, w := range own {
			rest := c
			for ; rest > inLine; rest-- {
				x[row[e]] -= v[e] * w
				e++
			}
			e += rest
			l, i := (*[inLine]float64)(v[e-inLine:e:e]), (*[inLine]int32)(row[e-inLine:e:e])
			switch rest {
			case 6:
				x[i[0]] -= l[0] * w
				fallthrough
			case 5:
				x[i[1]] -= l[1] * w
				fallthrough
			case 4:
				x[i[2]] -= l[2] * w
				fallthrough
			case 3:
				x[i[3]] -= l[3] * w
				fallthrough
			case 2:
				x[i[4]] -= l[4] * w
				fallthrough
			case 1:
				x[i[5]] -= l[5] * w
			}
		}
	}
}

// backward is their part in the solution for D and then Lᵀ.
func (s *leading) backward(x []float64) {
	v, row := s.val[len(s.sign):s.rest], s.row
	k, e := len(s.sign), len(row)
	for t := len(s.runs) - 1; t >= 0; t-- {
		c, count := int(s.runs[t].entries), int(s.runs[t].columns)
		k -= count
		own, inverse := x[k:][:count], s.val[k:][:count]
		if s.runs[t].alike {
			e -= c * count
			foursBackward(x, own, inverse, v[e:][:c*count], row[e:][:c])
			continue
		}
		if c == 2 {
			e -= 2 * count
			l, i := v[e:][:2*count], row[e:][:2*count]
			for j := count - 1; j >= 0; j-- {
				l, i := (*[2]float64)(l[2*j:2*j+2:2*j+2]), (*[2]int32)(i[2*j:2*j+2:2*j+2])
				own[j] = own[j]*inverse[j] - l[0]*x[i[0]] - l[1]*x[i[1]]
			}
			continue
		}
		for j := count - 1; j >= 0; j-- {
			w, rest, end := own[j]*inverse[j], c, e
			e -= c
			for at := e; rest > inLine; rest-- {
				w -= v[at] * x[row[at]]
				at++
			}
			l, i := (*[inLine]float64)(v[end-inLine:end:end]), (*[inLine]int32)(row[end-inLine:end:end])
			switch rest {
			case 6:
				w -= l[0] * x[i[0]]
				fallthrough
			case 5:
				w -= l[1] * x[i[1]]
				fallthrough
			case 4:
				w -= l[2] * x[i[2]]
				fallthrough
			case 3:
				w -= l[3] * x[i[3]]
				fallthrough
			case 2:
				w -= l[4] * x[i[4]]
				fallthrough
			case 1:
				w -= l[5] * x[i[5]]
			}
			own[j] = w
		}
	}
}

// foursForward is forward for columns in the same rows, of which own are the entries of x and l
// the entries of L.
func foursForward(x, own, l []float64, row []int32) {
	c := len(row)
	for j := 0; j+4 <= len(own); j += 4 {
		w := (*[4]float64)(own[j:])
		w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
		l0 := l[c*j:][:c]
		l1, l2, l3 := l[c*j+c:][:c], l[c*j+2*c:][:c], l[c*j+3*c:][:c]
		for a, i := range row {
			x[i] -= l0[a]*w0 + l1[a]*w1 + (l2[a]*w2 + l3[a]*w3)
		}
	}
}

// foursBackward is backward for columns in the same rows, as foursForward, with the reciprocals of
// their pivots.
func foursBackward(x, own, inverse, l []float64, row []int32) {
	c := len(row)
	for j := 0; j+4 <= len(own); j += 4 {
		w, d := (*[4]float64)(own[j:]), (*[4]float64)(inverse[j:])
		w0, w1, w2, w3 := w[0]*d[0], w[1]*d[1], w[2]*d[2], w[3]*d[3]
		l0 := l[c*j:][:c]
		l1, l2, l3 := l[c*j+c:][:c], l[c*j+2*c:][:c], l[c*j+3*c:][:c]
		for a, i := range row {
			u := x[i]
			w0 -= l0[a] * u
			w1 -= l1[a] * u
			w2 -= l2[a] * u
			w3 -= l3[a] * u
		}
		w[0], w[1], w[2], w[3] = w0, w1, w2, w3
	}
}
