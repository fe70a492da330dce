package doctor

import (
	"context"
	"os/exec"
	"strings"
)

// scripts are languages for the scripts that need a font, by their name for fontconfig.
var scripts = []struct{ lang, name, packages string }{
	{"en", "Latin", "fonts-liberation fonts-dejavu-core"},
	{"el", "Greek", "fonts-noto-core"},
	{"ru", "Cyrillic", "fonts-noto-core"},
	{"ar", "Arabic", "fonts-noto-core"},
	{"he", "Hebrew", "fonts-noto-core"},
	{"zh-cn", "Chinese", "fonts-noto-cjk"},
	{"ja", "Japanese", "fonts-noto-cjk"},
	{"ko", "Korean", "fonts-noto-cjk"},
	{"und-zsye", "emoji", "fonts-noto-color-emoji"},
}

// Fonts checks that there is a font for each of the main scripts. list lists the fonts for a language; FontList does.
func Fonts(list func(ctx context.Context, lang string) (string, error)) Check {
	return Check{"fonts", func(ctx context.Context) []Finding {
		var missing, packages []string
		for _, s := range scripts {
			found, err := list(ctx, s.lang)
			if err != nil {
				return []Finding{fail("apt install fontconfig", "fonts cannot be listed: %s", err)}
			}
			if strings.TrimSpace(found) == "" {
				missing, packages = append(missing, s.name), append(packages, s.packages)
			}
		}
		if len(missing) > 0 {
			return []Finding{fail("apt install "+strings.Join(packages, " "), "no font for %s", strings.Join(missing, ", "))}
		}
		return []Finding{ok("for all main scripts")}
	}}
}

// FontList asks fontconfig.
func FontList(ctx context.Context, lang string) (string, error) {
	out, err := exec.CommandContext(ctx, "fc-list", ":lang="+lang, "family").Output()
	return string(out), err
}
