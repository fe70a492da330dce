package einvoice_test

import (
	"fmt"
	"os"
	"strings"

	"platen.dev/einvoice"
)

// An invoice is read by the profile that it declares; what breaks it is named with its place.
func ExampleRead() {
	xml, err := os.ReadFile("testdata/minimum.xml")
	if err != nil {
		panic(err)
	}
	i, err := einvoice.Read(xml, "minimum")
	fmt.Println(i.Number().Text(), i.Seller().Name().Text(), i.Totals().Due().Text(), err)

	wrong := strings.Replace(string(xml), "<ram:GrandTotalAmount>297.50<", "<ram:GrandTotalAmount>297,50<", 1)
	_, err = einvoice.Read([]byte(wrong), "minimum")
	message := err.Error()
	fmt.Println(message[:64])
	fmt.Println(message[strings.Index(message, "ram:GrandTotalAmount"):])
	// Output:
	// R-2026-0042 Lumen & Larch GmbH 200.00 <nil>
	// the XML breaks the schema of profile minimum: line 49, column 9:
	// ram:GrandTotalAmount: found "297,50"; expected a decimal number with a point and no separators, as in 1234.50
}
