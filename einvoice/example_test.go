package einvoice_test

import (
	"fmt"
	"os"
	"strings"

	"platen.dev/einvoice"
)

// Parse names each violation with its position.
func ExampleParse() {
	xml, err := os.ReadFile("sample/minimum.xml")
	if err != nil {
		panic(err)
	}
	i, err := einvoice.Parse(xml, "minimum")
	fmt.Println(i.Number().Text(), i.Seller().Name().Text(), i.Totals().DuePayable().Text(), err)

	invalid := strings.Replace(string(xml), "<ram:GrandTotalAmount>297.50<", "<ram:GrandTotalAmount>297,50<", 1)
	_, err = einvoice.Parse([]byte(invalid), "minimum")
	message := err.Error()
	fmt.Println(message[:66])
	fmt.Println(message[strings.Index(message, "ram:GrandTotalAmount"):])
	// Output:
	// R-2026-0042 Lumen & Larch GmbH 200.00 <nil>
	// the XML violates the schema of profile minimum: line 49, column 9:
	// ram:GrandTotalAmount: found "297,50"; expected a decimal number with a decimal point and no thousands separators, such as 1234.50
}
