package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// fill writes files below a directory.
func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// gatheredFrom are the assets of a page in a folder.
func gatheredFrom(t *testing.T, folder, page string, allow ...string) map[string]string {
	t.Helper()
	text, err := assetsOf(folder, page, allow)
	if err != nil {
		t.Fatal(err)
	}
	var all []contract.Asset
	if text != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{}
	for _, a := range all {
		files[a.Name] = string(a.Content)
	}
	return files
}

// The files that a page names are found, also through style sheets and modules, and none outside of its folder.
func TestAssets(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "page")
	fill(t, dir, map[string]string{
		"secret.txt": "SECRET", "page/css/a.css": `@import "b.css"; p { background: url( '../img/p.png' ) } @font-face { src: url(fonts/f.woff2) }`,
		"page/css/b.css": `@import url("a.css");`, "page/css/fonts/f.woff2": "font", "page/img/p.png": "png", "page/img/two words.svg": "svg", "page/2x.png": "2x",
		"page/app.js": `import { x } from "./lib/x.js"; import("./lazy.js"); import "bare"`, "page/lib/x.js": "x", "page/lazy.js": "lazy", "page/unused.txt": "unused",
		"page/inline.png": "inline", "page/module.js": "module", "page/root.png": "root",
	})
	if err := os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	page := `<link rel="stylesheet" href="css/a.css?v=1"><img src="img/two%20words.svg" srcset="img/p.png 1x, 2x.png 2x"><img src="/root.png"><script type="module" src="./app.js"></script>
		<style>p { background: url(inline.png) }</style><script type="module">import "./module.js"</script><p style="background: url('inline.png')">
		<img src="../secret.txt"><img src="link.txt"><img src="none.png"><img src="data:,x"><a href="#top"><a href="unused.txt"><img src="https://example.com/unused.txt"><iframe src="css"></iframe><img src="::">`
	files := gatheredFrom(t, folder, page)
	want := []string{"2x.png", "app.js", "css/a.css", "css/b.css", "css/fonts/f.woff2", "img/p.png", "img/two words.svg", "inline.png", "lazy.js", "lib/x.js", "module.js", "root.png"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("gathered %q, want %q", got, want)
	}
	if files["img/two words.svg"] != "svg" {
		t.Errorf("two words.svg has %q", files["img/two words.svg"])
	}
	if got := gatheredFrom(t, folder, "<p>nothing"); len(got) != 0 {
		t.Errorf("gathered %v", got)
	}
}

// Files of other directories are found by URLs of files, whole paths and relative URLs, if that is allowed.
func TestAssetsOfOtherDirectories(t *testing.T) {
	dir := t.TempDir()
	folder, whole := filepath.Join(dir, "page"), strings.TrimPrefix(filepath.ToSlash(dir), "/")
	fill(t, dir, map[string]string{
		"page/own.png": "own", "css/a.css": `@import "b.css"; p { background: url(file:///` + whole + `/img/p.png) }`, "css/b.css": "b", "img/p.png": "png", "secret.txt": "SECRET",
	})
	if err := os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(dir, "img", "link.txt")); err != nil {
		t.Fatal(err)
	}
	page := siteURLs.Replace(`<img src="own.png"><link rel="stylesheet" href="../css/a.css"><img src="file:///` + whole + `/img/p.png"><img src="/` + whole + `/img/link.txt"><img src="../../../../../../../../none">`)
	p, link := whole+"/img/p.png", whole+"/img/link.txt"
	for name, tc := range map[string]struct{ allow, want []string }{
		"none": {nil, []string{"own.png"}},
		"all":  {[]string{"/"}, []string{"css/a.css", "css/b.css", "own.png", link, p}},
		"one":  {[]string{filepath.Join(dir, "img")}, []string{"own.png", p}},
		"two":  {[]string{filepath.Join(dir, "img"), filepath.Join(dir, "css")}, []string{"css/a.css", "css/b.css", "own.png", p}},
	} {
		files := gatheredFrom(t, folder, page, tc.allow...)
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, slices.Sorted(slices.Values(tc.want))) {
			t.Errorf("%s: gathered %q, want %q", name, got, tc.want)
		}
		if css := files["css/a.css"]; css != "" && !strings.Contains(css, "url(/"+p+")") {
			t.Errorf("%s: %s", name, css)
		}
	}
}

// The bounds of the API are said before anything is sent.
func TestAssetBounds(t *testing.T) {
	dir := t.TempDir()
	files, page := map[string]string{"large": strings.Repeat("x", contract.MaxBody*3/4), "more": "x"}, ""
	for i := range contract.MaxAssets + 1 {
		name := fmt.Sprint(i)
		files[name] = ""
		page += `<img src="` + name + `">`
	}
	fill(t, dir, files)
	for html, want := range map[string]string{
		page: "the page names more than 100 files", strings.Replace(page, `<img src="100">`, "", 1): "",
		`<img src="large"><img src="more">`: "the files of the page have more than", `<img src="large">`: "",
	} {
		_, err := assetsOf(dir, html, nil)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", html, err, want)
		}
	}
}
