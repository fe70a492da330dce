package stress

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

// Profile is the profile of all invoices.
const Profile = "extended"

//go:embed invoice.xml
var invoiceXML string

// invoiceTemplate escapes as for HTML, which is correct for XML too.
var invoiceTemplate = template.Must(template.New("invoice").Parse(invoiceXML))

// invoice holds the parts of an invoice that the cases vary.
type invoice struct {
	Number, Name, Type, Reference, Order, Account, Terms, Sum, Tax, Total string
	Notes                                                                 []string
	Lines                                                                 []line
	Seller, Buyer                                                         party
	Taxes                                                                 []tax
	Allowances                                                            []allowance
}

type line struct {
	ID, Parent, Note, Article, Name, Description, Order, Delivery string
	Price, Basis, Quantity, Unit, Rate, Amount                    string
	Properties                                                    [][2]string
}

type party struct {
	Name, Description, Street string
	IDs, Contacts             []string
}

type tax struct{ Category, Rate, Basis, Amount, Reason string }

type allowance struct{ Amount, Reason string }

// xml writes an invoice.
func (i invoice) xml() []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if err := invoiceTemplate.Execute(&b, i); err != nil {
		panic(err) // impossible: the template is our own, and a buffer accepts every write
	}
	return b.Bytes()
}

// ordinary is an invoice of some lines that strains nothing.
func ordinary(lines int) invoice {
	i := invoice{
		Number: "2026/16-KD", Type: "380", Reference: "04011000-12345-67", Order: "PO/4711-08", Account: "Nordlicht Handels GmbH",
		Terms: "Payable within 30 days without deduction.", Sum: "123456.78", Tax: "23456.79", Total: "146913.57",
		Seller: party{Name: "Nordlicht Handels GmbH", Street: "Hafenstraße 12-14", IDs: []string{"70011"}, Contacts: []string{"Ida Holm"}},
		Buyer:  party{Name: "Kranich & Söhne OHG", Street: "Am Alten Markt 3", IDs: []string{"K-2044/1"}},
		Taxes:  []tax{{Category: "S", Rate: "19", Basis: "123456.78", Amount: "23456.79"}},
	}
	for n := range lines {
		i.Lines = append(i.Lines, line{
			ID: fmt.Sprint(n + 1), Article: fmt.Sprintf("LN-%05d", n*37+11), Name: goods[n%len(goods)], Description: "as agreed in the offer of 2026-10-02",
			Order: fmt.Sprintf("PO/4711-%02d", n%7), Delivery: fmt.Sprintf("DN-%06d", 8000+n/3),
			Price: fmt.Sprintf("%d.%02d", 10+n*7%900, n*13%100), Quantity: fmt.Sprint(1 + n*3%40), Unit: "H87", Rate: "19", Amount: fmt.Sprintf("%d.%02d", 100+n*311%90000, n*17%100),
		})
	}
	return i
}

var goods = []string{"Hose coupling, brass, 32 mm", "Deck paint, light grey", "Rope, polyester, braided", "Shackle set", "Navigation lamp, white, all-round"}

// length is the length of long values, in characters.
const length = 200

// words is text of exactly n characters, in words of usual length.
func words(n int) string {
	const text = "delivered in returnable crates to the quay of the northern basin and counted there with the harbour master before noon "
	return strings.TrimSpace(strings.Repeat(text, n/len(text)+1)[:n-1]) + "."
}

// codes is text of at most n characters, in codes, dates and numbers that a browser would break inside.
func codes(n int) string {
	text := ""
	for i := 1; ; i++ {
		code := fmt.Sprintf("%d/%d-KD 2026-%02d-%02d +49-30/%d ", 2000+i, i*7, i%12+1, i%28+1, 1000+i)
		if len(text)+len(code) > n {
			return strings.TrimSpace(text)
		}
		text += code
	}
}

// solid is text of exactly n characters without a space.
func solid(n int) string {
	const text = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen"
	return string([]rune(strings.Repeat(text, n/len([]rune(text))+1))[:n])
}

// digits is a number of n digits and two decimals.
func digits(n int) string { return strings.Repeat("1234567890", n/10+1)[:n] + ".25" }

// with returns a changed invoice.
func (i invoice) with(change func(*invoice)) invoice {
	change(&i)
	return i
}

// everyText puts a text in all places where an invoice has free text.
func (i *invoice) everyText(text string) {
	i.Number, i.Name, i.Reference, i.Order, i.Account, i.Terms = text, text, text, text, text, text
	i.Notes = []string{text}
	for _, p := range []*party{&i.Seller, &i.Buyer} {
		*p = party{Name: text, Description: text, Street: text, IDs: []string{text, text}, Contacts: []string{text}}
	}
	for n := range i.Lines {
		l := &i.Lines[n]
		l.ID, l.Article, l.Name, l.Description, l.Note, l.Order, l.Delivery = text, text, text, text, text, text, text
		l.Properties = [][2]string{{text, text}}
	}
	i.Allowances = []allowance{{"10.00", text}}
	i.Taxes[0].Reason = text
}
