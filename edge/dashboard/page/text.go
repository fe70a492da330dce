package page

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"platen.dev/events"
)

//go:embed texts.toml
var textFile []byte

// texts are the texts of the pages by key, such as home.title. A text may hold placeholders in braces.
var texts = readTexts()

func readTexts() map[string]string {
	var sections map[string]map[string]string
	if err := toml.Unmarshal(textFile, &sections); err != nil {
		panic(err) // impossible: the file is part of the binary
	}
	all := map[string]string{}
	for section, keys := range sections {
		for key, text := range keys {
			all[section+"."+key] = text
		}
	}
	return all
}

// text returns a text with its placeholders filled: pairs are alternating names and values.
func text(key string, pairs ...any) (string, error) {
	found, ok := texts[key]
	if !ok {
		return "", fmt.Errorf("no text %s", key)
	}
	if len(pairs) == 0 {
		return found, nil
	}
	filled := make([]string, len(pairs))
	for i, p := range pairs {
		filled[i] = fmt.Sprint(p)
		if i%2 == 0 {
			filled[i] = "{" + filled[i] + "}"
		}
	}
	return strings.NewReplacer(filled...).Replace(found), nil
}

// word returns the text for an enumerated value, such as a status. An unknown value, perhaps of another version, is shown as it is.
func word(section string, value any) string {
	plain := fmt.Sprint(value)
	if found, ok := texts[section+"."+plain]; ok {
		return found
	}
	return plain
}

// eventName is what an event of a type is called: by a text of its own, or the words of the type.
func eventName(kind string) string {
	if found, ok := texts["event."+kind]; ok {
		return found
	}
	return spoken(kind)
}

// counted returns the text for a number of things: key-one, or key-many, where {n} is the number.
func counted(key string, n any) (string, error) {
	count, err := strconv.ParseInt(fmt.Sprint(n), 10, 64)
	if err != nil {
		return "", err
	}
	if count == 1 {
		return text(key + "-one")
	}
	return text(key+"-many", "n", number(count))
}

// Text returns a text for a response; its key if there is none.
func Text(key string) string {
	if found, ok := LookUp(key); ok {
		return found
	}
	return key
}

// Cause says why a job failed, and what to do about it.
func Cause(code events.ErrorCode) string { return word("cause", code) + " " + word("remedy", code) }

// LookUp returns a text for a response, and false if there is none.
func LookUp(key string) (string, bool) {
	found, ok := texts[key]
	return found, ok
}

// Filled returns a text for use outside pages, with its placeholders filled; its key if there is none.
func Filled(key string, pairs ...any) string {
	found, err := text(key, pairs...)
	if err != nil {
		return key
	}
	return found
}
