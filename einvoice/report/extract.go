package report

// Extract is the XML of a hybrid PDF, with its main contents.
type Extract struct {
	// XML is the embedded file as text: unchanged, unless its encoding is not UTF-8.
	XML string `json:"xml"`
	// FileName and Relationship are as in Embedding.
	FileName     Text `json:"file_name"`
	Relationship Text `json:"relationship"`
	// Kind is that of the XML: CII, UBL or "".
	Kind      Kind `json:"kind"`
	Profile   Text `json:"profile"`
	Guideline Text `json:"guideline"`
	// Facts is nil unless the XML is a well-formed Cross-Industry Invoice.
	Facts *Facts `json:"facts"`
}

// Facts are the main terms of an invoice, valid or not, as they stand in the XML. Amounts keep their digits; valid dates are YYYY-MM-DD.
type Facts struct {
	Number         Text   `json:"number"`
	TypeCode       Text   `json:"type_code"`
	IssueDate      Text   `json:"issue_date"`
	DueDate        Text   `json:"due_date"`
	DeliveryDate   Text   `json:"delivery_date"`
	Currency       Text   `json:"currency"`
	BuyerReference Text   `json:"buyer_reference"`
	OrderNumber    Text   `json:"order_number"`
	Seller         Party  `json:"seller"`
	Buyer          Party  `json:"buyer"`
	IBAN           Text   `json:"iban"`
	Lines          int    `json:"lines"`
	Totals         Totals `json:"totals"`
}

// Party is the seller or the buyer.
type Party struct {
	Name      Text `json:"name"`
	VATID     Text `json:"vat_id"`
	TaxNumber Text `json:"tax_number"`
	City      Text `json:"city"`
	Country   Text `json:"country"`
}

// Totals are those of the document.
type Totals struct {
	Lines      Text `json:"lines"`
	Allowances Text `json:"allowances"`
	Charges    Text `json:"charges"`
	WithoutTax Text `json:"without_tax"`
	Tax        Text `json:"tax"`
	WithTax    Text `json:"with_tax"`
	Paid       Text `json:"paid"`
	Due        Text `json:"due"`
}
