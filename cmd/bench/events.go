package main

import "fmt"

// publishing compares the accept path with one whose public events are held back, in pairs of
// alternating order.
func publishing(s settings) error {
	fmt.Println("events: the accept path with public events and the ledger, and without them")
	var with, without []outcome
	for i := range 3 * s.rounds {
		for _, held := range []bool{i%2 == 0, i%2 == 1} {
			setting, into := "", &with
			if held {
				setting, into = "PLATEN_HOLD_EVENTS=1", &without
			}
			o, err := acceptOnce(s, setting)
			if err != nil {
				return err
			}
			*into = append(*into, o)
		}
	}
	o, bare := median(with), median(without)
	s.out.side("platen", o)
	s.out.side("platen, public events held back", bare)
	s.out.ratio("accepting without public events", o, bare, 0.9)
	return nil
}
