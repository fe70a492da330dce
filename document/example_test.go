package document_test

import (
	"fmt"

	"platen.dev/document"
)

func ExampleSanitize() {
	clean := document.Sanitize(`<h1 onclick="steal()">Hello</h1><script>steal()</script>`)
	fmt.Println(clean.Body, clean.Empty())
	fmt.Println(document.Sanitize(`<script>steal()</script>`).Empty())
	// Output:
	// <h1>Hello</h1> false
	// true
}
