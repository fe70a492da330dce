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
	"strings"

	"golang.org/x/net/html"

	"platen.dev/events/contract"
)

// references match how a page, its style sheets and its modules refer to others.
var (
	cssReference    = regexp.MustCompile(`(?i)url\(\s*['"]?([^'")]+?)['"]?\s*\)|@import\s+['"]([^'"]+)['"]`)
	moduleReference = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*['"](\.{1,2}/[^'"]+)['"]`)
)

// gathered are the files of a folder that a page refers to by relative URL, directly or through other files, by their paths in the folder.
type gathered struct {
	folder *os.Root
	files  map[string][]byte
	bytes  int
}

// assetsOf returns, as JSON, the files that a page refers to and that are in its folder; "" for none. Missing ones are left out: the conversion warns
// of them.
func assetsOf(folder, page string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	g := gathered{folder: root, files: map[string][]byte{}}
	for _, reference := range referencesOf(page) {
		if err := g.add(".", reference); err != nil {
			return "", err
		}
	}
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

// relativePath returns the path that a reference has within the site of its page, or "".
func relativePath(reference string) string {
	u, err := url.Parse(strings.TrimSpace(reference))
	if err != nil || u.Scheme != "" || u.Host != "" {
		return ""
	}
	return u.Path
}

// add adds a file referred to by another in a folder, and the files that it refers to.
func (g *gathered) add(from, reference string) error {
	at := relativePath(reference)
	if at == "" {
		return nil
	}
	name := path.Join(from, at)
	if strings.HasPrefix(at, "/") {
		name = path.Join(".", at[1:])
	}
	if _, has := g.files[name]; has || contract.CheckAssetName(name) != "" {
		return nil
	}
	content, err := g.read(name)
	if content == nil || err != nil {
		return err
	}
	if g.files[name] = content; len(g.files) > contract.MaxAssets {
		return fmt.Errorf("the page names more than %d files of its folder", contract.MaxAssets)
	}
	var more [][]string
	switch strings.ToLower(path.Ext(name)) {
	case ".css":
		more = cssReference.FindAllStringSubmatch(string(content), -1)
	case ".js", ".mjs":
		more = moduleReference.FindAllStringSubmatch(string(content), -1)
	}
	for _, m := range more {
		if err := g.add(path.Dir(name), strings.Join(m[1:], "")); err != nil {
			return err
		}
	}
	return nil
}

// read reads a regular file of the folder; nil if there is none.
func (g *gathered) read(name string) ([]byte, error) {
	f, err := g.folder.Open(filepath.FromSlash(name))
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
	content, err := io.ReadAll(io.LimitReader(f, contract.MaxBody+1))
	if g.bytes += len(content); err == nil && g.bytes > contract.MaxBody*3/4 {
		err = fmt.Errorf("the files of the page have more than %d bytes in all", contract.MaxBody*3/4)
	}
	return append([]byte{}, content...), err
}

// referencesOf lists a page's references: in attributes, and in its style sheets and modules.
func referencesOf(page string) (all []string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for within := ""; ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			within = t.Data
			for _, a := range t.Attr {
				all = append(all, namedBy(a)...)
			}
		case html.EndTagToken:
			within = ""
		case html.TextToken:
			switch within {
			case "style":
				all = append(all, matches(cssReference, string(tokens.Raw()))...)
			case "script":
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
