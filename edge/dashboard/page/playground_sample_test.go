package page_test

import (
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

func playground() page.Playground {
	p := page.Playground{Frame: frame()}
	for _, o := range events.Operations() {
		p.Operations = append(p.Operations, page.TryOperation{Name: o, Doc: "Opens a public web page in a browser and prints it."})
	}
	return p
}

// form returns the form of an operation with a field of each kind.
func form() []page.Field {
	return []page.Field{
		{Kind: page.FieldLong, Path: "body.html", Name: "html", Required: true, Doc: "Sanitised before rendering: scripts and style sheets go, inline styles stay.", Value: "<h1>Invoice 4711</h1>\n<p>Thank you.</p>"},
		{Kind: page.FieldGroup, Path: "body.options", Name: "options", Doc: "What the PDF looks like.", Open: true, Fields: []page.Field{
			{Kind: page.FieldChoice, Path: "body.options.format", Name: "format", Doc: "Paper format.", Default: "A4", Options: []string{"A4", "A3", "Letter"}, Value: "A3"},
			{Kind: page.FieldTruth, Path: "body.options.landscape", Name: "landscape", Default: "false"},
			{Kind: page.FieldNumber, Path: "body.options.scale", Name: "scale", Doc: "Fitted to the page when it is left out.", Least: "0.5", Most: "2", Value: "0.8"},
			{Kind: page.FieldGroup, Path: "body.options.watermark", Name: "watermark", Doc: "A text over every page.", Plan: events.PlanStarter, Fields: []page.Field{
				{Kind: page.FieldText, Path: "body.options.watermark.text", Name: "text", Required: true, MostChars: 500},
			}},
			{Kind: page.FieldText, Path: "body.options.user_password", Name: "user_password", Doc: "Encrypts the PDF.", Plan: events.PlanPro, Secret: true},
		}},
		{Kind: page.FieldJSON, Path: "body.tags", Name: "tags", Doc: "Names and values of your own.", Value: "{\n  \"customer\": \"4711\"\n}"},
	}
}

func programs() (all []page.Program) {
	const body = "{\n  \"html\": \"<h1>Invoice 4711</h1>\\n<p>Thank you.</p>\",\n  \"options\": {\n    \"format\": \"A3\",\n    \"scale\": 0.8\n  }\n}"
	all = append(all, page.Program{Language: "curl", Code: "# export PLATEN_KEY=sk_test_…\ncurl https://platen.example/html-to-pdf -H \"X-API-Key: $PLATEN_KEY\" --json @- <<'JSON'\n" + body + "\nJSON\n"})
	for _, language := range []string{"Go", "Python", "JavaScript", "PHP"} {
		all = append(all, page.Program{Language: language, Code: "body = " + body + "\n"})
	}
	return all
}

// tried is a form after a run, with previews of the file's pages.
func tried() page.Try {
	job := doneJob()
	job.Frame, job.Job.Operation, job.Webhook = page.Frame{}, events.HTMLToPDF, false
	return page.Try{
		Frame: frame(), Operation: page.TryOperation{Name: events.HTMLToPDF, Doc: "Prints HTML that was sanitised: scripts and style sheets are removed, inline styles stay."},
		Fields: form(), Live: true, Once: "J3WPHIPPUJJ2C3PGSDG77MGJPE", Programs: programs(), Job: &job, Pages: 2,
	}
}

// trying is a form whose job continues.
func trying() page.Try {
	t, job := tried(), runningJob()
	job.Frame, job.Test = page.Frame{}, true
	t.Live, t.Job, t.Pages = false, &job, 0
	return t
}

// wronglyTried is a form with violations.
func wronglyTried() page.Try {
	t := tried()
	t.Job, t.Pages, t.Live, t.Programs = nil, 0, false, nil
	t.Faults = []page.Fault{
		{Field: "body.options.scale", Text: "Input should be less than or equal to 2"},
		{Field: "body.options.watermark.text", Text: "Field required"},
		{Field: "body.tags", Text: "a b: String should match pattern '[A-Za-z0-9._-]+'"},
		{Text: "JSON decode error"},
	}
	options := t.Fields[1].Fields
	options[2].Value, options[2].Wrong = "3", []string{t.Faults[0].Text}
	options[3].Open, options[3].Fields[0].Wrong = true, []string{t.Faults[1].Text}
	t.Fields[2].Value, t.Fields[2].Wrong = `{"a b": "x"}`, []string{t.Faults[2].Text}
	t.Problem = &page.TryProblem{
		Title: "Plan upgrade required", Detail: "plan-upgrade-required: options.watermark needs the starter plan or a higher one.", UpgradeURL: upgradeURL,
	}
	return t
}
