package rules

import (
	"embed"
	"strings"
	"sync"
)

//go:embed codes/*.txt
var codeFiles embed.FS

// codeList is a list of codes, as one text in which each stands between spaces: it needs no
// work at the start of the program, and lists are short.
type codeList string

// has reports whether a code is in the list. White space around it does not count.
func (l codeList) has(code string) bool {
	code = strings.TrimSpace(code)
	return code != "" && !strings.ContainsAny(code, " \n") && strings.Contains(string(l), " "+code+" ")
}

var readCodes sync.Map

// isCodeList reports whether there is a list of that name.
func isCodeList(name string) bool {
	_, err := codeFiles.Open("codes/" + name + ".txt")
	return err == nil
}

// codes is the list of a name, which is a file in the folder codes.
func codes(name string) codeList {
	if list, read := readCodes.Load(name); read {
		return list.(codeList)
	}
	text, err := codeFiles.ReadFile("codes/" + name + ".txt")
	if err != nil {
		panic("rules: there is no list of codes " + name)
	}
	_, values, _ := strings.Cut(string(text), "\n")
	list := codeList(" " + strings.Join(strings.Fields(values), " ") + " ")
	readCodes.Store(name, list)
	return list
}
