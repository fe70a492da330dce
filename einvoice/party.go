package einvoice

// Party is a company or person that takes part in the transaction.
type Party struct{ *Node }

// Name is the name of the party.
func (p Party) Name() *Node { return p.At("Name") }

// Description is additional legal information about the party.
func (p Party) Description() *Node { return p.At("Description") }

// IDs are the identifiers of the party, those without a scheme (ID) before those with
// one (GlobalID).
func (p Party) IDs() []*Node { return append(p.All("ID"), p.All("GlobalID")...) }

// VATID is the VAT identifier, registered under the scheme VA.
func (p Party) VATID() *Node { return p.registration("VA") }

// TaxID is the tax number at the local tax authority, registered under the scheme FC.
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

// TradingName is the name that the party trades under, if it is not its name.
func (p Party) TradingName() *Node {
	return p.At("SpecifiedLegalOrganization", "TradingBusinessName")
}

// Email is the electronic address for invoices; its attribute schemeID is the kind of
// address.
func (p Party) Email() *Node { return p.At("URIUniversalCommunication", "URIID") }

// Address is the postal address of the party.
func (p Party) Address() Address { return Address{p.At("PostalTradeAddress")} }

// Contacts are the people or departments to contact.
func (p Party) Contacts() []Contact {
	return wrapAll(p.All("DefinedTradeContact"), func(n *Node) Contact { return Contact{n} })
}

// Address is a postal address.
type Address struct{ *Node }

// Lines are the address lines, such as street and building, as far as they are present.
func (a Address) Lines() []*Node { return nonNil(a.At("LineOne"), a.At("LineTwo"), a.At("LineThree")) }

// Postcode is the postal code.
func (a Address) Postcode() *Node { return a.At("PostcodeCode") }

// City is the city, town or village.
func (a Address) City() *Node { return a.At("CityName") }

// Subdivision is the region of the country, such as a state or province.
func (a Address) Subdivision() *Node { return a.At("CountrySubDivisionName") }

// Country is the code of the country.
func (a Address) Country() *Node { return a.At("CountryID") }

// Contact is a person or department.
type Contact struct{ *Node }

// Person is the name of the person.
func (c Contact) Person() *Node { return c.At("PersonName") }

// Department is the name of the department.
func (c Contact) Department() *Node { return c.At("DepartmentName") }

// Telephone is the telephone number.
func (c Contact) Telephone() *Node {
	return c.At("TelephoneUniversalCommunication", "CompleteNumber")
}

// Fax is the fax number.
func (c Contact) Fax() *Node { return c.At("FaxUniversalCommunication", "CompleteNumber") }

// Email is the e-mail address.
func (c Contact) Email() *Node { return c.At("EmailURIUniversalCommunication", "URIID") }

// nonNil leaves out nil nodes.
func nonNil(nodes ...*Node) []*Node {
	var present []*Node
	for _, n := range nodes {
		if n != nil {
			present = append(present, n)
		}
	}
	return present
}
