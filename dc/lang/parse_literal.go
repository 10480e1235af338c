package lang

// literal = "[" row { ";" row } "]", elements parted by commas or by blanks.
func (p *parser) literal(n *node, open *token) {
	n.op = opLiteral
	commas := open.commas
	open.role = rLiteral
	blanks := p.blanks
	p.blanks = !commas
	for p.tok().kind != tRBracket {
		var row []*node
		for k := p.tok().kind; k != tSemicolon && k != tRBracket; k = p.tok().kind {
			if commas && len(row) > 0 {
				p.expect(tComma, "between the elements; blanks part them only where there are no commas")
			}
			if !commas && len(row) > 0 {
				p.tok().element = true
			}
			row = append(row, p.expr())
		}
		if len(row) == 0 {
			p.unexpected("an element", "")
		}
		n.rows = append(n.rows, row)
		if !p.accept(tSemicolon) {
			break
		}
	}
	p.blanks = blanks
	p.expect(tRBracket, "after the elements")
	n.end = p.last()
}

// members = "{" [ range { "," range } ] "}" | "{" bindings "}"
func (p *parser) members(n *node) {
	n.op = opMembers
	blanks := p.blanks
	p.blanks = false
	if p.isBinder(p.at) {
		n.op = opFilter
		n.binders, n.cond = p.bindings()
	} else {
		for p.tok().kind != tRBrace {
			n.args = append(n.args, p.rangeExpr())
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.blanks = blanks
	p.expect(tRBrace, "after the members of the set")
	n.end = p.last()
}
