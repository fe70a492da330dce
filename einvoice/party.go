package einvoice

// Party is a company or person of an invoice.
type Party struct{ *Node }

// Name is what the party is called.
func (p Party) Name() *Node { return p.At("Name") }

// Description is further legal information.
func (p Party) Description() *Node { return p.At("Description") }

// IDs are the party's identifiers, those with a scheme (GlobalID) behind the plain ones.
func (p Party) IDs() []*Node { return append(p.All("ID"), p.All("GlobalID")...) }

// VATID is the VAT identifier, registered under scheme VA.
func (p Party) VATID() *Node { return p.registration("VA") }

// TaxID is the tax number with the local authority, registered under scheme FC.
func (p Party) TaxID() *Node { return p.registration("FC") }

func (p Party) registration(scheme string) *Node {
	for _, r := range p.All("SpecifiedTaxRegistration") {
		if id := r.At("ID"); id.Attribute("schemeID") == scheme {
			return id
		}
	}
	return nil
}

// LegalID is the number in the register of companies.
func (p Party) LegalID() *Node { return p.At("SpecifiedLegalOrganization", "ID") }

// TradingName is what the party is known as, if it is not its name.
func (p Party) TradingName() *Node {
	return p.At("SpecifiedLegalOrganization", "TradingBusinessName")
}

// Email is the electronic address for invoices; its attribute schemeID says of what kind.
func (p Party) Email() *Node { return p.At("URIUniversalCommunication", "URIID") }

// Address is where the party is.
func (p Party) Address() Address { return Address{p.At("PostalTradeAddress")} }

// Contacts are the people to ask.
func (p Party) Contacts() []Contact {
	return wrap(p.All("DefinedTradeContact"), func(n *Node) Contact { return Contact{n} })
}

// Address is a postal address.
type Address struct{ *Node }

// Lines are street, house and whatever else comes before the postcode, those that are given.
func (a Address) Lines() []*Node { return given(a.At("LineOne"), a.At("LineTwo"), a.At("LineThree")) }

// Postcode is the code of the place.
func (a Address) Postcode() *Node { return a.At("PostcodeCode") }

// City is the place.
func (a Address) City() *Node { return a.At("CityName") }

// Subdivision is the part of the country.
func (a Address) Subdivision() *Node { return a.At("CountrySubDivisionName") }

// Country is the country's code.
func (a Address) Country() *Node { return a.At("CountryID") }

// Contact is a person or department.
type Contact struct{ *Node }

// Person is the person's name.
func (c Contact) Person() *Node { return c.At("PersonName") }

// Department is the department's name.
func (c Contact) Department() *Node { return c.At("DepartmentName") }

// Telephone is the telephone number.
func (c Contact) Telephone() *Node {
	return c.At("TelephoneUniversalCommunication", "CompleteNumber")
}

// Fax is the fax number.
func (c Contact) Fax() *Node { return c.At("FaxUniversalCommunication", "CompleteNumber") }

// Email is the e-mail address.
func (c Contact) Email() *Node { return c.At("EmailURIUniversalCommunication", "URIID") }

// given leaves out what is not there.
func given(nodes ...*Node) []*Node {
	var there []*Node
	for _, n := range nodes {
		if n != nil {
			there = append(there, n)
		}
	}
	return there
}
