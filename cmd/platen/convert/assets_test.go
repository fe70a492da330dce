package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
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
	return gatheredWithin(t, page, reach{folder, true, allow})
}

// gatheredWithin are the assets of a page with a reach.
func gatheredWithin(t *testing.T, page string, r reach) map[string]string {
	t.Helper()
	text, err := assetsOf(page, r)
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

// Standard input has the files of allowed directories alone, and so has a page that is denied those of its folder.
func TestReach(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"page/own.png": "own", "page/sub/s.png": "sub", "shared/p.png": "shared", "secret.png": "SECRET"})
	t.Chdir(filepath.Join(dir, "page"))
	whole := strings.TrimPrefix(filepath.ToSlash(dir), "/")
	page := `<img src="own.png"><img src="sub/s.png"><img src="/` + whole + `/shared/p.png"><img src="/` + whole + `/secret.png"><img src="../secret.png"><img src="/secret.png">`
	shared, secret, own := whole+"/shared/p.png", whole+"/secret.png", "own.png"
	for name, tc := range map[string]struct {
		input   string
		noFiles bool
		allow   []string
		want    []string
	}{
		"standard input":              {"-", false, nil, nil},
		"standard input, allowed":     {"-", false, []string{filepath.Join(dir, "shared")}, []string{shared}},
		"standard input, all allowed": {"-", false, []string{"/"}, []string{shared, secret}},
		"denied":                      {"page.html", true, nil, nil},
		"denied and allowed":          {"page.html", true, []string{filepath.Join(dir, "shared")}, []string{shared}},
		"denied but for a part of it": {"page.html", true, []string{"sub"}, []string{"sub/s.png"}},
		"a file":                      {"page.html", false, nil, []string{own, "sub/s.png"}},
	} {
		s := settings{noFiles: tc.noFiles, allow: tc.allow}
		files := gatheredWithin(t, page, s.reach(conversion{input: tc.input}))
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, slices.Sorted(slices.Values(tc.want))) {
			t.Errorf("%s: gathered %q, want %q", name, got, tc.want)
		}
	}
}

// A named pipe is not one of a page's files.
func TestPipesAreNoAssets(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"a.png": "a"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	page := `<img src="pipe.png"><img src="a.png"><img src="` + filepath.ToSlash(dir) + `/pipe.png">`
	for _, allow := range [][]string{nil, {dir}, {"/"}} {
		got := make(chan map[string]string, 1)
		go func() { got <- gatheredFrom(t, dir, page, allow...) }()
		if files := testkit.Receive(t, got, "the files of the page"); len(files) != 1 || files["a.png"] != "a" {
			t.Errorf("with %q: %q", allow, files)
		}
	}
}

// What the pages of frames and the files of pictures name is found, too, and no page is gathered because a link leads to it.
func TestAssetsOfFrames(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{
		"frames/a.html": `<link rel="stylesheet" href="a.css"><iframe src="../frames/b.htm"></iframe><a href="linked.html">`, "frames/a.css": `p { background: url(p.png) }`, "frames/p.png": "p",
		"frames/b.htm": `<iframe src="a.html"></iframe><object data="c.xhtml"></object>`, "frames/c.xhtml": `<img src="/top.png"/>`, "top.png": "top", "frames/linked.html": "linked",
		"chart.svg": `<svg xmlns="http://www.w3.org/2000/svg"><style>@import "chart.css";</style><image xlink:href="inner.png"/><use href="#a"/></svg>`, "chart.css": "c", "inner.png": "inner",
	})
	files := gatheredFrom(t, dir, `<iframe src="frames/a.html"></iframe><img src="chart.svg">`)
	want := []string{"chart.css", "chart.svg", "frames/a.css", "frames/a.html", "frames/b.htm", "frames/c.xhtml", "frames/p.png", "inner.png", "top.png"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("gathered %q, want %q", got, want)
	}
}

// Files that scripts name are found: by their paths from the page, or from the script. Too many of them, or too large ones, are left out.
func TestAssetsOfScripts(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{
		"js/app.js": "d3.csv('data/sales.csv'); new Worker(`worker.js`); load(\"two words.json?v=1\"); x='missing.png'; y='https://example.com/no.png'; z='../secret.txt'", "data/sales.csv": "1",
		"js/worker.js": "importScripts('lib.js')", "js/lib.js": "1", "two words.json": "{}", "js/jquery.min.js": "1", "written.png": "p", "unused.txt": "1", "no.png": "1",
		"sub/frame.html": `<script>fetch('own.json')</script>`, "sub/own.json": "1", "head.html": `<link href="head.css">`, "head.css": "h", "large.bin": strings.Repeat("x", maxAssetBytes/2),
	})
	for page, want := range map[string]string{
		`<script>window.jQuery || document.write("<script src='js/jquery.min.js'>"+"<"+"/script>")</script>`:  "js/jquery.min.js",
		`<script>document.body.innerHTML = "<img src=\"written.png\">"; $("#top").load("head.html")</script>`: "head.css head.html written.png",
		`<script src="js/app.js"></script><iframe src="sub/frame.html"></iframe>`:                             "data/sales.csv js/app.js js/lib.js js/worker.js sub/frame.html sub/own.json two words.json",
		`<script>a = 'large.bin'; b = 'written.png'</script>`:                                                 "large.bin",
		`<img src="no.png"><script>a = 'large.bin'; b = 'written.png'</script>`:                               "no.png written.png",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(gatheredFrom(t, dir, page))), " "); got != want {
			t.Errorf("%s: gathered %s, want %s", page, got, want)
		}
	}
	var page strings.Builder
	for i := range contract.MaxAssets + 1 {
		name := fmt.Sprintf("%d.json", i)
		fill(t, dir, map[string]string{name: ""})
		fmt.Fprintf(&page, "<script>x = '%s'</script>", name)
	}
	if got := len(gatheredFrom(t, dir, page.String())); got != contract.MaxAssets {
		t.Errorf("gathered %d of too many files", got)
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
		_, err := assetsOf(html, reach{folder: dir, own: true})
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", html, err, want)
		}
	}
}
