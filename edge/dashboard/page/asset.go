package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// AssetPrefix begins the addresses of all static files.
const AssetPrefix = "/dashboard/assets/"

//go:embed static
var static embed.FS

// types are fixed, since those of package mime differ between machines.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

type file struct {
	body []byte
	kind string
}

// files are the static files by their addresses, addresses their addresses by their names.
var files, addresses = load()

// load names every file after its content, so that its address may be cached for ever.
func load() (map[string]file, map[string]string) {
	files, addresses := map[string]file{}, map[string]string{}
	entries, err := static.ReadDir("static")
	if err != nil {
		panic(err) // impossible: the files are part of the binary
	}
	for _, entry := range entries {
		body, err := static.ReadFile("static/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum, kind := sha256.Sum256(body), path.Ext(entry.Name())
		address := AssetPrefix + strings.TrimSuffix(entry.Name(), kind) + "-" + hex.EncodeToString(sum[:8]) + kind
		files[address], addresses[entry.Name()] = file{body, types[kind]}, address
	}
	return files, addresses
}

// Asset returns the static file at a path. Its content never changes. The body is shared and must not be changed.
func Asset(path string) (body []byte, contentType string, ok bool) {
	f, ok := files[path]
	return f.body, f.kind, ok
}

// Assets lists the addresses of all static files.
func Assets() []string { return slices.Sorted(maps.Keys(files)) }

// address returns the address of a static file.
func address(name string) (string, error) {
	if a, ok := addresses[name]; ok {
		return a, nil
	}
	return "", fmt.Errorf("no static file %s", name)
}
