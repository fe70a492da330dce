package request

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"platen.dev/edge/schema"
	"platen.dev/events/contract"
)

// The declarations of what a page is loaded with, and when it counts as loaded.

var (
	renderOptions = schema.Object[Render]{
		Name: "RenderOptions", Doc: "As what a page is shown, and when it counts as loaded.", Fields: loadFields,
	}
	htmlRenderOptions = schema.Object[Render]{
		Name: "HtmlRenderOptions", Doc: "As what a document is shown, and when it counts as loaded.", Fields: slices.Concat(loadFields, scriptFields),
	}
	urlRenderOptions = schema.Object[Render]{
		Name: "UrlRenderOptions", Doc: "As what a page is shown, what it is asked for with, and when it counts as loaded.",
		Fields: slices.Concat(loadFields, scriptFields, urlFields),
	}
)

// loadFields apply to every page.
var loadFields = []schema.Field[Render]{
	schema.At("page_load_timeout_ms", schema.Integer{Min: 1, Max: contract.MaxLoadTimeout.Milliseconds()}, func(o *Render) *int64 { return &o.Timeout }).
		Default(contract.DefaultLoadTimeout.Milliseconds()),
	schema.At("wait_until", schema.String{OneOf: contract.LoadMoments()}, func(o *Render) *string { return &o.WaitUntil }).
		Default(contract.UntilLoad).Doc("networkidle: no connection for 500 ms."),
	schema.At("wait_for_selector", cssSelector, func(o *Render) *string { return &o.WaitFor }).
		Doc("A CSS selector to wait for.").Example("#chart.ready"),
	schema.At("wait_after_load_ms", schema.Integer{Min: 0, Max: contract.MaxWaitAfter.Milliseconds()}, func(o *Render) *int64 { return &o.WaitAfter }).
		Default(0).Doc("Extra delay after the load."),
	schema.At("media", schema.String{OneOf: contract.MediaTypes()}, func(o *Render) *string { return &o.Media }).
		Doc("An extension: the CSS medium. Otherwise print for a PDF, and screen for an image."),
}

// scriptFields are of pages that run script: those by URL and full documents.
var scriptFields = []schema.Field[Render]{
	schema.At("wait_for_function", schema.String{MinLength: 1, MaxLength: contract.MaxFunction}, func(o *Render) *string { return &o.WaitForFunction }).
		Doc("An extension: a JavaScript expression to wait for until it is truthy. A promise is awaited; an error means not yet.").Example("window.chart?.ready"),
	schema.At("scroll", schema.Bool{}, func(o *Render) *bool { return &o.Scroll }).
		Default(false).Doc("An extension: the page is scrolled to its end, step by step, and back before anything is waited for."),
	schema.At("user_agent", headerText("user_agent", contract.MaxUserAgent), func(o *Render) *string { return &o.UserAgent }).
		Doc("An extension: the user agent. Otherwise an ordinary Chromium on Linux."),
	schema.At("locale", schema.String{MinLength: 2, MaxLength: 35, Normal: normalLocale}, func(o *Render) *string { return &o.Locale }).DefaultLater(contract.DefaultLocale).Example("de-AT").
		Doc("An extension: the language of the browser, a BCP 47 tag: Accept-Language, navigator.language, dates and numbers."),
	schema.At("time_zone", schema.String{MaxLength: 64, Check: checkTimeZone}, func(o *Render) *string { return &o.TimeZone }).Example("Europe/Berlin").
		Doc("An extension: the time zone of the browser, a name of the IANA database."),
	schema.At("color_scheme", schema.String{OneOf: contract.ColorSchemes()}, func(o *Render) *string { return &o.ColorScheme }).DefaultLater("light").
		Doc("An extension: what prefers-color-scheme says."),
	schema.Not("javascript", func(o *Render) *bool { return &o.NoScript }).
		Doc("An extension: false keeps the page, its frames and workers from running script."),
	schema.At("hide_selectors", schema.List[string]{Items: cssSelector, Most: contract.MaxHidden}, func(o *Render) *[]string { return &o.Hide }).
		Example([]string{"#cookie-banner"}).Doc("An extension: what these CSS selectors match is not shown, and takes no room."),
	schema.At("fail_on_resource_error", schema.Bool{}, func(o *Render) *bool { return &o.FailOnResourceError }).
		Default(false).Doc("An extension: the job fails if a picture, style sheet, script, font or frame of the page is missing."),
	schema.At("fail_on_script_error", schema.Bool{}, func(o *Render) *bool { return &o.FailOnScriptError }).
		Default(false).Doc("An extension: the job fails if an error of the page's scripts is not caught."),
}

// urlFields apply to pages by URL.
var urlFields = []schema.Field[Render]{
	schema.At("style", schema.String{MaxLength: contract.MaxStyle, Check: checkStyle}, func(o *Render) *string { return &o.Style }).
		Example("nav { display: none }").Doc("An extension: CSS that is added to the page, without @import."),
	schema.Read("headers", headers, setHeaders).From(getHeaders).Plan(pro).
		Doc("An extension: headers of requests to the origin of url, and of no others, such as {\"X-Tenant\": \"7\"}."),
	schema.At("cookies", schema.List[contract.Cookie]{Items: cookieOptions, Most: contract.MaxCookies}, func(o *Render) *[]contract.Cookie { return &o.Cookies }).Plan(pro).
		Doc("An extension: cookies for the host of url, or for a domain that it is in, such as [{\"name\": \"session\", \"value\": \"7\"}]."),
}

var headers = schema.Dict[string]{
	Names:  schema.String{MinLength: 1, MaxLength: contract.MaxHeaderName, Check: func(s string) string { return checkHeader(contract.Header{Name: s}) }},
	Values: schema.String{Check: func(s string) string { return checkHeader(contract.Header{Name: "x", Value: s}) }, Secret: true},
	Most:   contract.MaxHeaders,
}

var cookieOptions = schema.Object[contract.Cookie]{
	Name: "Cookie", Doc: "A cookie that the page is asked for with.",
	Fields: []schema.Field[contract.Cookie]{
		schema.At("name", schema.String{MinLength: 1}, func(c *contract.Cookie) *string { return &c.Name }).Required(),
		schema.At("value", schema.String{Secret: true}, func(c *contract.Cookie) *string { return &c.Value }).Required(),
		schema.At("domain", schema.String{MinLength: 1, MaxLength: 253}, func(c *contract.Cookie) *string { return &c.Domain }).
			Doc("With all hosts below it. Otherwise the host of url alone."),
		schema.At("path", schema.String{MinLength: 1}, func(c *contract.Cookie) *string { return &c.Path }).Default("/"),
		schema.At("secure", schema.Bool{}, func(c *contract.Cookie) *bool { return &c.Secure }).Default(false).Doc("Over https only."),
		schema.At("http_only", schema.Bool{}, func(c *contract.Cookie) *bool { return &c.HTTPOnly }).Default(false).Doc("Not for scripts."),
		schema.At("same_site", schema.String{OneOf: contract.SameSites()}, func(c *contract.Cookie) *string { return &c.SameSite }),
	},
	Rules: []schema.Rule[contract.Cookie]{{Field: "name", Check: checkCookie}},
}

// headerText is a text that stands in a header of requests.
func headerText(name string, longest int) schema.String {
	return schema.String{MinLength: 1, MaxLength: longest, Check: func(s string) string {
		if strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }) {
			return name + " must be ASCII without control characters, and without spaces at its ends"
		}
		return ""
	}}
}

func checkHeader(h contract.Header) string { return sentence("header", contract.CheckHeader(h)) }

func checkCookie(c *contract.Cookie) string { return sentence("cookie", contract.CheckCookie(*c)) }

func normalLocale(s string) (usual, wrong string) {
	usual, err := contract.ParseLocale(s)
	return usual, sentence("locale", err)
}

func checkTimeZone(s string) string { return sentence("time_zone", contract.CheckTimeZone(s)) }

func checkStyle(s string) string {
	if len(s) > contract.MaxStyle {
		return fmt.Sprintf("style may have %d bytes in UTF-8", contract.MaxStyle)
	}
	return ""
}

func setHeaders(o *Render, all []schema.Pair[string]) {
	for _, h := range all {
		o.Headers = append(o.Headers, contract.Header{Name: h.Name, Value: h.Value})
	}
}

func getHeaders(o *Render) (all []schema.Pair[string], given bool) {
	for _, h := range o.Headers {
		all = append(all, schema.Pair[string]{Name: h.Name, Value: h.Value})
	}
	return all, len(all) > 0
}

// checkScripted refuses options for pages with scripts on sanitised HTML.
func checkScripted(b *Body) string {
	if b.Render == nil || b.Full || b.HTML == "" {
		return ""
	}
	l := b.Render.Load
	if l.WaitForFunction != "" || l.Scroll || l.UserAgent+l.Locale+l.TimeZone+l.ColorScheme != "" || l.NoScript || len(l.Hide) > 0 || l.FailOnResourceError || l.FailOnScriptError {
		return "render has fields that need html_mode full: they are for pages that run script"
	}
	return ""
}

// checkHeaders refuses repeated headers, even if their names differ in case, and one that auth sets.
func checkHeaders(b *Body) string {
	if b.Render == nil {
		return ""
	}
	seen := map[string]bool{"authorization": b.Auth != nil}
	for _, h := range b.Render.Headers {
		name := strings.ToLower(h.Name)
		switch {
		case seen[name] && name == "authorization" && b.Auth != nil:
			return "the header Authorization cannot be combined with auth"
		case seen[name]:
			return "the header " + h.Name + " is there twice"
		}
		seen[name] = true
	}
	return ""
}

// checkCookies refuses cookies of other sites than that of the page.
func checkCookies(b *Body) string {
	page, err := contract.ParsePageURL(b.URL)
	if err != nil || b.Render == nil { // the URL's own check reports that
		return ""
	}
	for _, c := range b.Render.Cookies {
		if wrong := contract.CheckCookieFor(c, page); wrong != nil {
			return sentence("cookie", wrong)
		}
	}
	return ""
}
