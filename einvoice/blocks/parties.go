package blocks

import "platen.dev/einvoice"

// party is who sells, buys, is delivered to or is paid.
type party struct {
	Role, Name string
	Lines      []string
	Facts      []pair
}

// parties is the trading-parties block.
func (s *sheet) parties(b Block) []party {
	i := s.invoice
	all := []party{s.party(s.fill(b.label("seller")), i.Seller()), s.party(s.fill(b.label("buyer")), i.Buyer())}
	for _, other := range []struct {
		role string
		who  einvoice.Party
	}{{"Delivery to", i.ShipTo()}, {"Payee", i.Payee()}, {"Tax representative", i.TaxRepresentative()}} {
		if other.who.Node != nil {
			all = append(all, s.party(other.role, other.who))
		}
	}
	return all
}

func (s *sheet) party(role string, p einvoice.Party) party {
	who := party{Role: role, Name: s.text(p.Name())}
	a := p.Address()
	lines := []string{s.text(p.TradingName()), s.text(p.Description())}
	for _, line := range a.Lines() {
		lines = append(lines, s.text(line))
	}
	for _, line := range append(lines, s.texts(" ", a.Postcode(), a.City()), s.texts(", ", a.Subdivision(), a.Country())) {
		if line != "" {
			who.Lines = append(who.Lines, line)
		}
	}
	who.Facts = pairs(
		pair{"VAT ID", s.text(p.VATID())},
		pair{"Tax number", s.text(p.TaxID())},
		pair{"Registration", s.text(p.LegalID())},
		pair{"ID", s.texts(", ", p.IDs()...)},
		pair{"Electronic address", s.text(p.Email())},
	)
	for _, c := range p.Contacts() {
		who.Facts = append(who.Facts, pairs(
			pair{"Contact", s.texts(", ", c.Person(), c.Department())},
			pair{"Telephone", s.text(c.Telephone())},
			pair{"Fax", s.text(c.Fax())},
			pair{"E-mail", s.text(c.Email())},
		)...)
	}
	return who
}
