package lang

// enter counts a level of nesting; leave it with p.depth--.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.tok().span, "name parts of it with let", "the expression is nested deeper than %d levels", maxDepth)
	}
}

// isBinder reports whether "name in" or "(name, name) in" stands there.
func (p *parser) isBinder(at int) bool {
	if p.toks[at].kind != tLParen {
		return p.toks[at].kind == tName && p.toks[at+1].kind == tIn
	}
	k := at + 1
	for p.toks[k].kind == tName && p.toks[k+1].kind == tComma {
		k += 2
	}
	return p.toks[k].kind == tName && p.toks[k+1].kind == tRParen && p.toks[k+2].kind == tIn
}

// indexing = "[" binders "]"
func (p *parser) indexing() ([]binder, *node) {
	p.expect(tLBracket, "").role = rFamily
	blanks := p.blanks
	p.blanks = false
	bs, cond := p.bindings()
	p.blanks = blanks
	p.expect(tRBracket, "after the indices")
	return bs, cond
}

// bindings = names "in" range { "," names "in" range } [ "if" condition ]
// names    = name | "(" name "," name { "," name } ")"
func (p *parser) bindings() (bs []binder, cond *node) {
	for {
		b := binder{span: p.tok().span}
		tuple := p.accept(tLParen)
		for {
			b.names = append(b.names, p.expect(tName, "for an index, as in i in 1..n").text)
			if !tuple || !p.accept(tComma) {
				break
			}
		}
		if tuple {
			p.expect(tRParen, "after the indices of a tuple")
		}
		b.end = p.last()
		p.expect(tIn, "after the index")
		b.set = p.rangeExpr()
		bs = append(bs, b)
		if !p.accept(tComma) {
			break
		}
	}
	if p.accept(tIf) {
		cond = p.condition()
	}
	return bs, cond
}

// dims = "[" range { "," range } "]"
func (p *parser) dims() (out []*node) {
	p.expect(tLBracket, "").role = rIndex
	for {
		out = append(out, p.rangeExpr())
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRBracket, "after the dimensions")
	return out
}

// condition = conjunction { "or" conjunction }
func (p *parser) condition() *node {
	return p.chain(tOr, opOr, func() *node { return p.chain(tAnd, opAnd, p.negation) })
}

func (p *parser) chain(k kind, o op, part func() *node) *node {
	n := part()
	if p.tok().kind != k {
		return n
	}
	n = &node{span: n.span, op: o, args: []*node{n}}
	for p.accept(k) {
		n.args = append(n.args, part())
	}
	n.end = p.last()
	return n
}

// negation = "not" negation | comparison
func (p *parser) negation() *node {
	t := p.tok()
	if !p.accept(tNot) {
		return p.comparison()
	}
	p.enter()
	defer func() { p.depth-- }()
	arg := p.negation()
	return &node{span: span{t.pos, arg.end}, op: opNot, args: []*node{arg}}
}

// comparison = expr { ("<" | ">" | "<=" | ">=" | "==" | "!=") expr }
func (p *parser) comparison() *node {
	n := p.expr()
	k := p.tok().kind
	if k == tAssign {
		p.fail(p.tok().span, "== compares", "= has no place in a condition")
	}
	if p.accept(tIn) {
		set := p.rangeExpr()
		return &node{span: span{n.pos, set.end}, op: opIn, args: []*node{n, set}}
	}
	if k < tLess || k > tNE {
		return n
	}
	n = &node{span: n.span, op: opCompare, args: []*node{n}}
	for ; k >= tLess && k <= tNE; k = p.tok().kind {
		p.at++
		n.rels = append(n.rels, k)
		n.args = append(n.args, p.expr())
	}
	n.end = p.last()
	return n
}

// rangeExpr = expr [ ".." expr ]
func (p *parser) rangeExpr() *node {
	from := p.at
	n := p.expr()
	if p.accept(tDots) {
		hi := p.expr()
		p.tighten(from)
		n = &node{span: span{n.pos, hi.end}, op: opRange, args: []*node{n, hi}}
	}
	return n
}

// tighten marks the signs of a range, of which there are few.
func (p *parser) tighten(from int) {
	if !p.layout {
		return
	}
	depth := 0
	for k := from; k < p.at; k++ {
		switch t := &p.toks[k]; t.kind {
		case tLParen, tLBracket, tLBrace:
			depth++
		case tRParen, tRBracket, tRBrace:
			depth--
		case tPlus, tMinus:
			if depth == 0 && t.role == rNone {
				t.role = rTight
			}
		}
	}
}

// expr = term { ("+" | "-") term }
func (p *parser) expr() *node {
	p.enter()
	defer func() { p.depth-- }()
	n := p.term()
	if !p.additive() {
		return n
	}
	n = &node{span: n.span, op: opSum, args: []*node{n}, minus: []bool{false}}
	for p.additive() {
		if p.blanks {
			p.tok().role = rTight
		}
		n.minus = append(n.minus, p.next().kind == tMinus)
		n.args = append(n.args, p.term())
	}
	n.end = p.last()
	return n
}

// additive reports whether + or - follows. Where blanks part elements, a sign
// with a blank before and none after begins the next element.
func (p *parser) additive() bool {
	t := p.tok()
	if t.kind != tPlus && t.kind != tMinus {
		return false
	}
	return !(p.blanks && t.spaced && !p.toks[p.at+1].spaced)
}

// products are the operators between factors.
var products = map[kind]op{tTimes: opMul, tDotTimes: opDotMul, tDivide: opDiv, tDotDivide: opDotDiv}

// maxChain is how many factors a product may have.
// Source: a limit against nested input: each factor is a level of the tree.
const maxChain = 1000

// term = factor { ("*" | ".*" | "/" | "./") factor }
func (p *parser) term() *node {
	n := p.factor()
	for count := 0; ; count++ {
		o, ok := products[p.tok().kind]
		if !ok {
			return n
		}
		if count == maxChain {
			p.fail(p.tok().span, "", "a product has more than %d factors", maxChain)
		}
		if p.blanks {
			p.tok().role = rTight
		}
		p.at++
		right := p.factor()
		n = &node{span: span{n.pos, right.end}, op: o, args: []*node{n, right}}
	}
}

// factor = ("-" | "+") factor | power
func (p *parser) factor() *node {
	p.enter()
	defer func() { p.depth-- }()
	t := p.tok()
	switch t.kind {
	case tMinus:
		t.role = rUnary
		p.at++
		arg := p.factor()
		return &node{span: span{t.pos, arg.end}, op: opNeg, args: []*node{arg}}
	case tPlus:
		t.role = rUnary
		p.at++
		return p.factor()
	}
	return p.power()
}

// power = postfix [ "^" factor ]
func (p *parser) power() *node {
	n := p.postfix()
	if !p.accept(tPower) {
		return n
	}
	e := p.factor()
	return &node{span: span{n.pos, e.end}, op: opPower, args: []*node{n, e}}
}

// postfix = primary { "[" index { "," index } "]" | "'" }
func (p *parser) postfix() *node {
	n := p.primary()
	for range maxChain {
		t := p.tok()
		if p.blanks && t.spaced {
			return n
		}
		switch t.kind {
		case tLBracket:
			n = p.index(n)
		case tQuote:
			p.at++
			n = &node{span: span{n.pos, t.end}, op: opTrans, args: []*node{n}}
		case tLParen:
			p.fail(t.span, "call functions by name, index with []; write * for a product", "%s is not a function", p.f.short(n.span))
		default:
			return n
		}
	}
	p.fail(p.tok().span, "", "more than %d indices and transposes", maxChain)
	return nil
}

func (p *parser) index(base *node) *node {
	p.tok().role = rIndex
	p.at++
	n := &node{span: base.span, op: opIndex, args: []*node{base}}
	blanks := p.blanks
	p.blanks = false
	for {
		if t := p.tok(); p.accept(tColon) {
			n.args = append(n.args, &node{span: t.span, op: opAll})
		} else {
			n.args = append(n.args, p.rangeExpr())
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.blanks = blanks
	p.expect(tRBracket, "after the index")
	n.end = p.last()
	return n
}

// primary = number | string | name | call | reduction | "(" condition ")" | literal | members
func (p *parser) primary() *node {
	t := p.next()
	n := &node{span: t.span}
	switch t.kind {
	case tNumber:
		n.op, n.num = opNumber, t.num
	case tString:
		n.op, n.name = opString, t.text
	case tName:
		n.op, n.name = opName, t.text
		if a := p.tok(); a.kind == tLParen && !(p.blanks && a.spaced) {
			return p.call(n)
		}
	case tLParen:
		blanks := p.blanks
		p.blanks = false
		inner := p.condition()
		if p.tok().kind == tComma {
			inner = &node{op: opTuple, args: []*node{inner}}
			for p.accept(tComma) {
				inner.args = append(inner.args, p.expr())
			}
		}
		p.blanks = blanks
		p.expect(tRParen, "to close the parenthesis")
		c := *inner // the span grows by the parentheses, the node is the same
		c.span = span{t.pos, p.last()}
		return &c
	case tLBracket:
		p.literal(n, t)
	case tLBrace:
		p.members(n)
	case tIf:
		p.choice(n)
	case tNot:
		p.fail(t.span, "state the contrary itself", "not stands in conditions on data only")
	case tDots:
		p.fail(t.span, "write both ends, as in 1..n", "a range needs a first number")
	case tColon:
		p.fail(t.span, "", ": stands alone between the commas of an index, as in x[i,:]")
	default:
		p.at--
		if t.kind == tEOF {
			p.at = len(p.toks) - 1
		}
		p.unexpected("an expression", "")
	}
	return n
}

// call = name "(" [ range { "," range } ] ")"
// reduction = ("sum" | "max" | "min") "(" bindings ")" term
func (p *parser) call(n *node) *node {
	p.at++
	blanks := p.blanks
	p.blanks = false
	if p.isBinder(p.at) {
		p.toks[p.at-1].role = rReduce
		n.op = opReduce
		n.binders, n.cond = p.bindings()
		p.blanks = blanks
		p.expect(tRParen, "after the indices")
		body := p.term()
		n.args, n.end = []*node{body}, body.end
		return n
	}
	n.op = opCall
	for p.tok().kind != tRParen {
		n.args = append(n.args, p.rangeExpr())
		if !p.accept(tComma) {
			break
		}
	}
	p.blanks = blanks
	p.expect(tRParen, "after the arguments of "+n.name)
	n.end = p.last()
	return n
}

// choice = "if" "(" condition "," expr "," expr ")"
func (p *parser) choice(n *node) {
	if p.tok().kind != tLParen {
		p.fail(n.span, "write if(cond, a, b)", "a choice is if(cond, a, b), with cond a condition on data")
	}
	p.toks[p.at-1].role = rChoice
	p.at++
	blanks := p.blanks
	p.blanks = false
	n.op, n.cond = opChoice, p.condition()
	for range 2 {
		p.expect(tComma, "in if(cond, a, b)")
		n.args = append(n.args, p.rangeExpr())
	}
	p.blanks = blanks
	p.expect(tRParen, "after if(cond, a, b")
	n.end = p.last()
}
