package edge

import (
	"encoding/hex"
	"testing"

	"platen.dev/events"
)

// A client repeats a request across an upgrade within 48 hours: its fingerprint must
// stay what earlier versions computed for the same method, path and body.
func TestFingerprintsOfEarlierVersions(t *testing.T) {
	d := newFixture(t)
	for _, tc := range goldenFingerprints {
		d.commands = nil
		if a := d.do("POST", tc.path, tc.body, "Idempotency-Key", "order-4711"); a.StatusCode != 202 {
			t.Errorf("%s %s: got %d %s", tc.path, tc.body, a.StatusCode, a.body)
			continue
		}
		got := d.commands[0].(events.Submission).Idempotency
		if got.Key != "order-4711" || hex.EncodeToString(got.Fingerprint[:]) != tc.want {
			t.Errorf("%s %s:\n got key %q, fingerprint %x\nwant %s", tc.path, tc.body, got.Key, got.Fingerprint, tc.want)
		}
	}
}

const nineBlocks = `[{"type":"invoice-heading","enabled":true,"labels":{"title":"Rechnung <b>&\u2028{number}","due_date":null,"number":"Nr."}},{"type":"trading-parties"},` +
	`{"type":"line-items","show_vat_column":false,"labels":null},{"type":"vat-breakdown"},{"type":"amounts-due","labels":{}},{"type":"payment-instructions","text":"Zahlbar\nbis {due_date}"},` +
	`{"type":"invoice-notes","enabled":false},{"type":"additional-invoice-data","enabled":null},{"type":"document-footer","text":""}]`

var goldenFingerprints = []struct{ path, body, want string }{
	{"/html-to-pdf", `{"html":"x"}`, "c2964a2c3ff6d3ed07454682c4a6f25e447c0a9b6519c38a12436195a30741e6"},
	{"/html-to-image", `{"html":"x"}`, "92bb4d6197c2dc760c87ef72b05858623f2971322ce85029bccc2de23315d6b1"},
	{"/html-to-pdf", `{"html":"x","test":false}`, "646a9fb109d0a5dc27a788f090d370ada7402483746353fac1f80fcfd8315216"},
	{"/html-to-pdf", "{\n\t\"test\" : false ,\r\n \"html\":\"x\"}", "646a9fb109d0a5dc27a788f090d370ada7402483746353fac1f80fcfd8315216"},
	{"/html-to-pdf", `{"html":"x","options":null,"webhook_url":null,"test":null,"einvoice":null}`, "c2964a2c3ff6d3ed07454682c4a6f25e447c0a9b6519c38a12436195a30741e6"},
	{"/html-to-pdf", `{"html":"x","options":{}}`, "4f26706d000afa864205b5b50a4f4a46684b9cd6beee67644439a4ad8a898f97"},
	{"/html-to-pdf", `{"html":"a","html":"x"}`, "c2964a2c3ff6d3ed07454682c4a6f25e447c0a9b6519c38a12436195a30741e6"},
	{"/html-to-pdf", `{"html":"<p class=\"a\">Grüße & 漢字 \u00e9 \ud83d\ude00 \ud800 \u2028\u2029 \u0000 \/ \\ \b\f\n\r\t</p>"}`, "2e640aeb40e51d5f12e1ce7e70656cc6cbb19c35f12719a50ca892c09144ce09"},
	{"/html-to-pdf", `{"html":"x","options":{"scale":1.50}}`, "1e09de7d00dd358e0b5ff7b16d21705d21bad441671c2d3c9a1c8c4cf9fd1cba"},
	{"/html-to-pdf", `{"html":"x","options":{"scale":1.5}}`, "22900eef0df3cf56cbaabd1cd44abb6de8bd2ce000652f48c739c40befe27aa5"},
	{"/html-to-pdf", `{"html":"x","options":{"scale":15E-1}}`, "63f0c67e557a06eef48cf4dcb2b005bbbc8c081f8dddf6b00809862e2d6ed459"},
	{"/html-to-pdf", `{"html":"x","options":{"format":"letter"}}`, "102725536711b3b36700cc3435473c575eb3ecb9b814bdc6b04736d1488a7f44"},
	{"/html-to-pdf", `{"html":"x","options":{"format":"Letter"}}`, "a83e519652b61b7ed4dec09751661fd99b771e6c7d426f098e883373fc565911"},
	{"/html-to-pdf", `{"html":"x","options":{"landscape":false,"margin":{"top":"1in","left":null},"print_background":true,"display_header_footer":true,"header_template":"<b>&amp;</b>","footer_template":""}}`, "e15ec4c66192cff6c62925a2d7d64c733ec7b70a79a8f879f44f490cd74e99b2"},
	{"/html-to-pdf", `{"options":{"watermark":{"text":"DRAFT","rotation_degrees":-4.5e1,"color":null},"compression":{"level":9.0,"image_quality":1e2},"user_password":"<pä&ss>"},"html":"x"}`, "ee2bdacaf0020518b30f9250ed9110608204f2af8d525db2e17f369f9a46ee0f"},
	{"/html-to-pdf", `{"options":{"watermark":{"rotation_degrees":-45,"text":"DRAFT"},"compression":{"image_quality":100,"level":9},"user_password":"<pä&ss>"},"html":"x"}`, "ee2bdacaf0020518b30f9250ed9110608204f2af8d525db2e17f369f9a46ee0f"},
	{"/html-to-pdf", `{"html":"x","options":{"watermark":{"text":"a","rotation_degrees":-0.0}}}`, "41bcd2b410818ca1eba38b9230c7d7b5c2506a427f52e76a0c263553be314cc2"},
	{"/html-to-pdf", `{"html":"x","einvoice":{"format":"factur-x","profile":"basicwl","xml":"<x a=\"&amp;\"/>"}}`, "4acff0f94dc6a1683cb3017f05217cef471db2ef89bdd0e1e44b1ff8ea307f7e"},
	{"/url-to-pdf", `{"url":"https://example.com/?a=1&b=<2>","render":{"page_load_timeout_ms":1000.0,"wait_until":"networkidle","wait_for_selector":"#a > b","wait_after_load_ms":0},"auth":{"type":"basic","value":"a:b"},"webhook_url":"https://a.test/?x&y","delivery":{"mode":"presigned_put","url":"https://a.test:443/x?sig=%3C&a"}}`, "b653829cbf131cb54f5aa216f66a30982f200d0b44bdfee8597442ca238774e4"},
	{"/url-to-image", `{"url":"https://example.com/","options":{"format":"JPG","full_page":true,"quality":8e1,"viewport":{"width":1e3,"height":null}},"render":{}}`, "ebb7a509addb238d789c9331882b67e2844a3e846458fbac42049be714f147c0"},
	{"/markdown-to-pdf", `{"markdown":"# Hällo\n\n*x* <y> & z"}`, "285fa1910eabaa8d3b87e433689553b62b1423f32cebd79c93eecc0bf40d9bd1"},
	{"/einvoice-to-pdf", `{"xml":"<x/>"}`, "959d2d4255c930c24cfa2db7eb0a9c79509ae24937935cc3523b56bbb1d14a82"},
	{"/einvoice-to-pdf", `{"xml":"<x/>","profile":"en16931","template":{"version":1.0,"locale":"de-DE","branding":{"font":"x","accent_color":null},"page":{"margin":" 1cm\t2cm ","format":"a4"},"blocks":` + nineBlocks + `}}`, "a068f149469300693182cfda7e35caa27058fbd98f2237d692c64e5d340468bf"},
}

// The command keeps an inline block template as the JSON that earlier versions would have written: fields sorted by
// name, without nulls and white space.
func TestTemplatesAreStoredAsByEarlierVersions(t *testing.T) {
	d := newFixture(t)
	for _, tc := range goldenTemplates {
		d.commands = nil
		if a := d.do("POST", "/einvoice-to-pdf", `{"xml":"<x/>","template":`+tc.template+`}`); a.StatusCode != 202 {
			t.Errorf("%s: got %d %s", tc.template, a.StatusCode, a.body)
			continue
		}
		if got := string(d.commands[0].(events.Submission).Content.Invoice.Template); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.template, got, tc.want)
		}
	}
}

// storedBlocks is nineBlocks as a command keeps it.
const storedBlocks = `"blocks":[{"enabled":true,"labels":{"number":"Nr.","title":"Rechnung \u003cb\u003e\u0026\u2028{number}"},"type":"invoice-heading"},{"type":"trading-parties"},` +
	`{"show_vat_column":false,"type":"line-items"},{"type":"vat-breakdown"},{"labels":{},"type":"amounts-due"},{"text":"Zahlbar\nbis {due_date}","type":"payment-instructions"},` +
	`{"enabled":false,"type":"invoice-notes"},{"type":"additional-invoice-data"},{"text":"","type":"document-footer"}]`

var goldenTemplates = []struct{ template, want string }{
	{`{"version":1,"blocks":` + nineBlocks + `}`, `{` + storedBlocks + `,"version":1}`},
	{"{ \"version\" : 1e0,\n\"locale\":\"en-US\",\"branding\":{},\"page\":{\"format\":\"LETTER\",\"margin\":\"0\"},\"blocks\":" + nineBlocks + "}", `{` + storedBlocks + `,"branding":{},"locale":"en-US","page":{"format":"LETTER","margin":"0"},"version":1}`},
	{`{"page":null,"branding":{"font":"Grüße <&>","accent_color":"#0a5c8c"},"locale":null,"version":1.0,"blocks":` + nineBlocks + `}`, `{` + storedBlocks + `,"branding":{"accent_color":"#0a5c8c","font":"Grüße \u003c\u0026\u003e"},"version":1}`},
}

// The log has only a keyed fingerprint of a request.
func TestFingerprintIsKeyed(t *testing.T) {
	d := newFixture(t)
	d.server.cfg.Fingerprint = func([32]byte) [32]byte { return [32]byte{42} }
	d.do("POST", "/html-to-pdf", `{"html":"x"}`, "Idempotency-Key", "k")
	if got := d.commands[0].(events.Submission).Idempotency; got.Key != "k" || got.Fingerprint != [32]byte{42} {
		t.Errorf("got %+v", got)
	}
}
