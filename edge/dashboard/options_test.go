package dashboard

import (
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/schema"
)

// Fields are listed by path: texts as they are, credentials without a value, all else as JSON, and long ones from their beginning.
func TestOptions(t *testing.T) {
	long := strings.Repeat("é", maxExcerpt)
	kept := schema.Ordered{
		{Name: "html", Value: "<p>"},
		{Name: "options", Value: schema.Ordered{
			{Name: "header_template", Value: ""},
			{Name: "margin", Value: schema.Ordered{{Name: "top", Value: "1cm"}}},
			{Name: "scale", Value: 1.5},
			{Name: "user_password", Value: schema.Hidden{}},
			{Name: "toc", Value: schema.Ordered{}},
		}},
		{Name: "assets", Value: []any{schema.Ordered{{Name: "content", Value: []byte("x")}}}},
		{Name: "xml", Value: long},
		{Name: "test", Value: true},
	}
	want := []page.Option{
		{Name: "html", Value: "<p>"},
		{Name: "options.header_template"},
		{Name: "options.margin.top", Value: "1cm"},
		{Name: "options.scale", Value: "1.5"},
		{Name: "options.user_password", Hidden: true},
		{Name: "assets", Value: `[{"content":"eA=="}]`},
		{Name: "xml", Value: long[:maxExcerpt] + " …", Bytes: int64(len(long))},
		{Name: "test", Value: "true"},
	}
	if got := options(flat(kept)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
