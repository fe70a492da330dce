package page

import "strings"

// sign is a part of the User-Agent header that identifies a browser. Most browsers also claim to be those further down the list.
type sign struct{ part, name string }

var browsers = []sign{
	{"Edg", "Edge"},
	{"OPR/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"Firefox/", "Firefox"},
	{"FxiOS/", "Firefox"},
	{"CriOS/", "Chrome"},
	{"Chrome/", "Chrome"},
	{"Safari/", "Safari"},
	{"curl/", "curl"},
}

var systems = []sign{
	{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
}

// browser names the browser that sent a User-Agent header, if it is known.
func browser(agent string) (string, error) {
	name, system := find(browsers, agent), find(systems, agent)
	switch {
	case name == "":
		return text("security.unknown")
	case system == "":
		return name, nil
	}
	return text("security.on", "browser", name, "system", system)
}

func find(signs []sign, agent string) string {
	for _, s := range signs {
		if strings.Contains(agent, s.part) {
			return s.name
		}
	}
	return ""
}
