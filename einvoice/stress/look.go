package stress

import (
	"cmp"
	"encoding/json"
)

// look holds the parts of a block template that the cases vary.
type look struct {
	locale, font, format, margin, footer string
	// labels are by block and name.
	labels map[string]map[string]string
	noVAT  bool
}

var blockTypes = []string{
	"invoice-heading", "trading-parties", "line-items", "vat-breakdown", "amounts-due", "payment-instructions", "invoice-notes", "additional-invoice-data", "document-footer",
}

// template writes a block template.
func (l look) template() []byte {
	var all []map[string]any
	for _, name := range blockTypes {
		block := map[string]any{"type": name}
		if labels := l.labels[name]; labels != nil {
			block["labels"] = labels
		}
		if name == "line-items" && l.noVAT {
			block["show_vat_column"] = false
		}
		if name == "document-footer" && l.footer != "" {
			block["text"] = l.footer
		}
		all = append(all, block)
	}
	page := map[string]string{}
	if l.format != "" {
		page["format"] = l.format
	}
	if l.margin != "" {
		page["margin"] = l.margin
	}
	b, err := json.Marshal(map[string]any{"version": 1, "locale": cmp.Or(l.locale, "en-US"), "branding": map[string]string{"font": l.font}, "page": page, "blocks": all})
	if err != nil {
		panic(err) // impossible: maps of strings
	}
	return b
}

// labelled returns labels for a whole template, made from each English label.
func labelled(label func(english string) string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for block, names := range english {
		all[block] = map[string]string{}
		for name, text := range names {
			all[block][name] = label(text)
		}
	}
	return all
}

var english = map[string]map[string]string{
	"invoice-heading": {"title": "Invoice", "title_credit_note": "Credit note", "number": "Number", "issue_date": "Date", "due_date": "Due date"},
	"trading-parties": {"seller": "Seller", "buyer": "Buyer"},
	"line-items":      {"description": "Description", "qty": "Quantity", "unit_price": "Unit price", "vat": "VAT", "amount": "Amount"},
	"vat-breakdown":   {"title": "VAT breakdown"},
	"amounts-due":     {"subtotal": "Total without VAT", "tax": "VAT", "total": "Total"},
}

// german, french, arabic and japanese are translations of the labels.
var (
	german = map[string]string{
		"Invoice": "Rechnung", "Credit note": "Gutschriftsanzeige", "Number": "Rechnungsnummer", "Date": "Ausstellungsdatum", "Due date": "Fälligkeitsdatum",
		"Seller": "Leistungserbringer", "Buyer": "Leistungsempfänger", "Description": "Leistungsbeschreibung", "Quantity": "Liefermenge", "Unit price": "Nettoeinzelpreis",
		"VAT": "Umsatzsteuersatz", "Amount": "Gesamtnettobetrag", "VAT breakdown": "Umsatzsteueraufschlüsselung",
		"Total without VAT": "Zwischensumme netto", "Total": "Rechnungsendbetrag",
	}
	french = map[string]string{
		"Invoice": "Facture", "Credit note": "Facture d’avoir", "Number": "Numéro de facture", "Date": "Date d’émission", "Due date": "Date d’échéance",
		"Seller": "Fournisseur", "Buyer": "Acheteur", "Description": "Désignation des prestations", "Quantity": "Quantité facturée", "Unit price": "Prix unitaire hors taxes",
		"VAT": "Taux de la TVA", "Amount": "Montant hors taxes", "VAT breakdown": "Ventilation de la TVA",
		"Total without VAT": "Total hors taxes", "Total": "Total toutes taxes comprises",
	}
	arabic = map[string]string{
		"Invoice": "فاتورة", "Credit note": "إشعار دائن", "Number": "رقم الفاتورة", "Date": "تاريخ الإصدار", "Due date": "تاريخ الاستحقاق",
		"Seller": "البائع", "Buyer": "المشتري", "Description": "الوصف", "Quantity": "الكمية", "Unit price": "سعر الوحدة",
		"VAT": "الضريبة", "Amount": "المبلغ", "VAT breakdown": "تفصيل الضريبة", "Total without VAT": "المجموع بدون ضريبة", "Total": "المجموع",
	}
	japanese = map[string]string{
		"Invoice": "請求書", "Credit note": "クレジットノート", "Number": "請求書番号", "Date": "発行日", "Due date": "支払期限",
		"Seller": "売り手", "Buyer": "買い手", "Description": "品目および仕様の説明", "Quantity": "数量", "Unit price": "単価",
		"VAT": "消費税", "Amount": "金額", "VAT breakdown": "消費税の内訳", "Total without VAT": "小計", "Total": "合計",
	}
)

func in(language map[string]string) func(string) string {
	return func(english string) string { return language[english] }
}
