package events

// Evidence records what was established about an e-invoice and its file when the file was made: the file conforms to PDF/A-3b and contains the XML,
// and the XML is valid by the schema of its profile.
type Evidence struct {
	// XML is the SHA-256 of the XML as it was sent, File that of the finished file.
	XML  [32]byte `cbor:"1,keyasint"`
	File [32]byte `cbor:"2,keyasint"`
	// Profile is the profile that the XML was checked against.
	Profile string `cbor:"3,keyasint"`
	// Sets are the sets of business rules that were applied, none for a profile without any.
	Sets   []CheckedSet `cbor:"4,keyasint,omitempty"`
	Engine Engine       `cbor:"5,keyasint"`
	// Compared is set if the pages were compared with the XML. Mismatches counts the terms missing from the pages, or contradicted by the caller's page.
	Compared   bool `cbor:"6,keyasint,omitempty"`
	Mismatches int  `cbor:"7,keyasint,omitempty"`
}

// CheckedSet is a set of business rules, with the number of its violations by an invoice.
type CheckedSet struct {
	Name    string `cbor:"1,keyasint"`
	Version string `cbor:"2,keyasint"`
	// Digest is the SHA-256 of the rules as listed in docs/RULES.md.
	Digest [32]byte `cbor:"3,keyasint"`
	// Fatal counts the violations of fatal rules, Others those of other rules.
	Fatal  int `cbor:"4,keyasint,omitempty"`
	Others int `cbor:"5,keyasint,omitempty"`
}

// Engine identifies the programs and fonts that made a file.
type Engine struct {
	// Platen is the version, Binary the SHA-256 of the executable; zero if it could not be read.
	Platen string   `cbor:"1,keyasint,omitempty"`
	Binary [32]byte `cbor:"2,keyasint"`
	// Browser is the browser's name and version.
	Browser string `cbor:"3,keyasint,omitempty"`
	// Fonts is the SHA-256 of the list of fonts; zero if they could not be listed.
	Fonts [32]byte `cbor:"4,keyasint"`
}
