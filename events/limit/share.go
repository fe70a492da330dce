package limit

// Share reports whether one who holds some of what is scarce may have one more, while some of it is left: at most twice what is left (Choudhury,
// Hahne: Dynamic queue length thresholds, 1998). Alone it gets two thirds, and another always finds some, whatever it does.
func Share(held, left int) bool { return held < 2*left }
