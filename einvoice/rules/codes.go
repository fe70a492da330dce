package rules

import (
	"embed"
	"strings"
	"sync"
)

//go:embed codes/*.txt
var codeFiles embed.FS

// codeList is a list of codes, as one text with the codes between spaces: it needs no work at program start, and lists are short.
type codeList string

// has reports whether a code is in the list. White space around it does not count.
func (l codeList) has(code string) bool {
	code = strings.TrimSpace(code)
	return code != "" && !strings.ContainsAny(code, " \n") && strings.Contains(string(l), " "+code+" ")
}

var readCodes sync.Map

// CodeList is a list of codes that rules refer to by its name.
type CodeList struct {
	// Name is its name in rules, Title its name for people, Version the official rules whose state it has.
	Name, Title, Version string
	// Size is the number of codes.
	Size int
}

// CodeLists are all lists, by name.
func CodeLists() []CodeList {
	files, err := codeFiles.ReadDir("codes")
	if err != nil {
		panic("rules: there are no lists of codes")
	}
	var all []CodeList
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		title, version, _ := strings.Cut(strings.TrimPrefix(head(name), "# "), " | ")
		all = append(all, CodeList{name, title, version, len(strings.Fields(string(codes(name))))})
	}
	return all
}

// head is the first line of a list: what it is and, after a bar, its version.
func head(name string) string {
	line, _, _ := strings.Cut(fileOf(name), "\n")
	return line
}

func fileOf(name string) string {
	text, err := codeFiles.ReadFile("codes/" + name + ".txt")
	if err != nil {
		panic("rules: there is no list of codes " + name)
	}
	return string(text)
}

// isCodeList reports whether there is a list with a name.
func isCodeList(name string) bool {
	_, err := codeFiles.Open("codes/" + name + ".txt")
	return err == nil
}

// codes is the list of a name, which is a file in the folder codes.
func codes(name string) codeList {
	if list, read := readCodes.Load(name); read {
		return list.(codeList)
	}
	_, values, _ := strings.Cut(fileOf(name), "\n")
	list := codeList(" " + strings.Join(strings.Fields(values), " ") + " ")
	readCodes.Store(name, list)
	return list
}
