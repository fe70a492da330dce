package stress

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Case is an invoice and a template that shows it.
type Case struct {
	// Name joins the names of the invoice and of the look with a slash.
	Name string
	// XML is valid in Profile, and Template is one that the API accepts.
	XML, Template []byte
	// Lines is how many lines the invoice has.
	Lines int
}

// Cases returns each invoice in two looks, each look with two invoices, and the pairs that strain the same part of the page.
func Cases() []Case {
	pairs := map[[2]string]bool{}
	for name := range invoices {
		pairs[[2]string{name, "plain"}], pairs[[2]string{name, "three-languages"}] = true, true
	}
	for name := range looks {
		pairs[[2]string{"three", name}], pairs[[2]string{"solid", name}] = true, true
	}
	for _, pair := range []string{
		"rtl/arabic", "cjk/japanese", "tall-row/tabloid", "tall-row/strip", "many-allowances/narrow", "many-rates/letter", "thirty/narrow", "two-hundred/legal", "long-numbers/a3",
		"credit-note/german", "sublines/strip", "thirty/labels-60", "thirty/no-vat", "long-units/labels-60",
		"line-breaks/narrow", "digits-200/letter", "tall-party/strip", "codes/labels-60",
	} {
		invoice, look, _ := strings.Cut(pair, "/")
		pairs[[2]string{invoice, look}] = true
	}
	var cases []Case
	for _, pair := range slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		i := invoices[pair[0]]()
		cases = append(cases, Case{Name: pair[0] + "/" + pair[1], XML: i.xml(), Template: looks[pair[1]].template(), Lines: len(i.Lines)})
	}
	return cases
}

// invoices makes each invoice anew for each case.
var invoices = map[string]func() invoice{
	"one":          func() invoice { return ordinary(1) },
	"three":        func() invoice { return ordinary(3) },
	"thirty":       func() invoice { return ordinary(30) },
	"two-hundred":  func() invoice { return ordinary(200) },
	"five-hundred": func() invoice { return ordinary(500) },
	"words": func() invoice {
		return ordinary(2).with(func(i *invoice) { i.everyText(words(length)) })
	},
	"codes": func() invoice {
		return ordinary(2).with(func(i *invoice) { i.everyText(codes(length)) })
	},
	"solid": func() invoice {
		return ordinary(2).with(func(i *invoice) { i.everyText(solid(length)) })
	},
	"line-breaks": func() invoice {
		return ordinary(3).with(func(i *invoice) {
			for n := range i.Lines {
				i.Lines[n].Name = "Crate of lamps\n  12 white\n  12 red\n  12 green"
			}
			i.Seller.Name, i.Buyer.Name = "Nordlicht\nHandels GmbH\nNiederlassung Nord", "Kranich & Söhne OHG\nEinkauf\nTor 4"
			i.Terms = "14 days: 2 %\n30 days: net"
			i.Notes = []string{"First line.\n\nThird line."}
		})
	},
	"long-numbers": func() invoice {
		return ordinary(4).with(func(i *invoice) {
			for n := range i.Lines {
				i.Lines[n].Price, i.Lines[n].Quantity, i.Lines[n].Amount, i.Lines[n].Basis = digits(14), digits(12), digits(18), "100"
			}
			i.Lines[0].Description = words(length)
			i.Sum, i.Tax, i.Total = digits(19), digits(18), digits(19)
			i.Taxes[0].Basis, i.Taxes[0].Amount = digits(19), digits(18)
		})
	},
	"digits-200": func() invoice {
		return ordinary(2).with(func(i *invoice) {
			i.Lines[1].Price, i.Lines[1].Quantity, i.Lines[1].Amount = digits(length), digits(length), digits(length)
			i.Sum, i.Tax, i.Total = digits(length), digits(length), digits(length)
			i.Taxes[0].Basis, i.Taxes[0].Amount = digits(length), digits(length)
		})
	},
	"long-units": func() invoice {
		return ordinary(3).with(func(i *invoice) {
			i.Lines[0].Unit, i.Lines[1].Unit = "Kilowattstunden je Abrechnungszeitraum", solid(40)
		})
	},
	"tall-row": func() invoice {
		return ordinary(3).with(func(i *invoice) {
			i.Lines[1].Description = strings.TrimSpace(strings.Repeat("One of the parts that are delivered separately.\n", 160))
		})
	},
	"tall-party": func() invoice {
		return ordinary(2).with(func(i *invoice) {
			for n := range 70 {
				i.Seller.Contacts = append(i.Seller.Contacts, fmt.Sprintf("Agent No. %d", n+1))
			}
		})
	},
	"many-allowances": func() invoice {
		return ordinary(3).with(func(i *invoice) {
			for n := range 90 {
				i.Allowances = append(i.Allowances, allowance{fmt.Sprintf("%d.50", n+1), "Discount of " + words(20+n)})
			}
		})
	},
	"many-rates": func() invoice {
		return ordinary(3).with(func(i *invoice) {
			i.Taxes = nil
			for n := range 60 {
				i.Taxes = append(i.Taxes, tax{Category: "S", Rate: fmt.Sprintf("%d.5", n), Basis: "123456.78", Amount: "23456.79", Reason: strings.Repeat("By § 13b. ", n%3)})
			}
		})
	},
	"sublines": func() invoice {
		return ordinary(8).with(func(i *invoice) {
			for n := range i.Lines {
				if i.Lines[n].ID = strings.Repeat("1.", n) + "1"; n > 0 {
					i.Lines[n].Parent = i.Lines[n-1].ID
				}
			}
		})
	},
	"credit-note": func() invoice {
		return ordinary(3).with(func(i *invoice) {
			i.Type, i.Sum, i.Tax, i.Total = "381", "-123456.78", "-23456.79", "-146913.57"
			for n := range i.Lines {
				i.Lines[n].Amount = "-" + i.Lines[n].Amount
			}
		})
	},
	"rtl": func() invoice {
		return ordinary(4).with(func(i *invoice) {
			i.Seller.Name, i.Seller.Street = "شركة النجم الشمالي للتجارة", "شارع الميناء 12-14"
			i.Buyer.Name, i.Buyer.Street = "כרם ובניו בע״מ", "רחוב הנמל 3"
			for n, name := range []string{"حبل من البوليستر 32 مم", "صندوق مصابيح LED-12/24", "חבל פוליאסטר 32 מ״מ", "Rope 32 mm (حبل)"} {
				i.Lines[n].Name, i.Lines[n].Description = name, "حسب العرض رقم 2026/10-02، يُسلَّم إلى الرصيف الشمالي"
			}
			i.Notes = []string{"شكرا لتعاملكم معنا."}
		})
	},
	"cjk": func() invoice {
		return ordinary(4).with(func(i *invoice) {
			i.Seller.Name, i.Buyer.Name = "北極星貿易株式会社", "上海仙鹤进出口有限公司"
			for n, name := range []string{"ポリエステルロープ32mm編み込み", "甲板漆浅灰色", "항해등 백색 전방위", "船舶用真鍮製ホース継手および付属品一式"} {
				i.Lines[n].Name, i.Lines[n].Description = name, strings.Repeat("二〇二六年十月二日付の見積書に基づき、北埠頭にて検品のうえ納品いたします。", 4)
			}
		})
	},
}

var looks = map[string]look{
	"plain":           {},
	"german":          {locale: "de-DE", labels: labelled(in(german))},
	"two-languages":   {locale: "de-CH", labels: labelled(func(s string) string { return german[s] + " / " + french[s] })},
	"three-languages": {locale: "fr", labels: labelled(func(s string) string { return german[s] + " / " + french[s] + " / " + s })},
	"labels-60":       {labels: labelled(func(string) string { return words(60) })},
	"labels-60-solid": {labels: labelled(func(string) string { return solid(60) })},
	"arabic":          {locale: "ar", labels: labelled(in(arabic))},
	"japanese":        {locale: "ja", labels: labelled(in(japanese))},
	"a3":              {format: "A3"},
	"letter":          {format: "letter", margin: "0.75in"},
	"legal":           {format: "Legal"},
	"tabloid":         {format: "Tabloid", font: "DejaVu Sans"},
	"narrow":          {margin: "15mm 50mm", footer: words(90)},
	"strip":           {margin: "20mm 82mm", footer: "{number}"},
	"no-margin":       {margin: "0 0 12mm"},
	"no-vat":          {noVAT: true, footer: "{seller_name}"},
	"wide-font":       {font: "DejaVu Sans Mono"},
}
