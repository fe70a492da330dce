package events

// Evidence records what was established about an e-invoice and its file when that was made: the file conforms to PDF/A-3b
// and has the XML inside, and the XML is valid by the schema of its profile.
type Evidence struct {
	// XML is the SHA-256 of the XML as it was sent, File that of the finished file.
	XML  [32]byte `cbor:"1,keyasint"`
	File [32]byte `cbor:"2,keyasint"`
	// Profile is the one that the XML was checked by.
	Profile string `cbor:"3,keyasint"`
	// Sets are the sets of business rules that were applied, none for a profile without any.
	Sets   []CheckedSet `cbor:"4,keyasint,omitempty"`
	Engine Engine       `cbor:"5,keyasint"`
	// Compared is set if the pages were compared with the XML. Mismatches counts the terms that they lack, or that a page of the caller's contradicts.
	Compared   bool `cbor:"6,keyasint,omitempty"`
	Mismatches int  `cbor:"7,keyasint,omitempty"`
}

// CheckedSet is a set of business rules, and how many of them an invoice broke.
type CheckedSet struct {
	Name    string `cbor:"1,keyasint"`
	Version string `cbor:"2,keyasint"`
	// Digest is the SHA-256 of the rules as docs/RULES.md has them.
	Digest [32]byte `cbor:"3,keyasint"`
	// Fatal counts the places where fatal rules are broken, Others those where others are.
	Fatal  int `cbor:"4,keyasint,omitempty"`
	Others int `cbor:"5,keyasint,omitempty"`
}

// Engine identifies the programs and fonts that made a file.
type Engine struct {
	// Platen is the version, Binary the SHA-256 of the program; zero if it could not be read.
	Platen string   `cbor:"1,keyasint,omitempty"`
	Binary [32]byte `cbor:"2,keyasint"`
	// Browser is the browser's name and version.
	Browser string `cbor:"3,keyasint,omitempty"`
	// Fonts is the SHA-256 of the list of fonts; zero if they could not be listed.
	Fonts [32]byte `cbor:"4,keyasint"`
}
