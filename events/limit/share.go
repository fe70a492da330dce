package limit

// Share reports whether a holder of a scarce resource may take one more unit: only while it holds less than twice what is left (Choudhury, Hahne:
// Dynamic queue length thresholds, 1998). A single holder gets two thirds, and a newcomer always finds some left.
func Share(held, left int) bool { return held < 2*left }
