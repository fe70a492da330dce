// Package corpus holds Platen against the browser that it drives. Its tests render hundreds of
// documents twice, with Platen and with a plain browser (package bare), and compare what comes out:
// pages, words, pictures and colours. What is different on purpose has a name and a reason in
// differences, and the document says what must come out instead. It has only tests.
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
