package rules

import "strings"

// frAmounts are amounts, quantities, prices and rates, grouped by the allowed number of decimals.
var frAmounts = []struct {
	id      string
	demand  string
	keeps   func(string) bool
	amounts []frPlace
}{
	{"BR-FR-DEC-01", "An amount has at most two decimals and 19 characters, and no plus sign.", isDecimal(true, 19, 2), []frPlace{
		{"BT-92_BT-99", ".../ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/ActualAmount"},
		{"BT-93_BT-100", ".../ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/BasisAmount"},
		{"BT-106", frTotal + "LineTotalAmount"},
		{"BT-107", frTotal + "AllowanceTotalAmount"},
		{"BT-108", frTotal + "ChargeTotalAmount"},
		{"BT-109", frTotal + "TaxBasisTotalAmount"},
		{"BT-110", frTotal + "TaxTotalAmount"},
		{"BT-112", frTotal + "GrandTotalAmount"},
		{"BT-113", frTotal + "TotalPrepaidAmount"},
		{"BT-114", frTotal + "RoundingAmount"},
		{"BT-115", frTotal + "DuePayableAmount"},
		{"BT-116", ".../ApplicableHeaderTradeSettlement/ApplicableTradeTax/BasisAmount"},
		{"BT-117", ".../ApplicableHeaderTradeSettlement/ApplicableTradeTax/CalculatedAmount"},
		{"BT-131", "line/SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"},
		{"BT-136_BT-141", "line/SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge/ActualAmount"},
		{"BT-137_BT-142", "line/SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge/BasisAmount"},
	}},
	{"BR-FR-DEC-02", "A quantity has at most four decimals and 19 characters, and no plus sign.", isDecimal(true, 19, 4), []frPlace{
		{"BT-129", "line/SpecifiedLineTradeDelivery/BilledQuantity"},
		{"BT-149", "line/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity"},
	}},
	{"BR-FR-DEC-03", "A price has at most six decimals and 19 digits, and no sign.", isDecimal(false, 19, 6), []frPlace{
		{"BT-146", "line/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount"},
		{"BT-147", "line/SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/ActualAmount"},
		{"BT-148", "line/SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount"},
	}},
	{"BR-FR-DEC-04", "A rate has at most two decimals and four digits, and no sign.", isDecimal(false, 4, 2), []frPlace{
		{"BT-96_BT-103", ".../ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/CategoryTradeTax/RateApplicablePercent"},
		{"BT-119", ".../ApplicableHeaderTradeSettlement/ApplicableTradeTax/RateApplicablePercent"},
		{"BT-152", "line/SpecifiedLineTradeSettlement/ApplicableTradeTax/RateApplicablePercent"},
	}},
}

const frTotal = ".../ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementHeaderMonetarySummation/"

// frAmountRules are about the notation of numbers.
func frAmountRules() []Rule {
	var all []Rule
	for _, a := range frAmounts {
		for _, p := range a.amounts {
			all = append(all, must(a.id+"_"+p.suffix, firstTerm(p.suffix), p.path, a.demand, "Round it, or write it so.", a.keeps))
		}
	}
	return all
}

// isDecimal is the condition that a number is written with digits, perhaps a minus sign, and a limited number of characters beside the point.
func isDecimal(signed bool, most, decimals int) func(string) bool {
	return func(text string) bool {
		whole, fraction, pointed := strings.Cut(text, ".")
		digits := whole
		if signed {
			digits = strings.TrimPrefix(whole, "-")
		}
		return digits != "" && isDigits(digits, len(digits)) && isDigits(fraction, len(fraction)) &&
			len(whole)+len(fraction) <= most && len(fraction) <= decimals && pointed == (fraction != "")
	}
}
