package conformance

import (
	"strings"
	"testing"

	"platen.dev/events"
)

// What a page that runs script is loaded with.

var pageRenderRows = append(rowsOf([]field{
	{
		id: "render/wait-for-function", section: extensionSection, statement: "wait_for_function is an expression of 1 to 10,000 characters",
		on: urlOperations, at: "render.wait_for_function", takes: []any{"window.ready", long(10_000)},
		refuses: []refused{notText(1), tooShort(""), tooLong(long(10_001), "10000")},
	},
	{
		id: "render/user-agent", section: extensionSection, statement: "user_agent is ASCII of 1 to 500 characters",
		on: urlOperations, at: "render.user_agent", takes: []any{"Mozilla/5.0 (x)", strings.Repeat("x", 500)},
		refuses: []refused{
			notText(1), tooShort(""), tooLong(strings.Repeat("x", 501), "500"),
			meaningless("a\r\nX-Evil: 1", "user_agent must be ASCII without control characters, and without spaces at its ends"),
			meaningless("é", "user_agent must be ASCII without control characters, and without spaces at its ends"),
		},
	},
	{
		id: "render/locale", section: extensionSection, statement: "locale is a BCP 47 language tag of 2 to 35 characters",
		on: urlOperations, at: "render.locale", takes: []any{"de", "de-AT", "zh-Hant-TW", "DE-at", "sl-Latn-IT-rozaj-1994-fonipa-fonupa"},
		refuses: []refused{
			notText(1),
			{"d", "string_too_short", "String should have at least 2 characters", ""},
			tooLong("sl-Latn-IT-rozaj-biske-fonipa-fonupa", "35"), meaningless("de_AT", "locale must be a language tag such as de, de-AT or zh-Hant-TW"),
			meaningless("german", "locale must be a language tag such as de, de-AT or zh-Hant-TW"),
			meaningless("de-u-nu-arab", "locale must be a language tag such as de, de-AT or zh-Hant-TW"),
		},
	},
	{
		id: "render/time-zone", section: extensionSection, statement: "time_zone is a name of the IANA database, of 64 characters at most",
		on: urlOperations, at: "render.time_zone", takes: []any{"Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"},
		refuses: []refused{
			notText(1), meaningless("", "time_zone must be a name of the IANA time zone database such as Europe/Berlin"),
			meaningless("Europe/Nowhere", "time_zone must be a name of the IANA time zone database such as Europe/Berlin"),
			meaningless("../etc/passwd", "time_zone must be a name of the IANA time zone database such as Europe/Berlin"),
			meaningless(long(64), "time_zone must be a name of the IANA time zone database such as Europe/Berlin"), tooLong(long(65), "64"), // no name is as long
		},
	},
	{
		id: "render/color-scheme", section: extensionSection, statement: "color_scheme is light or dark",
		on: urlOperations, at: "render.color_scheme", takes: []any{"light", "dark"}, refuses: []refused{unlisted("Dark", "'light' or 'dark'"), unlisted(1, "'light' or 'dark'")},
	},
	{
		id: "render/style", section: extensionSection, statement: "style is CSS of up to 51,200 bytes",
		on: urlOperations, at: "render.style", takes: []any{"", "p { color: red }", long(25_600)},
		refuses: []refused{notText(1), meaningless(long(25_600)+"x", "style may have 51200 bytes in UTF-8")},
	},
	{
		id: "render/hide-selectors", section: extensionSection, statement: "hide_selectors are up to 20 CSS selectors of 1 to 1,000 characters",
		on: urlOperations, at: "render.hide_selectors", takes: []any{[]any{}, []any{"#banner", long(1_000)}, repeated("p", 20)},
		refuses: []refused{
			{"#banner", "list_type", "Input should be a valid list", ""},
			{repeated("p", 21), "too_long", "List should have at most 20 items after validation, not 21", ""},
			{[]any{""}, "string_too_short", "String should have at least 1 character", "render.hide_selectors.0"},
			{[]any{"p", long(1_001)}, "string_too_long", "String should have at most 1000 characters", "render.hide_selectors.1"},
		},
	},
	{
		id: "render/headers", section: extensionSection, statement: "headers are up to 20 names with values of up to 4,096 bytes; those of a connection, Host, Content-Length, Cookie and the browser's own are refused",
		on: urlOperations, at: "render.headers", takes: []any{object{}, object{"X-Tenant": "7", "Authorization": "Token x"}, object{"a": long(2_048)}, object{strings.Repeat("a", 200): ""}, numbered(20)},
		refuses: []refused{
			{"X: y", "dict_type", "Input should be a valid dictionary", ""},
			{numbered(21), "too_long", "Dictionary should have at most 20 items after validation, not 21", ""},
			{object{"a": 1}, "string_type", "Input should be a valid string", "render.headers.a"},
			{object{"a": long(2_048) + "x"}, "value_error", "Value error, header values may have 4096 bytes", "render.headers.a"},
			{object{"a": "x\r\ny: z"}, "value_error", "Value error, header values must not contain control characters, nor spaces at their ends", "render.headers.a"},
			{object{"a b": "x"}, "value_error", "Value error, header names consist of letters, digits and some marks, without spaces and colons", "render.headers.a b"},
			{object{strings.Repeat("a", 201): ""}, "string_too_long", "String should have at most 200 characters", "render.headers." + strings.Repeat("a", 99) + "…"},
			refusedHeader("Host"), refusedHeader("content-length"), refusedHeader("Connection"), refusedHeader("TE"), refusedHeader("Transfer-Encoding"),
			refusedHeader("Upgrade"), refusedHeader("Proxy-Authorization"), refusedHeader("Sec-Fetch-Site"), refusedHeader("Origin"),
			{object{"Cookie": "a=b"}, "value_error", "Value error, header Cookie is refused: use cookies", "render.headers.Cookie"},
			{object{"A": "x", "a": "y"}, "value_error", "Value error, the header a is there twice", "render"},
		},
	},
	{
		id: "render/headers-and-auth", section: extensionSection, statement: "a header Authorization excludes auth",
		on: urlOperations, at: "render.headers", beside: object{"auth": object{"type": "bearer", "value": "x"}}, takes: []any{object{"X-Tenant": "7"}},
		refuses: []refused{{object{"authorization": "x"}, "value_error", "Value error, the header Authorization cannot be combined with auth", "render"}},
	},
	{
		id: "render/cookies", section: extensionSection, statement: "cookies are up to 50 of name, value, domain, path, secure, http_only and same_site",
		on: urlOperations, at: "render.cookies", beside: object{"url": publicPage}, takes: []any{
			[]any{},
			[]any{cookie("a", "b")},
			[]any{cookie("a", strings.Repeat("x", 4_095))},
			cookies(50),
			[]any{object{"name": "__Host-a", "value": "", "path": "/", "secure": true, "http_only": true, "same_site": "strict", "domain": nil}},
			[]any{object{"name": "a", "value": "", "path": "/" + long(170) + "xxx"}}, // each é is six bytes to the browser
			[]any{object{"name": "a", "value": "", "path": "/" + strings.Repeat("x", 1_023)}},
			[]any{object{"name": "__Host-Http-a", "value": "", "secure": true, "http_only": true}, object{"name": "__Http-a", "value": "", "secure": true, "http_only": true}},
			[]any{object{"name": "a", "value": `{"a": "b, c"}`, "same_site": "none", "secure": true, "path": "/x", "domain": "93.184.216.34"}},
		},
		refuses: []refused{
			{object{"a": "b"}, "list_type", "Input should be a valid list", ""},
			{cookies(51), "too_long", "List should have at most 50 items after validation, not 51", ""},
			{[]any{object{"value": "x"}}, "missing", "Field required", "render.cookies.0.name"},
			{[]any{object{"name": "x"}}, "missing", "Field required", "render.cookies.0.value"},
			{[]any{object{"name": "x", "value": "x", "expires": 1}}, "extra_forbidden", "Extra inputs are not permitted", "render.cookies.0.expires"},
			{[]any{object{"name": "x", "value": "x", "same_site": "Lax"}}, "literal_error", "Input should be 'strict', 'lax' or 'none'", "render.cookies.0.same_site"},
			wrongCookie(cookie("a=b", "x"), "cookie names consist of letters, digits and some marks, without spaces, = and ;"),
			wrongCookie(cookie("a", "b; Secure"), "cookie values must not contain control characters and ;, nor spaces at their ends"),
			wrongCookie(cookie("a", strings.Repeat("x", 4_096)), "cookie name and value may have 4096 bytes together"),
			wrongCookie(object{"name": "a", "value": "x", "same_site": "none"}, "cookie with same_site none must be secure"),
			wrongCookie(object{"name": "a", "value": "x", "path": "x"}, "cookie paths begin with / and have up to 1024 bytes in percent-encoding, without control characters and ;"),
			wrongCookie(object{"name": "a", "value": "", "path": "/" + long(170) + "xxxx"}, "cookie paths begin with / and have up to 1024 bytes in percent-encoding, without control characters and ;"),
			wrongCookie(object{"name": "a", "value": "", "path": "/" + strings.Repeat("x", 1_024)}, "cookie paths begin with / and have up to 1024 bytes in percent-encoding, without control characters and ;"),
			wrongCookie(object{"name": "a", "value": "", "path": "/x "}, "cookie paths must not end with a space"),
			wrongCookie(object{"name": "__Http-a", "value": "", "secure": true}, "cookie names that begin with __Http- or __Host-Http- are of cookies that are secure and http_only"),
			wrongCookie(object{"name": "__host-http-a", "value": "", "secure": true}, "cookie names that begin with __Http- or __Host-Http- are of cookies that are secure and http_only"),
			{[]any{object{"name": "a", "value": "", "domain": ""}}, "string_too_short", "String should have at least 1 character", "render.cookies.0.domain"},
			wrongCookie(cookie("__Secure-a", "x"), "cookie names that begin with __Secure- are of secure cookies"),
			{[]any{object{"name": "a", "value": "x", "domain": "example.com"}}, "value_error", `Value error, cookie domain "example.com" must be the host of url, or one that it is below`, "render"},
		},
	},
}),
	row{"render/cookie-domain", extensionSection, "the domain of a cookie is the host of url or one above it, and no public suffix", proveCookieDomain},
	row{"render/full-only", extensionSection, "HTML takes the fields of pages that run script with html_mode full only", proveFullOnly},
	row{"render/queue", extensionSection, "headers and cookies count toward the limit of the queue", proveAccessFits})

func refusedHeader(name string) refused {
	return refused{object{name: "x"}, "value_error", "Value error, header " + name + " is refused: the browser writes it itself", "render.headers." + name}
}

func cookie(name, value string) object { return object{"name": name, "value": value} }

func wrongCookie(c object, sentence string) refused {
	return refused{[]any{c}, "value_error", "Value error, " + sentence, "render.cookies.0.name"}
}

func cookies(n int) (all []any) {
	for name := range numbered(n) {
		all = append(all, cookie(name, "x"))
	}
	return all
}

func repeated(text string, n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = text
	}
	return all
}

// numbered are n different names.
func numbered(n int) object {
	all := object{}
	for i := range n {
		all["x"+strings.Repeat("y", i)] = "v"
	}
	return all
}

func proveCookieDomain(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for domain, wrong := range map[string]string{
		"www.example.co.uk": "", "example.co.uk": "", ".example.co.uk": "", "EXAMPLE.co.uk": "",
		"co.uk": `cookie domain "co.uk" is a public suffix`, "uk": `cookie domain "uk" is a public suffix`,
		"ample.co.uk":         `cookie domain "ample.co.uk" must be the host of url, or one that it is below`,
		"a.www.example.co.uk": `cookie domain "a.www.example.co.uk" must be the host of url, or one that it is below`,
		".":                   `cookie domain "." must be the host of url, or one that it is below`,
	} {
		a := c.post(urlToPDF, object{"url": "http://www.example.co.uk/", "render": object{"cookies": []any{object{"name": "a", "value": "b", "domain": domain}}}})
		if wrong != "" {
			a.violations(problemAt("render", wrong))
		} else if a.StatusCode == 422 { // the name may resolve to nothing here
			t.Errorf("%s: %s", domain, a.body)
		}
	}
	longest := strings.Repeat("a.", 121) + "example.com"
	at := object{"url": "http://" + longest + "/", "render": object{"cookies": []any{object{"name": "a", "value": "b", "domain": longest}}}}
	if a := c.post(urlToPDF, at); len(longest) != 253 || a.StatusCode == 422 {
		t.Errorf("%d characters: %s", len(longest), a.body)
	}
	set(at, "render.cookies.0.domain", "."+longest)
	c.post(urlToPDF, at).violations(wrong{"body.render.cookies.0.domain", "string_too_long", "String should have at most 253 characters"})
}

func problemAt(at, sentence string) wrong {
	return wrong{"body." + at, "value_error", "Value error, " + sentence}
}

func proveAccessFits(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	most := func(cookies int, rest int) object {
		all := []any{}
		for name := range numbered(cookies) {
			all = append(all, cookie(name, strings.Repeat("x", 4_000)))
		}
		headers := object{}
		for name := range numbered(rest) {
			headers[name] = strings.Repeat("x", 4_000)
		}
		return object{"url": publicPage, "render": object{"cookies": all, "headers": headers}}
	}
	c.post(urlToPDF, most(50, 5)).accepted()
	c.post(urlToPDF, most(50, 20)).status(413)
}

func proveFullOnly(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for field, value := range map[string]any{
		"wait_for_function": "1", "scroll": true, "user_agent": "x", "locale": "de", "time_zone": "UTC", "color_scheme": "dark", "javascript": false,
		"hide_selectors": []any{"p"}, "fail_on_resource_error": true, "fail_on_script_error": true,
	} {
		for _, path := range htmlOperations {
			body := object{"html": "<p>x</p>", "render": object{field: value}}
			c.post(path, body).violations(problemAt("render", "render has fields that need html_mode full: they are for pages that run script"))
			body["html_mode"] = "full"
			c.post(path, body).accepted()
		}
	}
	for _, field := range []string{"style", "headers", "cookies"} {
		c.post(htmlToPDF, object{"html": "x", "html_mode": "full", "render": object{field: object{}}}).
			violations(wrong{"body.render." + field, "extra_forbidden", "Extra inputs are not permitted"})
	}
}
