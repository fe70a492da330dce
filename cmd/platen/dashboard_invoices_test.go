package main

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"platen.dev/einvoice/sample"
)

const invoicesPath = "/dashboard/invoices"

// dataURI is a file as a form sends it.
func dataURI(content string) string {
	return "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString([]byte(content))
}

// An invoice is checked by a form, as XML or as a file, and makes no job.
func TestDashboardChecksInvoices(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	b, err := os.ReadFile("../../einvoice/rules/testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	good := string(b)
	wrong := strings.Replace(good, "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<", 1)
	for name, c := range map[string]struct {
		form   []string
		status int
		says   string
	}{
		"pasted":     {[]string{"xml", good}, 200, "The invoice is valid"},
		"chosen":     {[]string{"file", dataURI(good), "xml", "<a/>"}, 200, "The invoice is valid"},
		"wrong":      {[]string{"xml", wrong}, 200, "BR-CL-04"},
		"profile":    {[]string{"xml", good, "profile", "minimum"}, 200, "but that of profile minimum is"},
		"PDF":        {[]string{"file", dataURI("%PDF-1.7\n")}, 200, "The invoice isn’t valid"},
		"UBL":        {[]string{"xml", string(sample.XML("ubl-invoice"))}, 200, "The invoice is valid"},
		"Peppol":     {[]string{"xml", strings.Replace(string(sample.XML("ubl-invoice")), ">urn:cen.eu:en16931:2017<", ">urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0<", 1)}, 200, "PEPPOL-EN16931-R007"},
		"unchecked":  {[]string{"xml", strings.Replace(string(sample.XML("ubl-invoice")), ">urn:cen.eu:en16931:2017<", ">urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0<", 1)}, 200, "not everything could be checked"},
		"no base64":  {[]string{"file", "data:,?"}, 422, "arrive whole"},
		"no profile": {[]string{"xml", good, "profile", "xxl"}, 200, "The invoice is valid"},
	} {
		got := p.act(invoicesPath, c.form...)
		if body := html.UnescapeString(got.body); got.status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d\n%s", name, got.status, body)
		}
	}
	if echoed := p.act(invoicesPath, "xml", wrong).body; !strings.Contains(html.UnescapeString(echoed), wrong) {
		t.Error("what was pasted is gone")
	}
	if list := p.get("/dashboard/jobs").body; strings.Contains(list, `data-label="Job"`) {
		t.Errorf("a job was made:\n%s", list)
	}
}

// invoiceFlow chooses and drops a file, which is checked at once, byte for byte.
func invoiceFlow(t *testing.T, _ *inProcessNode, s *screen) {
	w := s.open(t)
	w.signInDemo()
	w.follow(".wide nav a", "Check an invoice")
	const send = `(how) => {
		const files = new DataTransfer();
		files.items.add(new File([new Uint8Array([0xff, 0x3c, 0x61, 0x2f, 0x3e])], 'invoice.xml'));
		if (how === 'drop') {
			document.querySelector('[data-drop]').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
			return '';
		}
		const input = document.querySelector('[data-bytes]');
		input.files = files.files;
		input.dispatchEvent(new Event('change', { bubbles: true }));
		return '';
	}`
	for _, how := range []string{"choose", "drop"} {
		w.leave(func() { w.eval(send, how) })
		w.until(`() => document.querySelector('.verdict')?.textContent.includes('byte 0xFF')`)
	}
	w.quiet(nil)
}
