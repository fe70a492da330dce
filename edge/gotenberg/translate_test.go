package gotenberg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"reflect"
	"strings"
	"testing"
)

// sent returns a form as a client sends it; a name with a dot is a file, of the field before a colon. The values between two bars are sent one by one.
func sent(t testing.TB, fields map[string]string) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if !strings.Contains(name, ".") {
			for one := range strings.SplitSeq(value, "||") {
				if err := w.WriteField(name, one); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		field, file, given := strings.Cut(name, ":")
		if !given {
			field, file = "files", name
		}
		part, err := w.CreateFormFile(field, file)
		if err == nil {
			_, err = part.Write([]byte(value))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

func paragraph(markdown string, limit int) (string, error) {
	if len(markdown) > limit || markdown == "bad" {
		return "", errors.New("too deep")
	}
	return "<p>" + markdown + "</p>", nil
}

// manyFiles are the fields of a page with n other files.
func manyFiles(n int) map[string]string {
	all := map[string]string{"index.html": "x"}
	for i := range n {
		all[fmt.Sprintf("%d.css", i)] = ""
	}
	return all
}

const (
	toPDF   = "/forms/chromium/convert/"
	toImage = "/forms/chromium/screenshot/"
	margins = `"margin":{"top":"0.39in","right":"0.39in","bottom":"0.39in","left":"0.39in"}`
)

// Each field of Gotenberg is translated to ours; missing fields get Gotenberg's defaults.
func TestTranslate(t *testing.T) {
	for name, tc := range map[string]struct {
		route  string
		fields map[string]string
		want   string
	}{
		"defaults": {
			toPDF + "url",
			map[string]string{"url": "https://example.com/"},
			`{"url":"https://example.com/","wait":true,"options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `}}`,
		},
		"every option": {
			toPDF + "url",
			map[string]string{
				"url": "https://example.com/", "paperWidth": "210mm", "paperHeight": "11.7", "landscape": "true", "marginTop": "1", "marginBottom": "20px", "marginLeft": "0", "marginRight": "2pc",
				"preferCssPageSize": "true", "generateDocumentOutline": "true", "generateTaggedPdf": "true", "printBackground": "true", "scale": "1.5", "nativePageRanges": "1-3",
				"pdfa": "PDF/A-2b", "pdfua": "true", "metadata": `{"Title":"T","Keywords":["a","b"]}`, "userPassword": "u", "ownerPassword": "o", "flatten": "false", "splitMode": "",
				"waitDelay": "1.5s", "waitForExpression": "window.ready", "waitForSelector": "#a", "emulatedMediaType": "screen", "emulatedMediaFeatures": `[{"name":"prefers-color-scheme","value":"dark"}]`,
				"userAgent": "me", "extraHttpHeaders": `{"X-A":"b"}`, "cookies": `[{"name":"n","value":"v","domain":"d","httpOnly":true,"sameSite":"Lax"}]`, "skipNetworkIdleEvent": "false",
				"failOnHttpStatusCodes": "[599,499]", "failOnResourceHttpStatusCodes": "[499,599]", "failOnConsoleExceptions": "true",
				"header.html": "<b>H</b>", "footer.html": "<i>F</i>",
			},
			`{"url":"https://example.com/","wait":true,"options":{"width":"11.7in","height":"210mm","margin":{"top":"1in","right":"2pc","bottom":"20px","left":"0in"},
				"prefer_css_page_size":true,"outline":true,"tagged":true,"print_background":true,"scale":1.5,"page_ranges":"1-3","pdfa":"2b","pdfua":true,
				"metadata":{"title":"T","keywords":"a, b"},"user_password":"u","owner_password":"o","header_template":"<b>H</b>","footer_template":"<i>F</i>","display_header_footer":true},
			 "render":{"wait_after_load_ms":1500,"wait_for_function":"window.ready","wait_for_selector":"#a","media":"screen","color_scheme":"dark","user_agent":"me","headers":{"X-A":"b"},
				"cookies":[{"name":"n","value":"v","domain":"d","http_only":true,"same_site":"lax"}],"wait_until":"networkidle","fail_on_resource_error":true,"fail_on_script_error":true}}`,
		},
		"marks": {
			toPDF + "url",
			map[string]string{
				"url": "u", "watermarkSource": "text", "watermarkExpression": "DRAFT", "watermarkPages": "1-3", "watermarkOptions": `{"font":"Helvetica","points":48,"color":"0 0.5 1","rotation":30,"opacity":0.15}`,
				"stampSource": "image", "stampExpression": "logo.png", "stampOptions": `{"diagonal":2,"pos":"br","color":"red"}`, "logo.png": "\x89PNG\r\n\x1a\n",
			},
			`{"url":"u","wait":true,"options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `,"watermarks":[
				{"text":"DRAFT","behind":true,"pages":"1-3","color":"#0080ff","font_size":"48pt","rotation_degrees":-30,"opacity":0.15},
				{"image":"data:image/*;base64,iVBORw0KGgo=","behind":false,"rotation_degrees":45,"position":"bottom-right"}]}}`,
		},
		"a mark by default": {
			toPDF + "html",
			map[string]string{"index.html": "<p>", "stampSource": "text", "stampExpression": "x", "stampOptions": "", "watermarkSource": ""},
			`{"html":"<p>","html_mode":"full","large":true,"wait":true,"options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `,
				"watermarks":[{"text":"x","behind":false,"color":"#808080","rotation_degrees":-45}]}}`,
		},
		"marks of files": {
			toPDF + "url",
			map[string]string{
				"url": "u", "stampSource": "text||image", "stampExpression": "x", "stampPages": "||2", "stamp:logo.png": "\x89PNG\r\n\x1a\n",
				"watermarkSource": "image", "watermark:logo.png": "GIF89a",
			},
			`{"url":"u","wait":true,"options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `,"watermarks":[
				{"image":"data:image/*;base64,R0lGODlh","behind":true,"rotation_degrees":-45},
				{"text":"x","behind":false,"color":"#808080","rotation_degrees":-45},
				{"image":"data:image/*;base64,iVBORw0KGgo=","behind":false,"rotation_degrees":-45,"pages":"2"}]}}`,
		},
		"the first of several values": {
			toPDF + "url",
			map[string]string{"url": "u||v", "scale": "1.5||2"},
			`{"url":"u","wait":true,"options":{"width":"8.5in","height":"11in","scale":1.5,"print_background":false,` + margins + `}}`,
		},
		"what switches off": {
			toPDF + "url",
			map[string]string{"url": "u", "flatten": "false", "allowPrinting": "true", "optimizeImages": "false", "embedsMetadata": "{}", "facturxVersion": ""},
			`{"url":"u","wait":true,"options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `}}`,
		},
		"media features as an object, a header with a semicolon": {
			toPDF + "url",
			map[string]string{"url": "u", "emulatedMediaFeatures": `{"prefers-color-scheme":"dark"}`, "extraHttpHeaders": `{"X-A":"b; c=d; my-scope"}`},
			`{"url":"u","wait":true,"options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `},
			  "render":{"color_scheme":"dark","headers":{"X-A":"b; c=d; my-scope"}}}`,
		},
		"single page": {
			toPDF + "url",
			map[string]string{"url": "u", "singlePage": "true"},
			`{"url":"u","wait":true,"options":{"width":"8.5in","single_page":true,"scale":1,"print_background":false,` + margins + `}}`,
		},
		"files": {
			toPDF + "html",
			map[string]string{"index.html:index.html": "<p>\xfc", "b.css": "p{}", "file[0]:a.png": "\x89"}, // in windows-1252; all field names are the same
			`{"html":"<p>ü","html_mode":"full","large":true,"wait":true,"assets":[{"name":"a.png","content":"iQ=="},{"name":"b.css","content":"cHt9"}],
			  "options":{"width":"8.5in","height":"11in","scale":1,"print_background":false,` + margins + `}}`,
		},
		"markdown": {
			toImage + "markdown",
			map[string]string{"index.html": `<h1>{{ toHTML "a.md" }}{{toHTML "b.md"}}</h1>`, "a.md": "A", "b.md": "{{ B }}", "c.md": "unused"},
			`{"html":"<h1><p>A</p><p>{{ B }}</p></h1>","html_mode":"full","large":true,"wait":true,"options":{"viewport":{"width":800,"height":600},"full_page":true}}`,
		},
		"image": {
			toImage + "url",
			map[string]string{"url": "u", "width": "1000", "height": "500", "clip": "true", "format": "webp", "quality": "90", "omitBackground": "true", "optimizeForSpeed": "true"},
			`{"url":"u","wait":true,"options":{"viewport":{"width":1000,"height":500},"full_page":false,"format":"webp","quality":90,"transparent":true}}`,
		},
		"the best JPEG by default, an element of it": {
			toImage + "url",
			map[string]string{"url": "u", "format": "jpeg", "selector": "#chart", "clip": "true", "deviceScaleFactor": "2", "waitWindowStatus": `it's "ready"`},
			`{"url":"u","wait":true,"options":{"viewport":{"width":800,"height":600},"format":"jpeg","quality":100,"selector":"#chart","device_scale_factor":2},
			  "render":{"wait_for_function":"window.status === \"it's \\\"ready\\\"\""}}`,
		},
		"the worst JPEG": {
			toImage + "url",
			map[string]string{"url": "u", "format": "jpeg", "quality": "0", "selector": "", "waitWindowStatus": ""},
			`{"url":"u","wait":true,"options":{"viewport":{"width":800,"height":600},"full_page":true,"format":"jpeg","quality":1}}`,
		},
		"a PNG has no quality": {
			toImage + "url",
			map[string]string{"url": "u", "quality": "100"},
			`{"url":"u","wait":true,"options":{"viewport":{"width":800,"height":600},"full_page":true}}`,
		},
	} {
		contentType, body := sent(t, tc.fields)
		made, err := Translate(tc.route, contentType, body, 1000, paragraph)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(made, &got), json.Unmarshal([]byte(tc.want), &want)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
}

// Refusals name what is wrong or not supported.
func TestRefusals(t *testing.T) {
	for want, fields := range map[string]map[string]string{
		"url is missing": {},
		"paperWidth must be a number of inches, or have one of the units pt, px, in, mm, cm, pc": {"paperWidth": "wide"},
		"scale must be a number":                              {"scale": "x"},
		"scale must be a finite number":                       {"scale": "NaN"},
		"the form cannot be read: userPassword is not text ":  {"userPassword": "\xe4"},
		"landscape must be true or false":                     {"landscape": "yes please"},
		`waitDelay must be a duration such as "2s"`:           {"waitDelay": "2"},
		"cookies must be a JSON array of objects":             {"cookies": "{}"},
		"extraHttpHeaders must be a JSON object of strings":   {"extraHttpHeaders": `{"X":1}`},
		"extraHttpHeaders has an invalid scope for X-A":       {"extraHttpHeaders": `{"X-A":"b;scope="}`},
		"extraHttpHeaders has an invalid scope for X-B":       {"extraHttpHeaders": `{"X-A":"b","X-B":"b; Scoped"}`},
		"extraHttpHeaders cannot have a scope, as X-A has:":   {"extraHttpHeaders": `{"X-A":"b; Scope = https://a.example/.*"}`},
		"pdfa can be PDF/A-2b or PDF/A-3b only":               {"pdfa": "PDF/A-1b"},
		"flatten is not supported here":                       {"flatten": "true"},
		"embeds is not supported here":                        {"embeds:factur-x.xml": "<a/>"},
		"facturxXml is not supported here":                    {"facturxXml:factur-x.xml": "<a/>"},
		"facturxConformanceLevel is not supported here":       {"facturxConformanceLevel": "EN 16931"},
		"allowPrinting is not supported here":                 {"allowPrinting": "false"},
		"the file stamp is missing":                           {"stampSource": "image"},
		"the file stamp needs a stampSource that is image":    {"stamp:a.png": "x", "stampSource": "text", "stampExpression": "x"},
		"the file watermark needs a watermarkSource that is":  {"watermark:a.png": "x"},
		"omitBackground is not supported here":                {"omitBackground": "true"},
		"splitMode is not supported here":                     {"splitMode": "pages"},
		"watermarkSource can be text or image only":           {"watermarkSource": "pdf", "watermarkExpression": "a.pdf"},
		"stampExpression is missing":                          {"stampSource": "text"},
		`the file "a.png" is missing`:                         {"stampSource": "image", "stampExpression": "a.png"},
		"stampOptions must be a JSON object":                  {"stampSource": "text", "stampExpression": "x", "stampOptions": "points:48"},
		"stampOptions can have color, diagonal, ":             {"stampSource": "text", "stampExpression": "x", "stampOptions": `{"scale":1}`},
		"stampOptions of points must be a number of at mos":   {"stampSource": "text", "stampExpression": "x", "stampOptions": `{"points":1001}`},
		"stampOptions of color must be a name, #rrggbb, or":   {"stampSource": "text", "stampExpression": "x", "stampOptions": `{"color":"1 1 2"}`},
		"stampOptions of pos can be bc, bl, br, c":            {"stampSource": "text", "stampExpression": "x", "stampOptions": `{"pos":"x"}`},
		"stampOptions of diagonal can be 1 or 2":              {"stampSource": "text", "stampExpression": "x", "stampOptions": `{"diagonal":0}`},
		"other is not a field of this route":                  {"other": "1"},
		"failOnHttpStatusCodes can be [499,599] only":         {"failOnHttpStatusCodes": "[404]"},
		`metadata can have Title, Author`:                     {"metadata": `{"Copyright":"me"}`},
		"emulatedMediaFeatures must be a JSON object":         {"emulatedMediaFeatures": "dark"},
		`emulatedMediaFeatures can be prefers-color-scheme`:   {"emulatedMediaFeatures": `{"prefers-reduced-motion":"reduce"}`},
		`emulatedMediaFeatures can be prefers-color-scheme o`: {"emulatedMediaFeatures": `[{"name":"prefers-contrast","value":"more"}]`},
		`the file "a.css" is not supported for a page`:        {"a.css": "p{}"},
	} {
		if len(fields) > 0 {
			fields["url"] = "u"
		}
		contentType, body := sent(t, fields)
		if _, err := Translate(toPDF+"url", contentType, body, 1000, paragraph); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", fields, err, want)
		}
	}
	for want, fields := range map[string]map[string]string{
		"the file index.html is missing":              {"a.html": "x"},
		`the file "a.md" is missing`:                  {"index.html": `{{toHTML "a.md"}}`},
		`the file "a.md": too deep`:                   {"index.html": `{{toHTML "a.md"}}`, "a.md": "bad"},
		"the page has more than 1000 bytes":           {"index.html": strings.Repeat(`{{toHTML "a.md"}}`, 100), "a.md": "many words"},
		`index.html has "{{ .Foo }}": a template`:     {"index.html": `<p>{{toHTML "a.md"}} {{ .Foo }}`, "a.md": "A"},
		`index.html has "{{ toHTML a.md }} and": a `:  {"index.html": "{{ toHTML a.md }} and\nmore", "a.md": "A"},
		`the file "a b#c.css": its name must not`:     {"index.html": "x", "a b#c.css": "p{}"},
		"the file \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": {"index.html": "x", strings.Repeat("a", 256) + ".css": "p{}"},
		"a page may have 100 files beside index.htm":  manyFiles(101),
		"url is not a field of this route":            {"index.html": "x", "url": "u"},
		"send a multipart/form-data request":          nil,
		"the form cannot be read: ":                   {"broken": ""},
		"the form has more than 400 parts":            {"many": ""},
		`the form cannot be read: two files are na`:   {"a.md": ""},
	} {
		contentType, body := sent(t, fields)
		switch {
		case fields == nil:
			contentType = "application/json"
		case strings.HasPrefix(want, "the form cannot be read: two"):
			body = append(bytes.TrimSuffix(body, []byte("--\r\n")), append([]byte("\r\n"), body[bytes.IndexByte(body, '\n')+1:]...)...)
		case strings.HasPrefix(want, "the form cannot"):
			body = body[:len(body)-10]
		case strings.HasPrefix(want, "the form has"):
			part := body[:bytes.LastIndex(body, []byte("--"+strings.Split(contentType, "boundary=")[1]))]
			body = bytes.Repeat(part, 401)
		}
		if _, err := Translate(toPDF+"markdown", contentType, body, 1000, paragraph); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", fields, err, want)
		}
	}
}

// A page takes no more room in the request than it has characters: what fits the API as JSON fits this port.
func TestPagesOfTags(t *testing.T) {
	const cells = 1000
	contentType, body := sent(t, map[string]string{"index.html": strings.Repeat("<td>&amp;</td>", cells)})
	made, err := Translate(toPDF+"html", contentType, body, 1<<20, paragraph)
	if err != nil || len(made) > cells*len("<td>&amp;</td>")+1000 {
		t.Errorf("%d bytes for a page of %d, %v", len(made), cells*len("<td>&amp;</td>"), err)
	}
}

// Images have no watermarks: their files are refused as their fields are.
func TestRefusalsOfImages(t *testing.T) {
	for want, fields := range map[string]map[string]string{
		"quality must be a whole number from 0 to 100": {"quality": "101"},
		"format can be png, jpeg or webp only":         {"format": "gif"},
		"deviceScaleFactor must be a number":           {"deviceScaleFactor": "x"},
	} {
		fields["index.html"] = "x"
		contentType, body := sent(t, fields)
		if _, err := Translate(toImage+"html", contentType, body, 1000, paragraph); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", fields, err, want)
		}
	}
	for _, field := range special {
		contentType, body := sent(t, map[string]string{"index.html": "x", field + ":a.png": "y"})
		if _, err := Translate(toImage+"html", contentType, body, 1000, paragraph); err == nil || err.Error() != field+" is not supported here" {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A file that is included often is converted once, and nothing more is included once the page is too long.
func TestInclusionsAreBounded(t *testing.T) {
	converted, included := 0, 0
	documents := func(string, int) (string, error) { converted++; return strings.Repeat("x", 400), nil }
	parts := inclusions{files: map[string][]byte{"a.md": nil, "b.md": nil}, limit: 1000, convert: documents, made: map[string]string{}}
	for n := range 100_000 {
		included += len(parts.next([]string{"a.md", "b.md"}[n%2]))
	}
	if converted != 2 || included != 1200 || parts.err != nil {
		t.Errorf("%d conversions, %d bytes included, %v", converted, included, parts.err)
	}
}

// What the API says about a member of a request, the port says about the field or file that it came from.
func TestFieldOf(t *testing.T) {
	for path, want := range map[string]string{
		"options.margin.top": "marginTop", "render.cookies.1.domain": "cookies.1.domain", "render.headers.X-A": "extraHttpHeaders.X-A", "options.metadata.title": "metadata.title",
		"options.watermarks.0.opacity": "watermark or stamp.0.opacity", "options.header_template": "header.html", "assets": "files", "html": "index.html",
		"options.unknown": "options.unknown", "": "", "render.wait_for_function": "waitForExpression or waitWindowStatus",
	} {
		if got := FieldOf(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// Any input gives a body or an error.
func FuzzTranslate(f *testing.F) {
	for _, fields := range []map[string]string{{"url": "u", "cookies": "[{}]"}, {"index.html": `{{toHTML "a.md"}}`, "a.md": "x"}, {"metadata": `{"Title":[1]}`, "waitDelay": "1h"}} {
		contentType, body := sent(f, fields)
		f.Add(contentType, body)
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		for path := range routes {
			made, err := Translate(path, contentType, body, 1000, paragraph)
			if (err == nil) == (made == nil) || err == nil && !json.Valid(made) {
				t.Errorf("%s: %q, %v", path, made, err)
			}
		}
	})
}
