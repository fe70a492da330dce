package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed templates
var templates embed.FS

// names are the pages by the names of their templates.
var names = []string{
	"signin", "code", "choice", "connect", "invitation", "message", "home", "jobs", "job", "record", "usage", "entries", "keys", "webhooks", "undelivered", "templates", "template",
	"versions", "members", "security", "factor", "trail", "playground", "try", "invoices", "outside", "accounts", "account", "cluster", "queues", "recent",
}

// pages are parsed when the first is written: no other command should wait for it at its start.
var pages = sync.OnceValue(parse)

func parse() map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(functions).ParseFS(templates, "templates/layout.html", "templates/parts.html"))
	all := make(map[string]*template.Template, len(names))
	for _, name := range names {
		all[name] = template.Must(template.Must(shared.Clone()).ParseFS(templates, "templates/"+name+".html"))
	}
	return all
}

// Write writes the whole page that shows v, which is one of SignIn, Code, Choice, Connect, Invitation, Message, Home, Jobs, JobPage, Record, Usage,
// UsageEntries, Keys, Webhooks, Undelivered, Templates, Template, TemplateVersions,
// Members, Security, Factor, Trail, Playground, Try and CheckInvoice, or of operators: Outside, Accounts, AccountPage, Cluster,
// Queues and RecentJobs. It writes nothing if it fails.
func Write(w io.Writer, v any) error {
	layout := "member"
	switch v.(type) {
	case SignIn, Code, Choice, Invitation, Message:
		layout = "guest"
	case Outside:
		layout = "outside"
	case Accounts, AccountPage, Cluster, Queues, RecentJobs:
		layout = "operator"
	}
	return execute(w, v, layout)
}

// Fragment writes the part of a page that changes while it is shown: of a Home, a JobPage or a Try the content of the element
// #live, which the event stream at the address in data-live replaces; of a Template that of #preview.
func Fragment(w io.Writer, v any) error {
	switch v.(type) {
	case Home, JobPage, Try:
		return execute(w, v, "live")
	case Template:
		return execute(w, v, "preview")
	}
	return fmt.Errorf("page: %T has no live part", v)
}

func execute(w io.Writer, v any, part string) error {
	name := name(v)
	if name == "" {
		return fmt.Errorf("page: %T is not a page", v)
	}
	var body bytes.Buffer
	if err := pages()[name].ExecuteTemplate(&body, part, v); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	_, err := overrides.WriteString(w, body.String())
	return err
}

// overrides makes visible the control characters by which a text could reorder what stands beside it. The templates
// contain none, so all of them come from callers.
var overrides = strings.NewReplacer(
	"\u202a", "\ufffd", "\u202b", "\ufffd", "\u202c", "\ufffd", "\u202d", "\ufffd", "\u202e", "\ufffd",
	"\u2066", "\ufffd", "\u2067", "\ufffd", "\u2068", "\ufffd", "\u2069", "\ufffd",
)

func name(v any) string {
	switch v.(type) {
	case SignIn:
		return "signin"
	case Invitation:
		return "invitation"
	case Message:
		return "message"
	case Home:
		return "home"
	case Jobs:
		return "jobs"
	case JobPage:
		return "job"
	case Record:
		return "record"
	case Usage:
		return "usage"
	case UsageEntries:
		return "entries"
	case Keys:
		return "keys"
	case Webhooks:
		return "webhooks"
	case Undelivered:
		return "undelivered"
	case Templates:
		return "templates"
	case Template:
		return "template"
	case TemplateVersions:
		return "versions"
	case Members:
		return "members"
	case Security:
		return "security"
	case Factor:
		return "factor"
	case Code:
		return "code"
	case Choice:
		return "choice"
	case Connect:
		return "connect"
	case Trail:
		return "trail"
	case Playground:
		return "playground"
	case Try:
		return "try"
	case CheckInvoice:
		return "invoices"
	}
	return operatorName(v)
}
