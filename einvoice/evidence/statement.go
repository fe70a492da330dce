package evidence

import (
	"encoding/hex"
	"encoding/json"
	"time"
)

// Kind is the type of a statement, with the version of its form.
const Kind = "platen-evidence/1"

// Statement is what was established about an e-invoice. Times are in UTC.
type Statement struct {
	// Kind is the constant Kind.
	Kind  string `json:"kind"`
	JobID string `json:"job_id"`
	// SubmittedAt is when the invoice was accepted, FinishedAt when its file was ready, by the log.
	SubmittedAt time.Time `json:"submitted_at"`
	FinishedAt  time.Time `json:"finished_at"`
	XML         XML       `json:"xml"`
	File        File      `json:"file"`
	Rules       []Rules   `json:"rules"`
	Match       Match     `json:"match"`
	Engine      Engine    `json:"engine"`
}

// Digest is a SHA-256, in hexadecimal; "" if it is unknown.
type Digest string

// DigestOf is the digest of a sum, "" of one that is zero.
func DigestOf(sum [32]byte) Digest {
	if sum == [32]byte{} {
		return ""
	}
	return Digest(hex.EncodeToString(sum[:]))
}

// XML is the invoice, which is valid by the schema of its profile.
type XML struct {
	SHA256  Digest `json:"sha256"`
	Profile string `json:"profile"`
}

// File is the PDF/A-3b that has the XML inside.
type File struct {
	SHA256 Digest `json:"sha256"`
	Bytes  int64  `json:"size_bytes"`
	Pages  int    `json:"pages"`
}

// Rules are a set of business rules, and in how many places the invoice breaks fatal ones and others.
type Rules struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// SHA256 is the digest of the set's rules.
	SHA256 Digest `json:"sha256"`
	Fatal  int    `json:"fatal"`
	Others int    `json:"others"`
}

// Match says whether the pages of the file were compared with the XML, and how many terms they lack, or contradict if the caller made them.
type Match struct {
	Compared   bool `json:"compared"`
	Mismatches int  `json:"mismatches"`
}

// Engine identifies the programs and fonts that made the file.
type Engine struct {
	Platen  string `json:"platen"`
	Binary  Digest `json:"binary_sha256"`
	Browser string `json:"browser"`
	Fonts   Digest `json:"fonts_sha256"`
}

// JSON returns the statement in the form that is signed.
func (s Statement) JSON() []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // impossible: it consists of texts, numbers and times within range
	}
	return b
}
