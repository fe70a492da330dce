package page_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"time"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// now is the time at which all pages of the tests are rendered.
var now = time.Date(2026, 1, 31, 14, 30, 0, 0, time.UTC)

const (
	docsURL    = "https://platen.example/docs/ERRORS.md"
	upgradeURL = "https://platen.example/pricing"
)

func before(d time.Duration) time.Time { return now.Add(-d) }

func jobID(n byte) events.JobID {
	return events.JobID{0x8d, 0x2e, 0x6f, n, 0x4c, 0x1b, 0x4f, 0x0e, 0x9b, 0x7a, 0x2d, 0x1c, 0x3e, 0x4f, 0x5a, n}
}

func frame() page.Frame {
	return page.Frame{
		Account: "acc_mfrggzdfmztwq2lk", Plan: events.PlanPro, Email: "ada@lovelace.example", Role: events.RoleOwner,
		Token: "0f1e2d3c4b5a", Now: now,
	}
}

func billing() page.Frame {
	f := frame()
	f.Email, f.Role = "office@lovelace.example", events.RoleBilling
	return f
}

var jobs = []page.Job{
	{ID: jobID(1), Operation: events.HTMLToPDF, Status: events.StatusQueued, Created: before(4 * time.Second), Key: "key_abcdefgh", KeyName: "Shop"},
	{
		ID: jobID(2), Operation: events.URLToPDF, Status: events.StatusRendering, Created: before(21 * time.Second), Key: "key_abcdefgh", KeyName: "Shop",
		Tags: []events.Tag{{Name: "customer", Value: "4711"}, {Name: "kind", Value: "invoice"}, {Name: "environment", Value: "production"}, {Name: "department", Value: "accounts-receivable"}},
	},
	{ID: jobID(3), Operation: events.EInvoiceToPDF, Status: events.StatusUploading, Created: before(50 * time.Second), Key: "key_abcdefgh", KeyName: "Shop"},
	{
		ID: jobID(4), Operation: events.EInvoiceToPDF, Status: events.StatusDone, Created: before(3 * time.Minute), Finished: before(3*time.Minute - 380*time.Millisecond),
		Key: "key_ijklmnop", KeyName: "Accounting", Size: 148_213, Pages: 2, Total: 380 * time.Millisecond,
		Tags: []events.Tag{{Name: "invoice", Value: "2026-0131"}},
	},
	{
		ID: jobID(5), Operation: events.URLToImage, Status: events.StatusFailed, Created: before(12 * time.Minute), Finished: before(11 * time.Minute),
		Error: events.PageTimeout, Key: "key_abcdefgh", KeyName: "Shop", Total: 45 * time.Second,
	},
	{
		ID: jobID(6), Operation: events.HTMLToPDF, Status: events.StatusDone, Test: true, Created: before(2 * time.Hour), Finished: before(2 * time.Hour),
		Key: "key_dev_91bcdc39fe40", Size: 20_480, Pages: 1,
	},
	{
		ID: jobID(7), Operation: events.MarkdownToPDF, Status: events.StatusDone, Created: before(26 * time.Hour), Finished: before(26 * time.Hour),
		Key: "key_ijklmnop", KeyName: "Accounting", Size: 12_884_901, Pages: 1280, Total: 9400 * time.Millisecond,
	},
	{
		ID: jobID(8), Operation: events.URLToPDF, Status: events.StatusFailed, Created: before(75 * time.Hour), Finished: before(75 * time.Hour),
		Error: events.NavigationFailed, Key: "key_abcdefgh", KeyName: "Shop", Total: 1200 * time.Millisecond,
	},
}

var keys = []page.Key{
	{ID: "key_abcdefgh", Name: "Shop", Prefix: "sk_live_", LastFour: "x7Qd", Created: before(90 * 24 * time.Hour), LastUsed: before(30 * time.Second)},
	{ID: "key_ijklmnop", Name: "Accounting", Prefix: "sk_live_", LastFour: "9bKs", Created: before(40 * 24 * time.Hour), LastUsed: before(3 * time.Minute)},
	{ID: "key_qrstuvwx", Prefix: "sk_test_", LastFour: "Zz01", Created: before(5 * 24 * time.Hour)},
	{
		ID: "key_yz234567", Name: "Old server", Prefix: "sk_live_", LastFour: "aa3F", Created: before(400 * 24 * time.Hour),
		LastUsed: before(60 * 24 * time.Hour), Revoked: before(59 * 24 * time.Hour),
	},
}

func home() page.Home {
	return page.Home{
		Frame: frame(),
		Quota: page.Quota{
			Jobs: 12_482, JobLimit: 50_000, Bytes: 44 << 30, ByteLimit: 50 << 30, Tests: 2000, TestsPerDay: 2000,
			Start: time.Date(2026, 1, 12, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC),
		},
		Running: 3, Limits: page.Limits{Running: 50, RequestsPerMinute: 500}, Recent: jobs,
		Failures: []page.Failure{{events.NavigationFailed, 7}, {events.PageTimeout, 2}, {events.BrowserCrashed, 1}},
		Looked:   2000, UpgradeURL: upgradeURL, DocsURL: docsURL, Address: "https://platen.example",
	}
}

func suspendedHome() page.Home {
	h := home()
	h.Suspended, h.Failures = "Invoice 2026-0117 is unpaid", nil
	return h
}

func jobList() page.Jobs {
	return page.Jobs{
		Frame: frame(), Jobs: jobs, Keys: keys, Next: "/dashboard/jobs?status=failed&cursor=AAABnBGx",
		Filter: page.Filter{Status: "failed", TagName: "customer", TagValue: "4711", From: "2026-01-01"},
		Wrong:  []string{"“Before” must be later than “From”."},
	}
}

func doneJob() page.JobPage {
	return page.JobPage{
		Frame: frame(), Job: jobs[3], Ended: true, HasFile: true, Downloads: 2, MaxDownloads: 3, Pictures: 2, Expires: now.Add(24*time.Hour - 3*time.Minute),
		Webhook: true, DocsURL: docsURL, Evidence: proven(),
		Warnings: []events.Warning{
			{Code: "RESOURCE_MISSING", Detail: "https://shop.example.com/static/logo-with-a-rather-long-name.png is missing: HTTP status 404."},
			{Code: "PAGE_CUT", Detail: "The page is 1600 pixels wide. Content beyond the 1436 pixels between the margins is cut off at the right edge."},
		},
		Timeline: []page.Step{
			{page.StepAccepted, before(3 * time.Minute), ""},
			{page.StepLoaded, time.Time{}, "112 ms"},
			{page.StepProcessed, time.Time{}, "64 ms"},
			{page.StepDone, before(3*time.Minute - 380*time.Millisecond), "144.7 KB"},
			{page.StepUndelivered, before(2 * time.Minute), "connection refused"},
			{page.StepWebhook, before(90 * time.Second), "503"},
			{page.StepDownload, before(time.Minute), ""},
			{page.StepExpires, now.Add(24*time.Hour - 3*time.Minute), ""},
		},
		Attempts: []page.Attempt{
			{Number: 1, At: before(2 * time.Minute), Error: "connection refused", Took: 31 * time.Millisecond, Next: before(90 * time.Second)},
			{Number: 2, At: before(90 * time.Second), Status: 503, Answer: "<h1>Service Unavailable</h1>", Took: 212 * time.Millisecond, Next: before(30 * time.Second)},
			{Number: 3, At: before(30 * time.Second), Status: 204, Took: 98 * time.Millisecond, Outcome: events.WebhookDelivered},
		},
	}
}

// proven returns the evidence of an invoice that breaks a non-fatal rule.
func proven() *page.Evidence {
	return &page.Evidence{
		Profile: "xrechnung", Compared: true, XML: strings.Repeat("3fa94c01", 8), File: strings.Repeat("b07e52d6", 8),
		Rules: []page.CheckedRules{{"en16931", "1.3.16", 0, 0}, {"xrechnung", "2.5.0", 0, 1}},
	}
}

func failedJob() page.JobPage {
	return page.JobPage{
		Frame: frame(), Job: jobs[4], Ended: true, DocsURL: docsURL,
		Reason:   "The page did not reach \"networkidle\" within 30000 ms.",
		Timeline: []page.Step{{page.StepAccepted, before(12 * time.Minute), ""}, {page.StepFailed, before(11 * time.Minute), ""}},
	}
}

func runningJob() page.JobPage {
	return page.JobPage{
		Frame: frame(), Job: jobs[1], Webhook: true, DocsURL: docsURL, MaxDownloads: 3,
		Timeline: []page.Step{{page.StepAccepted, before(21 * time.Second), ""}, {Kind: page.StepLoaded}, {Kind: page.StepProcessed}, {Kind: page.StepDone}},
	}
}

func record() page.Record {
	at := before(3 * time.Minute)
	return page.Record{
		Frame: frame(), Job: jobID(4), Operation: events.EInvoiceToPDF,
		Asked: []page.Option{
			{Name: "profile", Value: "en16931"},
			{Name: "xml", Value: "<?xml version=\"1.0\"?>\n<rsm:CrossIndustryInvoice>", Bytes: 48_213},
			{Name: "webhook_url", Hidden: true},
			{Name: "test", Value: "true"},
			{Name: "tags.invoice", Value: "2026-0131"},
		},
		Steps: []page.RecordStep{
			{At: at, Event: "JobQueued", Detail: "queue quick"},
			{At: at.Add(12 * time.Millisecond), Since: 12 * time.Millisecond, Event: "RenderStarted", Node: "node-8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b"},
			{At: at.Add(90 * time.Millisecond), Since: 78 * time.Millisecond, Event: "RenderRequeued", Code: events.BrowserCrashed},
			{At: at.Add(5 * time.Second), Since: 4910 * time.Millisecond, Event: "JobDone", Detail: "page_load_ms 112, processing_ms 64"},
			{At: at.Add(5100 * time.Millisecond), Since: 100 * time.Millisecond, Event: "WebhookAttempted", Detail: "503 (212 ms)"},
		},
		Until: before(time.Minute),
	}
}

func keyList() page.Keys {
	f := frame()
	f.Notice = &page.Notice{Text: "The key was created."}
	return page.Keys{
		Frame: f, Keys: keys, Secret: "sk_live_1f6wq3Zt9vBn5KxLr8Yp2MdSc7HjAe4Gu0Xo", May: true,
		Made: page.Key{Name: "Accounting", Prefix: "sk_live_", LastFour: "u0Xo"},
	}
}

func memberList() page.Members {
	return page.Members{
		Frame: frame(), May: true, Roles: events.Roles(), Invited: "grace@hopper.example", Delivery: page.Sent,
		Link: "https://platen.example/dashboard/invitation/acc_mfrggzdfmztwq2lk/Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6",
		Members: []page.Member{
			{ID: "mem_aaaaaaaaaaaaaaaa", Email: "ada@lovelace.example", Role: events.RoleOwner, Joined: before(200 * 24 * time.Hour), Myself: true, LastOne: true},
			{ID: "mem_bbbbbbbbbbbbbbbb", Email: "charles@babbage.example", Role: events.RoleDeveloper, Joined: before(20 * 24 * time.Hour)},
			{ID: "mem_cccccccccccccccc", Email: "grace@hopper.example", Role: events.RoleBilling, Until: now.Add(72 * time.Hour)},
		},
	}
}

func security() page.Security {
	return page.Security{Frame: frame(), Provider: "Lovelace Works", Connected: true, Passkeys: []page.Passkey{
		{ID: "AQ", Name: "Laptop", Added: before(20 * 24 * time.Hour), Used: before(40 * time.Minute)},
		{ID: "Ag", Name: "Telephone", Added: before(time.Minute)},
	}, Sessions: []page.Session{
		{
			ID: "ses_aaaaaaaaaaaaaaaa", Opened: before(40 * time.Minute), Until: now.Add(11 * time.Hour), Address: "203.0.113.7", This: true,
			Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
		},
		{
			ID: "ses_bbbbbbbbbbbbbbbb", Opened: before(30 * time.Hour), Until: now.Add(30 * time.Hour), Address: "2001:db8:85a3::8a2e:370:7334",
			Agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1",
		},
	}}
}

func trail() page.Trail {
	return page.Trail{Frame: frame(), Older: 840, Entries: []page.Entry{
		{before(time.Minute), "ada@lovelace.example", "203.0.113.7", "KeyIssued", "key_abcdefgh", 0, time.Time{}},
		{before(26 * time.Minute), "ada@lovelace.example", "203.0.113.7", "MemberInvited", "grace@hopper.example", 0, time.Time{}},
		{before(50 * time.Hour), "operator", "127.0.0.1", "PlanChanged", "pro", 0, time.Time{}},
		{before(59 * 24 * time.Hour), "charles@babbage.example", "2001:db8:85a3::8a2e:370:7334", "KeyRevoked", "key_yz234567", 1040, before(58*24*time.Hour + 23*time.Hour)},
	}}
}

// usagePage returns a window grouped by key, with corrections and days without usage.
func usagePage() page.Usage {
	u := page.Usage{
		Frame: frame(), Asked: page.UsageQuery{By: "key"}, Live: home().Quota, CSV: "/dashboard/usage.csv?by=key",
		Window: page.UsageWindow{Start: home().Quota.Start, End: home().Quota.End, Present: true},
		Groups: []page.UsageGroup{
			{Kind: page.GroupKey, Parameter: "key_id", Value: "key_abcdefgh", Name: "Shop"},
			{Kind: page.GroupKey, Parameter: "key_id", Value: "key_ijklmnop", Name: "Accounting"},
			{Kind: page.GroupKey, Parameter: "key_id", Value: "key_qrstuvwx"},
			{Kind: page.GroupOther},
			{Kind: page.GroupCorrections, Parameter: "key_id"},
		},
	}
	for day := range int64(19) {
		for group := range int64(4) {
			n := (7*day*day+31*group+13*day)%97 + 10*(4-group)
			if day%6 != 4 {
				u.Rows = append(u.Rows, usageRow(int(day), int(group), n, n*147_213+day, n))
			}
		}
	}
	u.Rows = append(u.Rows, usageRow(18, 4, -12, -3_512_000, 1))
	for _, r := range u.Rows {
		u.Total = page.UsageFigures{Jobs: u.Total.Jobs + r.Jobs, Bytes: u.Total.Bytes + r.Bytes, Entries: u.Total.Entries + r.Entries}
	}
	u.Window.Charged = u.Total
	earlier := page.UsageWindow{Start: home().Quota.Start.AddDate(0, -1, 0), End: home().Quota.Start}
	u.Windows = []page.UsageWindow{u.Window, earlier}
	return u
}

func usageRow(day, group int, jobs, bytes, entries int64) page.UsageRow {
	return page.UsageRow{Day: home().Quota.Start.AddDate(0, 0, day), Group: group, UsageFigures: page.UsageFigures{Jobs: jobs, Bytes: bytes, Entries: entries}}
}

// earlierUsage returns a closed window with two days, one of them corrected; one job was charged later.
func earlierUsage() page.Usage {
	u := usagePage()
	u.Frame, u.Asked, u.Window = billing(), page.UsageQuery{Window: "2025-12-12T00:00:00Z"}, u.Windows[1]
	u.Window.Closed, u.Window.Charged = true, page.UsageFigures{Jobs: 23, Bytes: 1 << 40, Entries: 25}
	u.Windows[1], u.Groups = u.Window, []page.UsageGroup{{Kind: page.GroupAll}}
	u.Rows = []page.UsageRow{usageRow(-31, 0, 20, 1<<40, 20), usageRow(-20, 0, 2, 2048, 4)}
	u.Rows[1].Corrections = &page.UsageFigures{Jobs: -1, Bytes: -512, Entries: 1}
	u.Total = page.UsageFigures{Jobs: 22, Bytes: 1<<40 + 2048, Entries: 24}
	return u
}

func wrongUsage() page.Usage {
	u := page.Usage{Frame: frame(), Live: home().Quota, Windows: usagePage().Windows, Asked: page.UsageQuery{By: "tag", Tag: "a b"}}
	u.Wrong = []string{page.Text("asked.tag")}
	return u
}

func missingUsage() page.Usage {
	u := page.Usage{Frame: frame(), Live: home().Quota, Windows: usagePage().Windows[:1]}
	u.Missing = page.Text("asked.unavailable")
	return u
}

func newUsage() page.Usage {
	u := usagePage()
	return page.Usage{Frame: u.Frame, Live: u.Live, Windows: u.Windows[:1], Window: page.UsageWindow{Start: u.Window.Start, End: u.Window.End, Present: true}}
}

func usageEntries() page.UsageEntries {
	start := home().Quota.Start
	return page.UsageEntries{
		Frame: frame(), From: start, To: start.AddDate(0, 0, 1), Next: "/dashboard/usage/entries?cursor=x",
		Only: []page.UsageGroup{{Kind: page.GroupTag, Parameter: "tag:customer", Value: "4711", Name: "customer=4711"}},
		Entries: []page.UsageEntry{
			{ID: "1", Charge: true, Kind: "debit", At: start.Add(time.Hour), Job: jobID(4), HasJob: true, Operation: events.EInvoiceToPDF, Key: "key_ijklmnop", KeyName: "Accounting", Tags: jobs[1].Tags, Jobs: 1, Bytes: 148_213},
			{ID: "2", Charge: true, Kind: "debit", At: start.Add(2 * time.Hour), Job: jobID(6), HasJob: true, Operation: events.HTMLToPDF, Key: "key_qrstuvwx", Jobs: 1, Bytes: 20_480},
			{ID: "3", Kind: "credit", At: start.Add(3 * time.Hour), Jobs: -1, Bytes: -148_213, Ref: jobID(4).String() + "/debit", Reason: "The page was empty"},
			{ID: "4", Kind: "adjust", At: start.Add(4 * time.Hour), Jobs: 3, Reason: "Missed"},
		},
	}
}

func templateList() page.Templates {
	return page.Templates{
		Frame: frame(), Most: 100,
		Templates: []page.SavedTemplate{
			{ID: "tpl_mfrggzdf", Name: "English", Changed: before(40 * 24 * time.Hour)},
			{ID: "tpl_mztwq2lk", Name: "Rechnung, Österreich", Changed: before(3 * time.Hour), Default: true},
			{ID: "tpl_nb2hi4dt", Changed: before(100 * 24 * time.Hour)},
		},
		Import: page.TemplateImport{Name: "French", JSON: `{"version": 1, "blocks": []}`, Wrong: []page.Violation{
			{Path: "blocks", Text: "List should have at least 9 items after validation, not 0"},
		}},
	}
}

// templatePage returns a template with some of its blocks, one of them invalid.
func templatePage() page.Template {
	const enabled = "enabled"
	f := frame()
	f.Notice = &page.Notice{Text: "The template is saved."}
	shown := func(block string) page.TemplateField {
		return page.TemplateField{Path: block + "." + enabled, Kind: page.InputSwitch, Default: "true", On: true}
	}
	label := func(path, standard, value string) page.TemplateField {
		return page.TemplateField{Path: path, Kind: page.InputLines, Most: 2000, Default: standard, Value: value, Placeholders: true}
	}
	footer := shown("blocks.8")
	footer.On = false
	wrong := label("blocks.5.text", "", "Pay {amout_due} by {due_date}.")
	wrong.Wrong = "unknown placeholder {amout_due}"
	blank := label("blocks.0.labels.issue_date", "Date", "")
	blank.Blank = true
	return page.Template{
		Frame: f, ID: "tpl_mztwq2lk", Name: "Rechnung, Österreich", Version: 3,
		Groups: []page.TemplateGroup{
			{Key: page.GroupLook, Fields: []page.TemplateField{
				{Path: "locale", Kind: page.InputText, Most: 35, Default: "en-US", Value: "de-AT"},
				{Path: "branding.accent_color", Kind: page.InputColor, Default: "#1f4e79", Value: "#a00"},
				{Path: "branding.logo", Kind: page.InputPicture, Most: 102400},
				{Path: "branding.font", Kind: page.InputText, Most: 100},
				{Path: "page.format", Kind: page.InputChoice, Choices: []string{"A4", "Letter"}, Default: "A4", Value: "Letter"},
				{Path: "page.margin", Kind: page.InputText, Most: 64, Default: "15mm"},
			}},
			{Key: "invoice-heading", Number: 1, Fields: []page.TemplateField{
				shown("blocks.0"), label("blocks.0.labels.title", "Invoice", "Rechnung {number}"), blank,
			}},
			{Key: "payment-instructions", Number: 6, Fields: []page.TemplateField{shown("blocks.5"), wrong}},
			{Key: "invoice-notes", Number: 7, Fields: []page.TemplateField{shown("blocks.6")}},
			{Key: "document-footer", Number: 9, Fields: []page.TemplateField{footer, label("blocks.8.text", "", "")}},
		},
		Wrong:        []page.Violation{{Path: "blocks.5.text", Text: wrong.Wrong}},
		Placeholders: []string{"amount_due", "due_date", "number"}, Profiles: contract.Profiles(), Sample: "en16931",
		Preview: page.Preview{Pictures: [][]byte{sheet(), sheet()}, Pages: 3, Size: 48_213},
	}
}

func newTemplate() page.Template {
	t := templatePage()
	t.Frame, t.ID, t.Name, t.Version, t.Groups, t.Wrong = frame(), "", "", 0, t.Groups[:1], nil
	t.XML, t.Preview = "<a>", page.Preview{Problem: "There’s no preview.", Wrong: []string{"line 1, column 4: / : found the end"}}
	return t
}

func templateVersions() page.TemplateVersions {
	return page.TemplateVersions{Frame: frame(), ID: "tpl_mztwq2lk", Name: "Rechnung, Österreich", Kept: 20, Versions: []page.TemplateVersion{
		{Number: 3, Name: "Rechnung, Österreich", At: before(3 * time.Hour), By: "ada@lovelace.example", Present: true},
		{Number: 2, Name: "Rechnung", At: before(50 * time.Hour), By: "operator"},
		{Number: 1, At: before(90 * 24 * time.Hour)},
	}}
}

// sheet is a picture of a page with some lines.
func sheet() []byte {
	picture := image.NewGray(image.Rect(0, 0, 420, 594))
	for i := range picture.Pix {
		x, y := i%420, i/420
		picture.Pix[i] = 255
		if x > 30 && x < 390 && y > 40 && y%24 < 6 && y < 400 {
			picture.Pix[i] = 120
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// view is a page of the tests.
type view struct {
	name string
	v    any
}

// views are all pages as they look in use.
func views() []view {
	account, office := frame().Account, billing()
	return append(operators(), []view{
		{"signin", page.SignIn{Email: "ada@lovelace.example", Wrong: true, Passkeys: true, Next: "/dashboard/jobs", Demo: events.Plans()}},
		{"signin-provider", page.SignIn{Next: "/dashboard", Provider: "Lovelace Works", Passkeys: true, WrongPasskey: true, Choose: true, Account: "acc_x"}},
		{"choice", page.Choice{
			Joined: []page.Choosable{{account, events.RoleOwner, "a"}, {"acc_gezdgnbvgy3tqojq", events.RoleBilling, "b"}}, Next: "/dashboard",
			Invited: []page.Choosable{{"acc_onxw2zldnruw4zy4", events.RoleDeveloper, "c"}},
		}},
		{"connect", page.Connect{Frame: frame(), Provider: "Lovelace Works", There: "ada@lovelace.example", Ticket: "acc_a.x"}},
		{"invitation", page.Invitation{Action: "/dashboard/invitation/x", Account: account, Email: "grace@hopper.example", Wrong: "The two passwords differ.", Provider: "Lovelace Works"}},
		{"message", page.Message{Title: "This link has expired", Text: "Ask an owner of the account for a new one.", SignIn: "/dashboard/sign-in"}},
		{"home", home()},
		{"home-new", page.Home{Frame: frame(), Quota: page.Quota{JobLimit: 100, ByteLimit: 1 << 29, TestsPerDay: 2000, Start: before(time.Hour), End: now.Add(720 * time.Hour)}, Limits: page.Limits{Running: 3, RequestsPerMinute: 10}}},
		{"home-billing", page.Home{Frame: office, Quota: home().Quota, Limits: home().Limits, Looked: 12}},
		{"home-suspended", suspendedHome()},
		{"jobs", jobList()},
		{"jobs-none", page.Jobs{Frame: frame()}},
		{"job", doneJob()},
		{"job-failed", failedJob()},
		{"job-running", runningJob()},
		{"record", record()},
		{"record-gone", page.Record{Frame: frame(), Job: jobID(8), Operation: events.URLToPDF, Lost: true, Gone: true}},
		{"usage", usagePage()},
		{"usage-earlier", earlierUsage()},
		{"usage-wrong", wrongUsage()},
		{"usage-missing", missingUsage()},
		{"usage-none", newUsage()},
		{"entries", usageEntries()},
		{"keys", keyList()},
		{"code", page.Code{Ticket: "acc_a.x", Next: "/dashboard", Wrong: true}},
		{"factor", page.Factor{Frame: frame(), QR: qrCode(), Secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", Ticket: "acc_a.x"}},
		{"webhooks", page.Webhooks{Frame: frame(), Secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", Rotated: true, Overlap: now.Add(24 * time.Hour), Headers: []string{"Authorization", "X-Shop"}, MostHeaders: 20}},
		{"webhooks-tested", page.Webhooks{Frame: frame(), MostHeaders: 20, Tested: "https://shop.example/hooks", Failed: true, Result: &page.Attempt{Status: 503, Took: 212 * time.Millisecond, Answer: "<h1>Service Unavailable</h1>"}}},
		{"undelivered", page.Undelivered{Frame: frame(), Most: 50, Next: "/dashboard/webhooks/undelivered?after=x", Jobs: []page.UndeliveredJob{
			{jobs[3], doneJob().Attempts[1]}, {jobs[4], page.Attempt{Number: 10, At: before(time.Hour), Error: "connection refused", Outcome: events.WebhookGivenUp}},
		}}},
		{"templates", templateList()},
		{"template", templatePage()},
		{"template-new", newTemplate()},
		{"versions", templateVersions()},
		{"members", memberList()},
		{"security", security()},
		{"security-old", page.Security{Frame: office, Factor: true, Provider: "Lovelace Works", NoPasskey: page.NoPasskeyNow}},
		{"trail", trail()},
		{"playground", playground()},
		{"try", tried()},
		{"invoices", page.CheckInvoice{Frame: frame(), Profiles: contract.Profiles()}},
		{"invoices-wrong", wrongInvoice()},
		{"try-running", trying()},
		{"try-wrong", wronglyTried()},
	}...)
}

// empties are all pages without data.
func empties() []view {
	return append(emptyOperators(), []view{
		{"empty-signin", page.SignIn{}},
		{"empty-choice", page.Choice{}},
		{"empty-connect", page.Connect{}},
		{"empty-invitation", page.Invitation{}},
		{"empty-message", page.Message{}},
		{"empty-home", page.Home{}},
		{"empty-jobs", page.Jobs{}},
		{"empty-job", page.JobPage{}},
		{"empty-record", page.Record{}},
		{"empty-usage", page.Usage{}},
		{"empty-entries", page.UsageEntries{}},
		{"empty-keys", page.Keys{}},
		{"empty-code", page.Code{}},
		{"empty-factor", page.Factor{QR: qrCode()}},
		{"empty-webhooks", page.Webhooks{}},
		{"empty-undelivered", page.Undelivered{}},
		{"empty-templates", page.Templates{}},
		{"empty-template", page.Template{}},
		{"empty-versions", page.TemplateVersions{}},
		{"empty-members", page.Members{}},
		{"empty-security", page.Security{}},
		{"empty-trail", page.Trail{}},
		{"empty-playground", page.Playground{}},
		{"empty-try", page.Try{}},
		{"empty-invoices", page.CheckInvoice{}},
	}...)
}

// qrCode is a picture that looks like one.
func qrCode() []byte {
	picture := image.NewGray(image.Rect(0, 0, 220, 220))
	for i := range picture.Pix {
		x, y := i%220/10, i/220/10
		picture.Pix[i] = byte(255 * ((x*y + x + y) % 3 / 2))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err)
	}
	return b.Bytes()
}
