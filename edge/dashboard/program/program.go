// Package program writes a request as programs, ready to run: as a command of the shell, in Go, Python, JavaScript and PHP.
// Whatever the body holds, each program sends the same JSON value. The key comes from the environment.
package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Program is a request in a language.
type Program struct{ Language, Code string }

// Request is a request with a JSON body.
type Request struct {
	// URL is the whole address. Its characters need no quotes in any language.
	URL  string
	Body []byte
}

// key is a placeholder for the API key.
const key = "sk_test_…"

// All are the programs of a request. The error means that the body is not JSON.
func All(r Request) ([]Program, error) {
	tree, err := read(r.Body)
	if err != nil {
		return nil, err
	}
	plain := visible(r.Body)
	fill := func(text, body string) string {
		return strings.NewReplacer("{url}", r.URL, "{body}", body, "{key}", key).Replace(text)
	}
	return []Program{
		{"curl", fill(shell, plain)},
		{"Go", fill(golang, "`"+strings.ReplaceAll(plain, "`", "` + \"`\" + `")+"`")},
		{"Python", fill(python, python3.write(tree))},
		{"JavaScript", fill(javascript, ecmascript.write(tree))},
		{"PHP", fill(php, php8.write(tree))},
	}, nil
}

// No line of JSON is the word that ends the document: its lines begin with a bracket, a space or a quotation mark, and its
// strings have no line ends.
const shell = `# export PLATEN_KEY={key}
curl {url} -H "X-API-Key: $PLATEN_KEY" --json @- <<'JSON'
{body}
JSON
`

const golang = `// PLATEN_KEY={key} go run main.go
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const body = {body}

func main() {
	request, err := http.NewRequest("POST", "{url}", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PLATEN_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusAccepted {
		log.Fatal(response.Status)
	}
}
`

const python = `# PLATEN_KEY={key} python3 request.py
import json
import os
import sys
import urllib.error
import urllib.request

body = {body}

request = urllib.request.Request(
    "{url}",
    data=json.dumps(body).encode(),
    headers={"X-API-Key": os.environ["PLATEN_KEY"], "Content-Type": "application/json"},
)
try:
    with urllib.request.urlopen(request) as response:
        print(response.read().decode())
except urllib.error.HTTPError as error:
    sys.exit(f"{error.code} {error.read().decode()}")
`

const javascript = `// PLATEN_KEY={key} node request.mjs
const body = {body};

const response = await fetch("{url}", {
  method: "POST",
  headers: {"X-API-Key": process.env.PLATEN_KEY, "Content-Type": "application/json"},
  body: JSON.stringify(body),
});
console.log(await response.text());
if (response.status !== 202) process.exit(1);
`

const php = `<?php // PLATEN_KEY={key} php request.php
$body = {body};

$response = file_get_contents("{url}", false, stream_context_create(["http" => [
    "method" => "POST",
    "header" => ["X-API-Key: " . getenv("PLATEN_KEY"), "Content-Type: application/json"],
    "content" => json_encode($body),
    "ignore_errors" => true,
]]));
echo $response, "\n";
exit(isset(json_decode((string) $response, true)["job_id"]) ? 0 : 1);
`

// object is a JSON object in its order.
type object []member

type member struct {
	name  string
	value any
}

// read reads JSON, keeping the order of members and the spelling of numbers.
func read(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return next(d)
}

func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return members(d)
	case json.Delim('['):
		return items(d)
	}
	return token, nil
}

func members(d *json.Decoder) (o object, err error) {
	for d.More() {
		name, err := next(d)
		if err != nil {
			return nil, err
		}
		value, err := next(d)
		if err != nil {
			return nil, err
		}
		o = append(o, member{name.(string), value})
	}
	_, err = d.Token()
	return o, err
}

func items(d *json.Decoder) (all []any, err error) {
	for d.More() {
		item, err := next(d)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	_, err = d.Token()
	return all, err
}
