package conformance

import (
	"strings"
	"testing"

	"platen.dev/events"
)

// RenderOptions, JobAuthOptions, image options and delivery.

var renderRows = rowsOf([]field{
	{
		id: "render/object", section: "RenderOptions", statement: "render is an object of known fields, all optional",
		on: loadOperations, at: "render", takes: []any{object{}},
		refuses: []refused{notObject("load"), unknownIn(object{"timeout": 1}, "render.timeout")},
	},
	{
		id: "render/page-load-timeout", section: "RenderOptions", statement: "page_load_timeout_ms is an integer from 1 to 120,000",
		on: loadOperations, at: "render.page_load_timeout_ms", takes: []any{1, 30_000, 120_000},
		refuses: []refused{below(0, "1"), above(120_001, "120000"), notInteger("1"), fraction(0.5)},
	},
	{
		id: "render/wait-until", section: "RenderOptions", statement: "wait_until is load, domcontentloaded, networkidle or commit",
		on: loadOperations, at: "render.wait_until", takes: []any{"load", "domcontentloaded", "networkidle", "commit"},
		refuses: []refused{unlisted("idle", waitStates), unlisted("Load", waitStates), unlisted(1, waitStates)},
	},
	{
		id: "render/wait-for-selector", section: "RenderOptions", statement: "wait_for_selector is a string",
		on: loadOperations, at: "render.wait_for_selector", takes: []any{"#chart.ready", "x", long(1_000)},
		refuses: []refused{notText(1), tooShort(""), tooLong(long(1_001), "1000")},
	},
	{
		id: "render/wait-after-load", section: "RenderOptions", statement: "wait_after_load_ms is an integer from 0 to 10,000",
		on: loadOperations, at: "render.wait_after_load_ms", takes: []any{0, 10_000},
		refuses: []refused{below(-1, "0"), above(10_001, "10000"), notInteger("0"), fraction(1.5)},
	},
	{
		id: "render/media", section: "Extensions", statement: "media is print or screen",
		on: loadOperations, at: "render.media", takes: []any{"print", "screen"},
		refuses: []refused{unlisted("all", "'print' or 'screen'"), unlisted("Print", "'print' or 'screen'"), unlisted(1, "'print' or 'screen'")},
	},
	{
		id: "auth/object", section: "JobAuthOptions", statement: "auth is an object of type and value, both required",
		on: urlOperations, at: "auth", takes: []any{object{"type": "basic", "value": "me:secret"}, object{"type": "bearer", "value": "abc"}},
		refuses: []refused{
			notObject("me:secret"), unknownIn(object{"type": "bearer", "value": "x", "realm": "y"}, "auth.realm"),
			{object{"type": "bearer"}, "missing", "Field required", "auth.value"},
			{object{"value": "x"}, "missing", "Field required", "auth.type"},
		},
	},
	{
		id: "auth/type", section: "JobAuthOptions", statement: "type is basic or bearer",
		on: urlOperations, at: "auth.type", required: true, beside: object{"auth.value": "me:secret"}, takes: []any{"basic", "bearer"},
		refuses: []refused{unlisted("digest", "'basic' or 'bearer'"), unlisted(nil, "'basic' or 'bearer'")},
	},
	{
		id: "auth/value", section: "JobAuthOptions", statement: "value is username:password for basic and any token for bearer",
		on: urlOperations, at: "auth.value", required: true, beside: object{"auth.type": "basic"}, takes: []any{":", "me:", "me:a:b"},
		refuses: []refused{
			meaningless("me", "value must have the form username:password for basic"), notText(1), tooShort(""),
			meaningless("me:a\r\nX-Evil: 1", "value must not contain control characters"), tooLong(":"+long(8_192), "8192"),
		},
	},
	{
		id: "auth/bearer", section: "JobAuthOptions", statement: "a bearer token needs no colon",
		on: urlOperations, at: "auth.value", required: true, beside: object{"auth.type": "bearer"}, takes: []any{"eyJhbGciOi", "a b"},
		refuses: []refused{notText(nil)},
	},
})

const waitStates = "'load', 'domcontentloaded', 'networkidle' or 'commit'"

var imageOptionRows = append(rowsOf([]field{
	{
		id: "image/object", section: "Image options", statement: "options is an object of known fields, all optional; those of PDFs are none of them",
		on: imageOperations, at: "options", takes: []any{object{}},
		refuses: []refused{notObject(1), unknownIn(object{"scale": 1}, "options.scale"), unknownIn(object{"watermark": object{"text": "x"}}, "options.watermark")},
	},
	{
		id: "image/format", section: "Image options", statement: "format is png or jpeg, jpg means jpeg",
		on: imageOperations, at: "options.format", takes: []any{"png", "jpeg", "jpg", "PNG", "JPG", "webp"},
		refuses: []refused{unlisted("gif", "'png', 'jpeg', 'jpg' or 'webp'"), unlisted(1, "'png', 'jpeg', 'jpg' or 'webp'")},
	},
	{
		id: "image/quality", section: "Image options", statement: "quality is an integer from 1 to 100",
		on: imageOperations, at: "options.quality", beside: object{"options.format": "jpeg"}, takes: []any{1, 80, 100},
		refuses: []refused{below(0, "1"), above(101, "100"), notInteger("80"), fraction(80.5)},
	},
	{
		id: "image/quality-png", section: "Image options", statement: "quality with png is refused, also with png by default",
		on: imageOperations, at: "options.quality", beside: object{"options.full_page": true},
		refuses: []refused{meaningless(80, "quality applies to jpeg only")},
	},
	{
		id: "image/viewport", section: "Image options", statement: "viewport is an object of width and height",
		on: imageOperations, at: "options.viewport", takes: []any{object{}, object{"width": 800}, object{"width": 800, "height": 600}},
		refuses: []refused{notObject("800x600"), unknownIn(object{"depth": 1}, "options.viewport.depth")},
	},
	{
		id: "image/width", section: "Image options", statement: "width is an integer from 320 to 1920",
		on: imageOperations, at: "options.viewport.width", takes: []any{320, 1920},
		refuses: []refused{below(319, "320"), above(1921, "1920"), notInteger("800"), fraction(320.5)},
	},
	{
		id: "image/height", section: "Image options", statement: "height is an integer from 320 to 8192",
		on: imageOperations, at: "options.viewport.height", takes: []any{320, 8192},
		refuses: []refused{below(319, "320"), above(8193, "8192"), notInteger("800")},
	},
	{
		id: "image/selector", section: extensionSection, statement: "selector is a text of 1 to 1,000 characters, without full_page and clip",
		on: imageOperations, at: "options.selector", takes: []any{"#a", long(1000)},
		refuses: []refused{tooShort(""), tooLong(long(1001), "1000"), notText(1)},
	},
	{
		id: "image/selector-alone", section: extensionSection, statement: "selector with full_page is refused",
		on: imageOperations, at: "options.selector", beside: object{"options.full_page": true},
		refuses: []refused{meaningless("#a", "selector cannot be combined with full_page or clip")},
	},
	{
		id: "image/clip", section: extensionSection, statement: "clip is an object of x, y, width and height, within 1920 × 8192",
		on: imageOperations, at: "options.clip", takes: []any{object{"width": 1, "height": 1}, object{"x": 0, "y": 0, "width": 1920, "height": 8192}, object{"x": 1919, "y": 8191, "width": 1, "height": 1}},
		refuses: []refused{
			notObject("10x10"), unknownIn(object{"width": 1, "height": 1, "depth": 1}, "options.clip.depth"),
			meaningless(object{"x": 1919, "width": 2, "height": 1}, "clip must end within 1920 × 8192 CSS pixels"),
			meaningless(object{"y": 8191, "width": 1, "height": 2}, "clip must end within 1920 × 8192 CSS pixels"),
		},
	},
	{
		id: "image/clip-x", section: extensionSection, statement: "x is an integer from 0 to 1919, and 0 when it is left out",
		on: imageOperations, at: "options.clip.x", beside: object{"options.clip.width": 1, "options.clip.height": 1}, takes: []any{0, 1919},
		refuses: []refused{below(-1, "0"), above(1920, "1919"), notInteger("1")},
	},
	{
		id: "image/clip-y", section: extensionSection, statement: "y is an integer from 0 to 8191, and 0 when it is left out",
		on: imageOperations, at: "options.clip.y", beside: object{"options.clip.width": 1, "options.clip.height": 1}, takes: []any{0, 8191},
		refuses: []refused{below(-1, "0"), above(8192, "8191"), notInteger("1")},
	},
	{
		id: "image/clip-width", section: extensionSection, statement: "width is an integer from 1 to 1920",
		on: imageOperations, at: "options.clip.width", required: true, beside: object{"options.clip.height": 1}, takes: []any{1, 1920},
		refuses: []refused{below(0, "1"), above(1921, "1920"), notInteger("1"), notInteger(nil)},
	},
	{
		id: "image/clip-height", section: extensionSection, statement: "height is an integer from 1 to 8192",
		on: imageOperations, at: "options.clip.height", required: true, beside: object{"options.clip.width": 1}, takes: []any{1, 8192},
		refuses: []refused{below(0, "1"), above(8193, "8192"), notInteger("1"), notInteger(nil)},
	},
	{
		id: "image/clip-alone", section: extensionSection, statement: "clip with full_page is refused",
		on: imageOperations, at: "options.clip", beside: object{"options.full_page": true},
		refuses: []refused{meaningless(object{"width": 1, "height": 1}, "clip cannot be combined with full_page")},
	},
	{
		id: "image/scale", section: extensionSection, statement: "device_scale_factor is a number from 1 to 3",
		on: imageOperations, at: "options.device_scale_factor", takes: []any{1, 1.5, 3},
		refuses: []refused{below(0.9, "1"), above(3.1, "3"), {value: "2", kind: "float_type", msg: "Input should be a valid number"}},
	},
	{
		id: "image/pixels", section: extensionSection, statement: "the viewport's image has 64,000,000 pixels at most",
		on: imageOperations, at: "options.viewport", beside: object{"options.device_scale_factor": 3}, takes: []any{object{"width": 1920, "height": 3703}},
		refuses: []refused{meaningless(object{"width": 1920, "height": 3704}, "viewport makes an image that is too large: at this width and device_scale_factor, png may be 3703 CSS pixels high")},
	},
	{
		id: "image/webp-height", section: extensionSection, statement: "a WebP is 16,383 pixels high at most",
		on: imageOperations, at: "options.clip", beside: object{"options.device_scale_factor": 3, "options.format": "webp"}, takes: []any{object{"width": 1, "height": 5461}},
		refuses: []refused{meaningless(object{"width": 1, "height": 5462}, "clip makes an image that is too large: at this width and device_scale_factor, webp may be 5461 CSS pixels high")},
	},
	{
		id: "image/transparent-jpeg", section: extensionSection, statement: "transparent with jpeg is refused",
		on: imageOperations, at: "options.transparent", beside: object{"options.format": "jpeg"},
		refuses: []refused{meaningless(true, "transparent applies to png and webp only")},
	},
}), row{"image/quality-uncharged", "Image options", "what is refused for its quality, with png by name too, is not charged", proveQualityUncharged})

// A free account has 100 jobs, and refusals use none of them.
func proveQualityUncharged(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, format := range []string{"png", "PNG"} {
		c.post(htmlToImage, object{"html": "x", "options": object{"format": format, "quality": 80}}).
			violations(wrong{"body.options.quality", "value_error", "Value error, quality applies to jpeg only"})
	}
	if u := c.usage(); u.Reserved+u.Used+u.Running != 0 {
		t.Errorf("refusals were charged: %+v", u)
	}
}

var deliveryRows = append(rowsOf([]field{
	{
		id: "delivery/object", section: "Delivery object", statement: "delivery is an object of mode and url, on all six operations",
		on: allOperations, at: "delivery", takes: []any{object{"url": "https://storage.test/put?sig=x"}, object{"mode": "presigned_put", "url": "https://storage.test/"}},
		refuses: []refused{
			notObject("https://storage.test/"),
			{object{}, "missing", "Field required", "delivery.url"},
			unknownIn(object{"url": "https://storage.test/", "retries": 1}, "delivery.retries"),
		},
	},
	{
		id: "delivery/mode", section: "Delivery object", statement: "mode is presigned_put and may be left out",
		on: []string{htmlToPDF}, at: "delivery.mode", beside: object{"delivery.url": "https://storage.test/"}, takes: []any{"presigned_put"},
		refuses: []refused{unlisted("s3", "'presigned_put'"), unlisted(1, "'presigned_put'")},
	},
	{
		id: "delivery/url", section: "Delivery object", statement: "url is https, on port 443 and no other",
		on: allOperations, at: "delivery.url", required: true, takes: []any{"https://storage.test/a?b=c", "https://storage.test:443/a", "https://8.8.8.8/"},
		refuses: []refused{
			meaningless("https://storage.test:8443/a", "url must use port 443, not 8443"), meaningless("https://storage.test:80/a", "url must use port 443, not 80"),
			meaningless("http://storage.test/a", "url must be an https URL with a host"), meaningless("https:///a", "url must be an https URL with a host"),
			meaningless("storage", "url must be an https URL with a host"), meaningless("https://me:pw@storage.test/", "url must not contain credentials"),
			notText(1), tooLong("https://storage.test/"+strings.Repeat("x", 8_192), "8192"),
		},
	},
}), row{"delivery/not-in-test-mode", "Delivery object", "delivery cannot be combined with test mode", func(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for _, path := range allOperations {
		body := minimal(path)
		body["test"], body["delivery"] = true, object{"url": "https://storage.test/"}
		c.post(path, body).violations(wrong{"body.delivery", "value_error", "Value error, delivery cannot be combined with test mode"})
	}
}})
