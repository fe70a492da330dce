package admin

import (
	"cmp"
	"encoding/json"
	"net/url"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/cmd/platen/textfile"
	"platen.dev/einvoice/blocks"
	"platen.dev/events"
	"platen.dev/projections"
)

// This file has the commands about block templates.

// builtin names the template of accounts that have no default of their own.
const builtin = "builtin"

func runPutTemplate(c call) error {
	body, err := textfile.ReadJSON(c.args[1])
	if err != nil {
		return err
	}
	id := cmp.Or(c.id, string(events.NewTemplateID()))
	var saved savedTemplate
	err = c.client.do("PUT", c.path("templates/"+url.PathEscape(id)), savedTemplate{Name: c.name, Body: body}, &saved)
	return c.print(err, func(w terminal.Lines) { w.Printf("saved template %s of account %s\n", saved.ID, c.args[0]) })
}

func runListTemplates(c call) error {
	var list templateList
	err := c.client.do("GET", c.path("templates"), nil, &list)
	return c.print(err, func(w terminal.Lines) {
		w.Text("TEMPLATE\tNAME\tCHANGED\tDEFAULT\n")
		for _, t := range append(list.Templates, projections.TemplateInfo{ID: builtin}) {
			mark := ""
			if t.ID == cmp.Or(list.Default, builtin) {
				mark = "default"
			}
			w.Printf("%s\t%s\t%s\t%s\n", t.ID, cmp.Or(t.Name, "-"), formatTime(t.Changed), mark)
		}
	})
}

// showTemplate prints a template as JSON.
func runShowTemplate(c call) error {
	saved := savedTemplate{ID: builtin}
	var err error
	if c.args[1] == builtin {
		saved.Body, err = json.Marshal(blocks.Default())
	} else {
		err = c.client.do("GET", c.path("templates/"+url.PathEscape(c.args[1])), nil, &saved)
	}
	return c.print(err, func(w terminal.Lines) {
		pretty, _ := json.MarshalIndent(saved.Body, "", "  ") // it is valid JSON
		w.Text(string(pretty) + "\n")
	})
}

func runSetDefaultTemplate(c call) error {
	id := c.args[1]
	if id == builtin {
		id = ""
	}
	err := c.client.do("PUT", c.path("default-template"), defaultRequest{events.TemplateID(id)}, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("e-invoices of account %s that name no template are shown with %s\n", c.args[0], c.args[1])
	})
}

func runDeleteTemplate(c call) error {
	err := c.client.do("DELETE", c.path("templates/"+url.PathEscape(c.args[1])), nil, nil)
	return c.print(err, func(w terminal.Lines) { w.Printf("template %s is deleted\n", c.args[1]) })
}
