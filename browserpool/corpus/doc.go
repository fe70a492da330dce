// Package corpus tests Platen against the plain browser. Its tests render hundreds of documents with both (see package
// bare), and compare the results: pages, words, pictures and colours. Each intended difference has a name and a reason
// in the table differences, and the document states the expected result instead. The package contains only tests.
//
//	corpus_test.go       the test; the sample that `make test` renders
//	entry_test.go        a document, how it is rendered, how it may differ
//	differences_test.go  the table of intended differences, and of known faults
//	render_test.go       Platen and the plain browser side by side
//	artefact_test.go     what came out, read with poppler, and compared
//	web_test.go          the servers of the documents that are visited
//	posted_test.go, picture_test.go, markdown_test.go, visited_test.go, server_test.go,
//	capture_test.go      the documents
//	paper_test.go, reading_test.go
//	                     the documents of faults that Platen once had
//
// Documents written by hand are in testdata/corpus.
package corpus
