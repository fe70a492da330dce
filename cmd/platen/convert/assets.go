package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/net/html"

	"platen.dev/events/contract"
)

// references match how a page, its style sheets and its modules refer to others. fileName matches a text of a script that may be the name of a file.
var (
	cssReference    = regexp.MustCompile(`(?i)url\(\s*['"]?([^'")]+?)['"]?\s*\)|@import\s+['"]([^'"]+)['"]`)
	moduleReference = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*['"](\.{1,2}/[^'"]+)['"]`)
	fileName        = regexp.MustCompile("['\"`]([^'\"`<>\\\\\r\n]{1,200}\\.\\w{1,8}(?:[?#][^'\"`<>\\\\\r\n]{0,200})?)\\\\?['\"`]")
)

// gathered are the files that a page refers to, directly or through other files, by their paths in its site: those of its folder, and others where
// that is allowed.
type gathered struct {
	folder *os.Root // nil if the page has none
	allow  []string // directories that the page may have files of, "/" for all
	files  map[string][]byte
	room   int            // for how many bytes there is room
	tried  map[place]bool // what was looked for
	// page is where the page is, scripts are its own and those of its frames and files, which may name others.
	page    place
	scripts []script
}

// script is the text of a script, with the directories from which it may name files.
type script struct {
	text string
	from []place
}

// maxAssetBytes is how many bytes files have in all: in base64, they fill a body.
const maxAssetBytes = contract.MaxBody * 3 / 4

// place is where a file is: in the site, and on the disk.
type place struct{ name, disk string }

// reach says which files a page may have.
type reach struct {
	folder string   // that relative URLs lead from; "" for none
	own    bool     // the files of the folder
	allow  []string // those of these directories, "/" for all
}

// assetsOf returns, as JSON, the files that a page refers to and that are in its reach: those of its folder by relative URL; "" for none. Missing ones
// are left out: the conversion warns of them. What only a script names is left out, too, if the files were too many or too large with it.
func assetsOf(page string, r reach) (string, error) {
	if !r.own && len(r.allow) == 0 {
		return "", nil
	}
	g := gathered{allow: r.allow, files: map[string][]byte{}, room: maxAssetBytes, tried: map[place]bool{}, page: place{name: "."}}
	if r.own {
		root, err := os.OpenRoot(r.folder)
		if err != nil {
			return "", err
		}
		defer root.Close()
		g.folder = root
	}
	if r.folder != "" {
		var err error
		if g.page.disk, err = filepath.Abs(r.folder); err != nil {
			return "", err
		}
	}
	if err := g.addOf(page, g.page); err != nil {
		return "", err
	}
	g.addNamed()
	if len(g.files) == 0 {
		return "", nil
	}
	var all []contract.Asset
	for name, content := range g.files {
		all = append(all, contract.Asset{Name: name, Content: content})
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// inSite makes the URLs of files in a text URLs of the site, which has the allowed files by their whole paths.
func inSite(text string, allow []string) string {
	if len(allow) == 0 {
		return text
	}
	return siteURLs.Replace(text)
}

var siteURLs = strings.NewReplacer("file:///", "/", "file://localhost/", "/")

// relativePath returns the path that a reference has within the site of its page, or "".
func relativePath(reference string) string {
	u, err := url.Parse(strings.TrimSpace(reference))
	if err != nil || u.Scheme != "" || u.Host != "" {
		return ""
	}
	return u.Path
}

// placeOf returns where a reference in a directory leads. As in a browser, a relative URL cannot leave the site.
func placeOf(from place, at string) place {
	if strings.HasPrefix(at, "/") {
		return place{path.Join(".", at[1:]), filepath.FromSlash(at)}
	}
	return place{strings.TrimPrefix(path.Join("/", from.name, at), "/"), filepath.Join(from.disk, filepath.FromSlash(at))}
}

// add adds a file referred to by another in a directory, and the files that it refers to.
func (g *gathered) add(from place, reference string) error {
	at := relativePath(reference)
	if at == "" {
		return nil
	}
	to := placeOf(from, at)
	if _, has := g.files[to.name]; has || g.tried[to] || contract.CheckAssetName(to.name) != "" {
		return nil
	}
	g.tried[to] = true
	content, err := g.read(to)
	if content == nil || err != nil {
		return err
	}
	kind := strings.ToLower(path.Ext(to.name))
	isPage := slices.Contains([]string{".html", ".htm", ".xhtml", ".svg"}, kind)
	if isPage || kind == ".css" {
		content = []byte(inSite(string(content), g.allow))
	}
	if err := g.put(to.name, content); err != nil {
		return err
	}
	dir := place{path.Dir(to.name), filepath.Dir(to.disk)}
	switch {
	case isPage:
		return g.addOf(string(content), dir)
	case kind == ".css":
		return g.addAll(matches(cssReference, string(content)), dir)
	case kind == ".js", kind == ".mjs":
		g.scripts = append(g.scripts, script{string(content), []place{g.page, dir}})
		return g.addAll(matches(moduleReference, string(content)), dir)
	}
	return nil
}

// put adds a file, within the bounds of the API.
func (g *gathered) put(name string, content []byte) error {
	switch {
	case len(g.files) >= contract.MaxAssets:
		return fmt.Errorf("the page names more than %d files of its folder", contract.MaxAssets)
	case len(content) > g.room:
		return fmt.Errorf("the files of the page have more than %d bytes in all", maxAssetBytes)
	}
	g.files[name] = content
	g.room -= len(content)
	return nil
}

// addOf adds what a page in a directory refers to.
func (g *gathered) addOf(page string, dir place) error {
	references, scripts := referencesOf(page)
	for _, text := range scripts {
		g.scripts = append(g.scripts, script{text, []place{dir}})
	}
	return g.addAll(references, dir)
}

func (g *gathered) addAll(references []string, from place) error {
	for _, reference := range references {
		if err := g.add(from, reference); err != nil {
			return err
		}
	}
	return nil
}

// addNamed adds the files that scripts seem to name, as to load data or other scripts. Those that are too many are left out, and those that take more
// than half of the room: what is not needed must not make a request too large.
func (g *gathered) addNamed() {
	g.room -= maxAssetBytes / 2
	for i := 0; i < len(g.scripts); i++ { // what is added may have more
		names := matches(fileName, g.scripts[i].text)
		for _, from := range g.scripts[i].from {
			for _, name := range names {
				_ = g.add(from, name)
			}
		}
	}
}

// read returns a regular file, or nil if it does not exist or is not allowed.
func (g *gathered) read(at place) ([]byte, error) {
	f, err := g.open(at)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		return nil, nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, int64(g.room)+1)) // one byte more is too large
	return append([]byte{}, content...), err
}

// open opens a file of an allowed directory, else one of the folder by its name in the site. A relative URL of a page without a folder leads nowhere.
func (g *gathered) open(at place) (*os.File, error) {
	for _, dir := range g.allow {
		if !filepath.IsAbs(at.disk) {
			break
		}
		if f, err := openWithin(dir, at.disk); err == nil {
			return f, nil
		}
	}
	if g.folder == nil {
		return nil, fs.ErrNotExist
	}
	return g.folder.OpenFile(filepath.FromSlash(at.name), readOnly, 0)
}

// readOnly does not wait for the writer of a pipe, which is then found to be no regular file.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// openWithin opens a file of a directory; no link leads out of one, except of all.
func openWithin(dir, name string) (*os.File, error) {
	if dir == "/" {
		return os.OpenFile(name, readOnly, 0)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	within, err := filepath.Rel(dir, name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(within, readOnly, 0)
}

// referencesOf lists a page's references: in attributes, and in its style sheets and modules; and its scripts.
func referencesOf(page string) (all, scripts []string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for within := ""; ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return all, scripts
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			within = t.Data
			for _, a := range t.Attr {
				if link := a.Key == "href" && (t.Data == "a" || t.Data == "area"); !link { // it is not shown
					all = append(all, namedBy(a)...)
				}
			}
		case html.EndTagToken:
			within = ""
		case html.TextToken:
			switch within {
			case "style":
				all = append(all, matches(cssReference, string(tokens.Raw()))...)
			case "script":
				scripts = append(scripts, string(tokens.Raw()))
				all = append(all, matches(moduleReference, string(tokens.Raw()))...)
			}
		}
	}
}

func namedBy(a html.Attribute) (all []string) {
	switch a.Key {
	case "src", "href", "poster", "data", "background", "xlink:href":
		return []string{a.Val}
	case "srcset", "imagesrcset":
		for candidate := range strings.SplitSeq(a.Val, ",") {
			if fields := strings.Fields(candidate); len(fields) > 0 {
				all = append(all, fields[0])
			}
		}
	case "style":
		return matches(cssReference, a.Val)
	}
	return all
}

func matches(pattern *regexp.Regexp, text string) (all []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Join(m[1:], ""))
	}
	return all
}
