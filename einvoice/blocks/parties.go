package blocks

import "platen.dev/einvoice"

// party is one party of the block trading-parties.
type party struct {
	Role, Name string
	Lines      []string
	Fields     []field
	// Kept is set if the party must not break across pages.
	Kept bool
}

func (p *presenter) parties(b Block) []party {
	i := p.invoice
	all := []party{p.party(p.label(b, "seller"), i.Seller()), p.party(p.label(b, "buyer"), i.Buyer())}
	for _, other := range []struct {
		role  string
		party einvoice.Party
	}{{p.Word("Delivery to"), i.ShipTo()}, {p.Word("Payee"), i.Payee()}, {p.Word("Tax representative"), i.TaxRepresentative()}} {
		if other.party.Node != nil {
			all = append(all, p.party(other.role, other.party))
		}
	}
	return all
}

func (p *presenter) party(role string, from einvoice.Party) party {
	shown := party{Role: role, Name: p.text(from.Name())}
	a := from.Address()
	lines := []string{p.text(from.TradingName()), p.text(from.Description())}
	for _, line := range a.Lines() {
		lines = append(lines, p.text(line))
	}
	for _, line := range append(lines, p.joinTexts(" ", a.Postcode(), a.City()), p.joinTexts(", ", a.Subdivision(), a.Country())) {
		if line != "" {
			shown.Lines = append(shown.Lines, line)
		}
	}
	shown.Fields = nonEmpty(
		field{p.Word("VAT ID"), p.text(from.VATID())},
		field{p.Word("Tax number"), p.text(from.TaxID())},
		field{p.Word("Registration"), p.text(from.LegalID())},
		field{p.Word("ID"), p.joinTexts(", ", from.IDs()...)},
		field{p.Word("Electronic address"), p.text(from.Email())},
	)
	for _, c := range from.Contacts() {
		shown.Fields = append(shown.Fields, nonEmpty(
			field{p.Word("Contact"), p.joinTexts(", ", c.Person(), c.Department())},
			field{p.Word("Telephone"), p.text(c.Telephone())},
			field{p.Word("Fax"), p.text(c.Fax())},
			field{p.Word("E-mail"), p.text(c.Email())},
		)...)
	}
	shown.Kept = p.sheet.keeps(shown.height(p.sheet))
	return shown
}

func (p party) height(s sheet) float64 {
	width := s.width
	if !s.narrow() {
		width = s.width/2 - 5
	}
	height := heightOf(p.Name, bodySize+1, width)
	for _, line := range p.Lines {
		height += heightOf(line, bodySize, width)
	}
	for _, f := range p.Fields {
		height += max(heightOf(f.Value, detailSize, width*0.6), heightOf(f.Label, detailSize, width*0.3))
	}
	return height
}
