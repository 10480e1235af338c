package syntax

// enter counts a level of nesting; leave it with p.depth--.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.tok().Span, "name parts of it with let", "the expression is nested deeper than %d levels", maxDepth)
	}
}

// isBinder reports whether "name in" or "(name, name) in" stands there.
func (p *parser) isBinder(at int) bool {
	if p.toks[at].Kind != LParen {
		return p.toks[at].Kind == Name && p.toks[at+1].Kind == In
	}
	k := at + 1
	for p.toks[k].Kind == Name && p.toks[k+1].Kind == Comma {
		k += 2
	}
	return p.toks[k].Kind == Name && p.toks[k+1].Kind == RParen && p.toks[k+2].Kind == In
}

// indexing = "[" binders "]"
func (p *parser) indexing() ([]Binder, *Node) {
	p.expect(LBracket, "").role = rFamily
	bs, cond := p.bindings()
	p.expect(RBracket, "after the indices")
	return bs, cond
}

// bindings = names "in" range { "," names "in" range } [ "if" condition ]
// names    = name | "(" name "," name { "," name } ")"
func (p *parser) bindings() (bs []Binder, cond *Node) {
	for more := true; more; more = p.accept(Comma) {
		b := Binder{Span: p.tok().Span}
		tuple := p.accept(LParen)
		for more := true; more; more = tuple && p.accept(Comma) {
			t := p.expect(Name, "for an index, as in i in 1..n")
			b.Names, b.At = append(b.Names, t.Text), append(b.At, t.Span)
		}
		if tuple {
			p.expect(RParen, "after the indices of a tuple")
		}
		b.End = p.last()
		p.expect(In, "after the index")
		b.Set = p.rangeExpr()
		bs = append(bs, b)
	}
	if p.accept(If) {
		cond = p.condition()
	}
	return bs, cond
}

// dims = "[" places "]"
func (p *parser) dims() []*Node {
	p.expect(LBracket, "").role = rIndex
	out := p.places()
	p.expect(RBracket, "after the dimensions")
	return out
}

// places = place { "," place }
// place  = range | ":"
func (p *parser) places() (out []*Node) {
	for more := true; more; more = p.accept(Comma) {
		if t := p.tok(); p.accept(Colon) {
			out = append(out, p.node(Node{Span: t.Span, Op: OpAll}))
		} else {
			out = append(out, p.rangeExpr())
		}
	}
	return out
}

// inside reads the text between brackets, in which blanks part nothing.
func (p *parser) inside(read func()) {
	blanks := p.blanks
	p.blanks = false
	read()
	p.blanks = blanks
}

// condition = conjunction { "or" conjunction }
func (p *parser) condition() *Node {
	return p.chain(Or, OpOr, func() *Node { return p.chain(And, OpAnd, p.negation) })
}

func (p *parser) chain(k Kind, o Op, part func() *Node) *Node {
	n := part()
	if p.tok().Kind != k {
		return n
	}
	n = p.node(Node{Span: n.Span, Op: o, Args: []*Node{n}})
	for p.accept(k) {
		n.Args = append(n.Args, part())
	}
	n.End = p.last()
	return n
}

// negation = "not" negation | comparison
func (p *parser) negation() *Node {
	t := p.tok()
	if !p.accept(Not) {
		return p.comparison()
	}
	p.enter()
	defer func() { p.depth-- }()
	arg := p.negation()
	return p.node(Node{Span: Span{t.Pos, arg.End}, Op: OpNot, Args: []*Node{arg}})
}

// comparison = expr { ("<" | ">" | "<=" | ">=" | "==" | "!=") expr }
func (p *parser) comparison() *Node {
	n := p.expr()
	k := p.tok().Kind
	if k == Assign {
		p.fail(p.tok().Span, "== compares", "= has no place in a condition")
	}
	if p.accept(In) {
		set := p.rangeExpr()
		return p.node(Node{Span: Span{n.Pos, set.End}, Op: OpIn, Args: []*Node{n, set}})
	}
	if k < Less || k > NE {
		return n
	}
	n = p.node(Node{Span: n.Span, Op: OpCompare, Args: []*Node{n}})
	for ; k >= Less && k <= NE; k = p.tok().Kind {
		p.at++
		n.Rels = append(n.Rels, k)
		n.Args = append(n.Args, p.expr())
	}
	n.End = p.last()
	return n
}

// rangeExpr = expr [ ".." expr ]
func (p *parser) rangeExpr() *Node { return p.upTo(p.at, p.expr()) }

// upTo is the range from n, which begins at a token, if .. follows; else n.
func (p *parser) upTo(from int, n *Node) *Node {
	if p.accept(Dots) {
		hi := p.expr()
		p.tighten(from)
		n = p.node(Node{Span: Span{n.Pos, hi.End}, Op: OpRange, Args: []*Node{n, hi}})
	}
	return n
}

// tighten marks the signs of a range, of which there are few.
func (p *parser) tighten(from int) {
	if !p.layout {
		return
	}
	for k := from; k < p.at; k++ {
		switch t := &p.toks[k]; {
		case t.match > k: // brackets inside
			k = t.match
		case (t.Kind == Plus || t.Kind == Minus) && t.role == rNone:
			t.role = rTight
		}
	}
}

// expr = term { ("+" | "-") term }
func (p *parser) expr() *Node {
	p.enter()
	defer func() { p.depth-- }()
	n := p.term()
	if !p.additive() {
		return n
	}
	n = p.node(Node{Span: n.Span, Op: OpSum, Args: []*Node{n}, Minus: []bool{false}})
	for p.additive() {
		if p.blanks {
			p.tok().role = rTight
		}
		n.Minus = append(n.Minus, p.next().Kind == Minus)
		n.Args = append(n.Args, p.term())
	}
	n.End = p.last()
	return n
}

// additive reports whether + or - follows. Where blanks part elements, a sign
// with a blank before and none after begins the next element.
func (p *parser) additive() bool {
	t := p.tok()
	if t.Kind != Plus && t.Kind != Minus {
		return false
	}
	return !(p.blanks && t.spaced && !p.toks[p.at+1].spaced)
}

// products are the operators between factors.
var products = map[Kind]Op{Times: OpMul, DotTimes: OpDotMul, Divide: OpDiv, DotDivide: OpDotDiv}

// maxChain is how many factors a product may have.
// Source: a limit against nested input: each factor is a level of the tree.
const maxChain = 1000

// term = factor { ("*" | ".*" | "/" | "./") factor }
func (p *parser) term() *Node {
	n := p.factor()
	for count := 0; ; count++ {
		o, ok := products[p.tok().Kind]
		if !ok {
			return n
		}
		if count == maxChain {
			p.fail(p.tok().Span, "", "a product has more than %d factors", maxChain)
		}
		if p.blanks {
			p.tok().role = rTight
		}
		p.at++
		right := p.factor()
		n = p.node(Node{Span: Span{n.Pos, right.End}, Op: o, Args: []*Node{n, right}})
	}
}

// factor = ("-" | "+") factor | power
func (p *parser) factor() *Node {
	p.enter()
	defer func() { p.depth-- }()
	t := p.tok()
	switch t.Kind {
	case Minus:
		t.role = rUnary
		p.at++
		arg := p.factor()
		return p.node(Node{Span: Span{t.Pos, arg.End}, Op: OpNeg, Args: []*Node{arg}})
	case Plus:
		t.role = rUnary
		p.at++
		return p.factor()
	}
	return p.power()
}

// power = postfix [ "^" factor ]
func (p *parser) power() *Node {
	n := p.postfix()
	if !p.accept(Power) {
		return n
	}
	e := p.factor()
	return p.node(Node{Span: Span{n.Pos, e.End}, Op: OpPower, Args: []*Node{n, e}})
}

// postfix = primary { "[" index { "," index } "]" | "'" }
func (p *parser) postfix() *Node {
	n := p.primary()
	for range maxChain {
		t := p.tok()
		if p.blanks && t.spaced {
			return n
		}
		switch t.Kind {
		case LBracket:
			n = p.index(n)
		case Quote:
			p.at++
			n = p.node(Node{Span: Span{n.Pos, t.End}, Op: OpTrans, Args: []*Node{n}})
		case LParen:
			p.fail(t.Span, "call functions by name, index with []; write * for a product", "%s is not a function",
				p.f.Short(n.Span))
		default:
			return n
		}
	}
	p.fail(p.tok().Span, "", "more than %d indices and transposes", maxChain)
	return nil
}

func (p *parser) index(base *Node) *Node {
	p.tok().role = rIndex
	p.at++
	n := p.node(Node{Span: base.Span, Op: OpIndex, Args: []*Node{base}})
	p.inside(func() { n.Args = append(n.Args, p.places()...) })
	p.expect(RBracket, "after the index")
	n.End = p.last()
	return n
}

// primary = number | string | name | call | reduction | "(" condition ")" | literal | members
func (p *parser) primary() *Node {
	t := p.next()
	n := p.node(Node{Span: t.Span})
	switch t.Kind {
	case Number:
		if n.Op, n.Num = OpNumber, t.num; t.imag {
			n.Op = OpImaginary
		}
	case String:
		n.Op, n.Name = OpString, t.Text
	case Name:
		n.Op, n.Name = OpName, t.Text
		if a := p.tok(); a.Kind == LParen && !(p.blanks && a.spaced) {
			return p.call(n)
		}
	case LParen:
		var inner *Node
		p.inside(func() {
			from := p.at
			if inner = p.upTo(from, p.condition()); p.tok().Kind == Comma {
				inner = p.node(Node{Op: OpTuple, Args: []*Node{inner}})
			}
			for p.accept(Comma) {
				inner.Args = append(inner.Args, p.expr())
			}
		})
		p.expect(RParen, "to close the parenthesis")
		c := *inner // the span grows by the parentheses, the node is the same
		c.Span = Span{t.Pos, p.last()}
		return &c
	case LBracket:
		p.literal(n, t)
	case LBrace:
		p.members(n)
	case If:
		p.choice(n)
	case Not:
		p.fail(t.Span, "state the contrary itself", "not stands in conditions on data only")
	case Dots:
		p.fail(t.Span, "write both ends, as in 1..n", "a range needs a first number")
	case Colon:
		p.fail(t.Span, "", ": stands alone between the commas of an index, as in x[i,:]")
	default:
		p.at--
		if t.Kind == EOF {
			p.at = len(p.toks) - 1
		}
		p.unexpected("an expression", "")
	}
	return n
}

// call = name "(" [ argument { "," argument } ] ")"
// argument = range | "not" string
// reduction = ("sum" | "max" | "min") "(" bindings ")" term
func (p *parser) call(n *Node) *Node {
	p.at++
	if p.isBinder(p.at) {
		p.toks[p.at-1].role = rReduce
		n.Op = OpReduce
		p.inside(func() { n.Binders, n.Cond = p.bindings() })
		p.expect(RParen, "after the indices")
		body := p.term()
		n.Args, n.End = []*Node{body}, body.End
		return n
	}
	n.Op = OpCall
	p.inside(func() {
		for more := p.tok().Kind != RParen; more; more = p.accept(Comma) && p.tok().Kind != RParen {
			if p.tok().Kind == Not && p.toks[p.at+1].Kind == String {
				n.Args = append(n.Args, p.negation())
			} else {
				n.Args = append(n.Args, p.rangeExpr())
			}
		}
	})
	p.expect(RParen, "after the arguments of "+n.Name)
	n.End = p.last()
	return n
}

// choice = "if" "(" condition "," expr "," expr ")"
func (p *parser) choice(n *Node) {
	if p.tok().Kind != LParen {
		p.fail(n.Span, "write if(cond, a, b)", "a choice is if(cond, a, b), with cond a condition on data")
	}
	p.toks[p.at-1].role = rChoice
	p.at++
	p.inside(func() {
		n.Op, n.Cond = OpChoice, p.condition()
		for range 2 {
			p.expect(Comma, "in if(cond, a, b)")
			n.Args = append(n.Args, p.rangeExpr())
		}
	})
	p.expect(RParen, "after if(cond, a, b")
	n.End = p.last()
}
