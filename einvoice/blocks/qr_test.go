package blocks

import (
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"platen.dev/einvoice"
)

// scanned reads the QR code on a page, "" for none.
func scanned(t *testing.T, html string) string {
	t.Helper()
	svg := regexp.MustCompile(`<svg viewBox="0 0 (\d+) \d+"[^>]*><path d="([^"]*)"/></svg>`).FindStringSubmatch(html)
	if svg == nil {
		return ""
	}
	const scale = 4
	var side int
	if _, err := fmt.Sscan(svg[1], &side); err != nil {
		t.Fatal(err)
	}
	picture := image.NewGray(image.Rect(0, 0, side*scale, side*scale))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for _, square := range regexp.MustCompile(`M(\d+) (\d+)h1v1h-1z`).FindAllStringSubmatch(svg[2], -1) {
		var x, y int
		if _, err := fmt.Sscan(square[1]+" "+square[2], &x, &y); err != nil {
			t.Fatal(err)
		}
		for dx := range scale {
			for dy := range scale {
				picture.SetGray(x*scale+dx, y*scale+dy, color.Gray{})
			}
		}
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true, gozxing.DecodeHintType_CHARACTER_SET: "UTF-8"})
	if err != nil {
		t.Fatal(err)
	}
	return result.GetText()
}

func withQR(i *einvoice.Invoice) string {
	template := Default()
	template.Blocks[5].ShowQR = true
	return Render(i, template).HTML
}

// A QR reader finds the transfer data of the XML in the code.
func TestQRCode(t *testing.T) {
	if scanned(t, Render(invoice(t, "en16931"), Default()).HTML) != "" {
		t.Error("a code is shown that nobody asked for")
	}
	const (
		due, account, bank = ">200.00</ram:DuePayableAmount", ">DE02120300000000202051<", ">BYLADEM1001<"
		holder, reference  = "<ram:AccountName>Lumen GmbH</ram:AccountName>", "<ram:PaymentReference>R-2026-0042<"
	)
	amount := func(text string) []string { return []string{due, ">" + text + "</ram:DuePayableAmount"} }
	transfer := func(bank, name, account, amount, rest string) string {
		return "BCD\n002\n1\nSCT\n" + bank + "\n" + name + "\n" + account + "\n" + amount + rest
	}
	const lumen, lumenIBAN = "Lumen GmbH", "DE02120300000000202051"
	for name, tc := range map[string]struct {
		changes []string
		want    string
	}{
		"as it is":                {nil, transfer("BYLADEM1001", lumen, lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"no BIC":                  {[]string{bank, ">short<"}, transfer("", lumen, lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"spaces":                  {[]string{account, ">DE02 1203 0000 0000 2020 51<"}, transfer("BYLADEM1001", lumen, lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"the payee is paid":       {[]string{holder, ""}, transfer("BYLADEM1001", "Lumen Factoring AG", lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"a long name":             {[]string{holder, "<ram:AccountName>" + strings.Repeat("ü", 71) + "</ram:AccountName>"}, transfer("BYLADEM1001", strings.Repeat("ü", 70), lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"a structured reference":  {[]string{reference, "<ram:PaymentReference>RF18 5390 0754 7034<"}, transfer("BYLADEM1001", lumen, lumenIBAN, "EUR200.00", "\n\nRF18539007547034")},
		"a long reference":        {[]string{reference, "<ram:PaymentReference>" + strings.Repeat("x ", 71) + "<"}, transfer("BYLADEM1001", lumen, lumenIBAN, "EUR200.00", "\n\n\n"+strings.Repeat("x ", 70))},
		"the least":               {amount("0.01"), transfer("BYLADEM1001", lumen, lumenIBAN, "EUR0.01", "\n\n\nR-2026-0042")},
		"the most":                {amount("999999999.99"), transfer("BYLADEM1001", lumen, lumenIBAN, "EUR999999999.99", "\n\n\nR-2026-0042")},
		"nothing":                 {amount("0.00"), ""},
		"less than nothing":       {amount("-1.00"), ""},
		"too much":                {amount("1000000000.00"), ""},
		"parts of a cent":         {amount("1.001"), ""},
		"no IBAN":                 {[]string{account, ">4711<"}, ""},
		"another currency":        {[]string{"InvoiceCurrencyCode>EUR<", "InvoiceCurrencyCode>USD<"}, ""},
		"a bank account":          {[]string{"TypeCode>58<", "TypeCode>42<"}, transfer("BYLADEM1001", lumen, lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"white space":             {[]string{"TypeCode>58<", "TypeCode> 30\n<"}, transfer("BYLADEM1001", lumen, lumenIBAN, "EUR200.00", "\n\n\nR-2026-0042")},
		"a credit note":           {[]string{"TypeCode>380<", "TypeCode>381<"}, ""},
		"more than a code may be": {[]string{holder, "<ram:AccountName>" + strings.Repeat("界", 70) + "</ram:AccountName>", reference, "<ram:PaymentReference>" + strings.Repeat("界", 140) + "<"}, ""},
	} {
		if got := scanned(t, withQR(invoice(t, "en16931", tc.changes...))); got != tc.want {
			t.Errorf("%s: the code says\n%q, want\n%q", name, got, tc.want)
		}
	}
}

// Whoever pays in another way is not asked for a transfer as well, though the invoice has an IBAN.
func TestQRCodeIsOnlyForTransfers(t *testing.T) {
	for _, code := range []string{"1", "10", "20", "31", "48", "49", "54", "57", "59", "97", "ZZZ"} {
		if got := scanned(t, withQR(invoice(t, "en16931", "TypeCode>58<", "TypeCode>"+code+"<"))); got != "" {
			t.Errorf("means %s: the code says %q", code, got)
		}
	}
}
