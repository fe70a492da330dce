package blocks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/boombuler/barcode/qr"

	"platen.dev/einvoice"
)

// qrCode is a QR code for banking apps, as squares of a grid with a white edge.
type qrCode struct {
	Size int
	Path string
}

// maxTransfer is the maximum length of a SEPA transfer code in bytes (EPC069-12, version 2.1, section 3).
const maxTransfer = 331

// qrCode is the code of the SEPA transfer that pays the invoice; nil if none does.
func (p *presenter) qrCode() *qrCode {
	text := transferOf(p.invoice)
	if text == "" {
		return nil
	}
	code, err := qr.Encode(text, qr.M, qr.Unicode)
	if err != nil {
		return nil
	}
	const edge = 4 // ISO/IEC 18004: the quiet zone
	side := code.Bounds().Dx()
	var path strings.Builder
	for y := range side {
		for x := range side {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+edge, y+edge)
			}
		}
	}
	return &qrCode{Size: side + 2*edge, Path: path.String()}
}

var (
	iban = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)
	bic  = regexp.MustCompile(`^[A-Z0-9]{8}([A-Z0-9]{3})?$`)
	// transferable are amounts of a transfer, 0.01 to 999,999,999.99.
	transferable = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,2})?$`)
	// creditorReference is a structured reference (ISO 11649).
	creditorReference = regexp.MustCompile(`^RF[0-9]{2}[A-Z0-9]{1,21}$`)
)

// transfers are the means of payment (UNTDID 4461) by which a payer sends money to an account: credit transfer, payment to bank account,
// home-banking credit transfer and SEPA credit transfer. An invoice may state an IBAN with others as well, such as a direct debit.
var transfers = strings.Fields("30 42 45 58")

// transferOf is the text of the code (EPC069-12, section 2): a transfer of the amount due, in euros, to the first IBAN of the invoice.
// It is empty for what no such transfer pays: tests, credit notes, other currencies, other means of payment, amounts beyond its bounds.
func transferOf(i *einvoice.Invoice) string {
	amount := strings.TrimSpace(i.Totals().DuePayable().Text())
	if i.TestIndicator().IsTrue() || i.IsCreditNote() || strings.TrimSpace(i.Currency().Text()) != "EUR" || !transferable.MatchString(amount) || strings.Trim(amount, "0.") == "" {
		return ""
	}
	for _, means := range i.PaymentMeans() {
		account := compact(means.IBAN())
		if !slices.Contains(transfers, oneLine(means.TypeCode())) || !iban.MatchString(account) || means.DebitedIBAN() != nil {
			continue
		}
		bank := compact(means.BIC())
		if !bic.MatchString(bank) {
			bank = ""
		}
		structured, text := "", reference(i)
		if r := strings.ReplaceAll(text, " ", ""); creditorReference.MatchString(r) {
			structured, text = r, ""
		}
		const version, utf8Text, transfer = "002", "1", "SCT"
		all := strings.Join([]string{"BCD", version, utf8Text, transfer, bank, cut(payeeOf(i, means), 70), account, "EUR" + amount, "", structured, cut(text, 140)}, "\n")
		if len(all) <= maxTransfer {
			return strings.TrimRight(all, "\n")
		}
	}
	return ""
}

// reference returns the reference that the payer states, in one line.
func reference(i *einvoice.Invoice) string {
	if text := oneLine(i.PaymentReference()); text != "" {
		return text
	}
	return oneLine(i.Number())
}

// payeeOf returns the name of the payee.
func payeeOf(i *einvoice.Invoice, means einvoice.PaymentMeans) string {
	for _, name := range []*einvoice.Node{means.AccountName(), i.Payee().Name(), i.Seller().Name()} {
		if text := oneLine(name); text != "" {
			return text
		}
	}
	return ""
}

func oneLine(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	return strings.Join(strings.Fields(n.Text()), " ")
}

func compact(n *einvoice.Node) string { return strings.ReplaceAll(oneLine(n), " ", "") }

// cut is the beginning of a text.
func cut(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters])
}
