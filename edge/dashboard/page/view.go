package page

import (
	"encoding/base64"
	"html/template"
	"regexp"
	"time"

	"platen.dev/events"
)

// functions are the functions that templates may call.
var functions = template.FuncMap{
	"t": text, "word": word, "eventName": eventName, "counted": counted, "asset": address,
	"number": number, "size": events.SizeText, "span": span, "spoken": spoken, "anchor": anchor, "short": short, "browser": browser,
	"when": when, "exactly": exactly, "day": day, "pending": pending,
	"navigation": navigation, "operatorNavigation": operatorNavigation, "beginning": beginning, "here": here, "changes": changes, "live": live,
	"gauges": gauges, "rows": newRows, "ended": newEnded, "charts": charts, "legend": legend, "allSeries": allSeries,
	"used": used, "liveUse": liveUse, "late": late, "corrected": corrected, "anyCorrected": anyCorrected,
	"windowOptions": windowOptions, "windowValue": windowValue, "byOptions": byOptions, "groupName": groupName, "groupOf": groupOf,
	"plotTop": constant(plotTop), "plotHeight": constant(plotHeight), "plotBottom": constant(plotBottom), "dayAddress": dayAddress, "rowAddress": rowAddress,
	"confirmation": newConfirmation, "explained": newExplained,
	"filtered": filtered, "date": date, "choices": choices, "command": command,
	"controls": controls, "faultLinks": faultLinks, "chosen": chosen, "typed": typed, "hint": hint, "pageNumbers": pageNumbers, "pictureAddress": pictureAddress,
	"entryAt": newShownEntry, "jobAddress": jobAddress, "away": away, "againAddress": againAddress, "failuresAddress": failuresAddress, "keyName": keyName, "pngAddress": pngAddress,
	"checkedSections": checkedSections, "outcome": outcome,
	"templateName": templateName, "colorOf": colorOf, "placed": placed, "plus": plus,
}

// link is an entry of the navigation. Current is the value of aria-current: "" for another page.
type link struct{ Key, Address, Current string }

// navigation lists the sections that a role may see, on the page that shows v.
func navigation(role events.Role, v any) []link {
	links := []link{{Key: "home", Address: "/dashboard"}, {Key: "jobs", Address: "/dashboard/jobs"}, {Key: "usage", Address: "/dashboard/usage"}}
	if role != events.RoleBilling {
		links = append(links,
			link{Key: "playground", Address: "/dashboard/playground"},
			link{Key: "invoices", Address: "/dashboard/invoices"},
			link{Key: "keys", Address: "/dashboard/keys"},
			link{Key: "webhooks", Address: "/dashboard/webhooks"},
			link{Key: "templates", Address: "/dashboard/templates"},
			link{Key: "members", Address: "/dashboard/members"},
			link{Key: "trail", Address: "/dashboard/trail"},
		)
	}
	for i := range links {
		links[i].Current = here(links[i].Key, v)
	}
	return links
}

// here returns what aria-current says of a section on the page that shows v: a job belongs to the jobs, entries to
// the usage, a template and its versions to the templates.
func here(section string, v any) string {
	switch name := name(v); {
	case name == section:
		return "page"
	case (name == "job" || name == "record") && section == "jobs", name == "entries" && section == "usage",
		name == "undelivered" && section == "webhooks", (name == "factor" || name == "connect") && section == "security",
		name == "try" && section == "playground", (name == "template" || name == "versions") && section == "templates",
		name == "account" && section == "accounts":
		return "true"
	}
	return ""
}

// live returns the address of a page's event stream; "" if the page does not change by itself. A finished job still
// changes while its webhook is retried or its file may be downloaded.
func live(v any) string {
	switch p := v.(type) {
	case Home:
		return "/dashboard/live"
	case JobPage:
		if !p.Ended || p.Webhook && !settled(p.Attempts) || p.HasFile && !p.Gone && p.Downloads > 0 {
			return jobAddress(p.ID, "live")
		}
	case Try:
		if p.Job != nil && !p.Job.Ended {
			return jobAddress(p.Job.ID, "result")
		}
	}
	return ""
}

func settled(attempts []Attempt) bool {
	return len(attempts) > 0 && attempts[len(attempts)-1].Outcome != ""
}

// changes reports whether a role may change anything.
func changes(role events.Role) bool { return role != events.RoleBilling }

func jobAddress(id events.JobID, action string) string {
	return "/dashboard/jobs/" + id.String() + "/" + action
}

// againAddress is the form of the playground with the request of a job.
func againAddress(op events.Operation, id events.JobID) string {
	return "/dashboard/playground/" + string(op) + "?job=" + id.String()
}

// shownEntry is an entry of the trail, with the time at which the page is rendered.
type shownEntry struct {
	Entry
	Now time.Time
}

func newShownEntry(e Entry, now time.Time) shownEntry { return shownEntry{e, now} }

// away returns the address that leads to the provider's sign-in, and then to a page, or first to a choice of accounts.
func away(next string, choose bool, account events.AccountID) string {
	address := "/dashboard/sign-in/away?next=" + template.URLQueryEscaper(next)
	if account != "" {
		address += "&account=" + template.URLQueryEscaper(account)
	}
	if choose {
		address += "&choose=yes"
	}
	return address
}

// failuresAddress lists the jobs that failed for a reason.
func failuresAddress(code events.ErrorCode) string {
	return "/dashboard/jobs?status=failed&error_code=" + template.URLQueryEscaper(code)
}

// ended is a table of jobs of operators' page of recent ones.
type ended struct {
	Caption string
	Jobs    []EndedJob
	Now     time.Time
}

func newEnded(caption string, jobs []EndedJob, now time.Time) ended { return ended{caption, jobs, now} }

// rows is a table of jobs. A brief one leaves out the keys.
type rows struct {
	Caption string
	Jobs    []Job
	Now     time.Time
	Brief   bool
}

func newRows(caption string, jobs []Job, now time.Time, brief bool) rows {
	return rows{caption, jobs, now, brief}
}

// confirmation is a form that asks before it is sent. Key is the section of its texts, Subject what it is about; Name
// and Value are the field that identifies it.
type confirmation struct {
	Key, Action, Token, Name string
	Value, Subject           any
	Danger                   bool
}

func newConfirmation(key, action, token, name string, value, subject any) confirmation {
	return confirmation{key, action, token, name, value, subject, key != "redeliver"}
}

// explained is an error with the address of its explanation.
type explained struct {
	Code    events.ErrorCode
	DocsURL string
}

func newExplained(code events.ErrorCode, docsURL string) explained { return explained{code, docsURL} }

// command returns the shell command that makes an account's first job.
func command(address string) string {
	if address == "" {
		address = "http://127.0.0.1:8080"
	}
	return "curl -s " + address + `/html-to-pdf -H "X-API-Key: YOUR_KEY" --json '{"html": "<h1>Hello, paper</h1>"}'`
}

// pending reports whether a step has yet to come. A step without a time has happened if something is known of it.
func pending(s Step, now time.Time) bool { return s.At.After(now) || s.At.IsZero() && s.Detail == "" }

// short is the part of a job's id by which people tell it from others in a list.
func short(id events.JobID) string { return id.String()[:8] }

// keyName returns the display name of a key.
func keyName(k Key) string {
	if k.Name == "" {
		return k.Prefix + "…" + k.LastFour
	}
	return k.Name
}

// templateName returns the display name of a template.
func templateName(t SavedTemplate) (string, error) {
	if t.Name == "" {
		return text("templates.unnamed")
	}
	return t.Name, nil
}

// shortColor is a color with one digit for each of red, green and blue.
var shortColor = regexp.MustCompile(`^#([0-9A-Fa-f])([0-9A-Fa-f])([0-9A-Fa-f])$`)

// colorOf is a field's color in the only form that browsers take; the default if it has none.
func colorOf(f placedField) string {
	for _, color := range []string{f.Value, f.Default} {
		color = shortColor.ReplaceAllString(color, "#$1$1$2$2$3$3")
		if longColor.MatchString(color) {
			return color
		}
	}
	return "#000000"
}

var longColor = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

func plus(a, b int) int { return a + b }

// pngAddress returns a data URL with a PNG. No caller's text goes into it.
func pngAddress(picture []byte) template.URL {
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(picture))
}
