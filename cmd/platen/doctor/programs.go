package doctor

import "context"

// programs are the programs that the node runs besides the browser, with what it needs them for.
var programs = []struct{ name, purpose, install string }{
	{"qpdf", "passwords and compression", "apt install qpdf"},
	{"pdftoppm", "pictures in the dashboard", "apt install poppler-utils"},
	{"fc-match", "e-invoices", "apt install fontconfig"},
}

// Programs checks that they are on the PATH. look is exec.LookPath.
func Programs(look func(name string) (string, error)) Check {
	return Check{"programs", func(context.Context) (all []Finding) {
		for _, p := range programs {
			path, err := look(p.name)
			if err != nil {
				all = append(all, fail(p.install, "%s is missing, which %s need", p.name, p.purpose))
				continue
			}
			all = append(all, ok("%s", path))
		}
		return all
	}}
}
