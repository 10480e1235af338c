package syntax

// literal = "[" row { ";" row } "]", elements parted by commas or by blanks.
func (p *parser) literal(n *Node, open *Token) {
	n.Op = OpLiteral
	commas := open.commas
	open.role = rLiteral
	blanks := p.blanks
	p.blanks = !commas
	for p.tok().Kind != RBracket {
		var row []*Node
		for k := p.tok().Kind; k != Semicolon && k != RBracket; k = p.tok().Kind {
			if commas && len(row) > 0 {
				p.expect(Comma, "between the elements; blanks part them only where there are no commas")
			}
			if !commas && len(row) > 0 {
				p.tok().element = true
			}
			row = append(row, p.expr())
		}
		if len(row) == 0 {
			p.unexpected("an element", "")
		}
		n.Rows = append(n.Rows, row)
		if !p.accept(Semicolon) {
			break
		}
	}
	p.blanks = blanks
	p.expect(RBracket, "after the elements")
	n.End = p.last()
}

// members = "{" [ range { "," range } ] "}" | "{" bindings "}"
func (p *parser) members(n *Node) {
	n.Op = OpMembers
	p.inside(func() {
		if p.isBinder(p.at) {
			n.Op = OpFilter
			n.Binders, n.Cond = p.bindings()
			return
		}
		for more := p.tok().Kind != RBrace; more; more = p.accept(Comma) && p.tok().Kind != RBrace {
			n.Args = append(n.Args, p.rangeExpr())
		}
	})
	p.expect(RBrace, "after the members of the set")
	n.End = p.last()
}
