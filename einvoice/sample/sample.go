// Package sample has an e-invoice of each profile, to look at and to test with. They are Platen's own, and fill as many
// fields as an invoice of their profile has any use for.
package sample

import "embed"

//go:embed *.xml
var files embed.FS

// XML returns the sample of a profile, nil if there is no such profile. It may be changed.
func XML(profile string) []byte {
	xml, err := files.ReadFile(profile + ".xml")
	if err != nil {
		return nil
	}
	return xml
}
