package kafka

import (
	"errors"
	"testing"
)

// The newest word of most of the brokers counts; brokers that do not answer have none.
func TestMostWords(t *testing.T) {
	errAway := errors.New("away")
	says := func(leader, epoch int32) word { return word{leadership: leadership{leader: leader, epoch: epoch}} }
	silent := word{err: errAway}
	for name, c := range map[string]struct {
		words  []word
		leader int32
		err    error
	}{
		"all agree":                     {[]word{says(1, 5), says(1, 5), says(1, 5)}, 1, nil},
		"an old leader is outvoted":     {[]word{says(0, 4), says(1, 5), says(1, 5)}, 1, nil},
		"the newest counts":             {[]word{says(1, 5), says(0, 4), says(0, 4)}, 1, nil},
		"one is silent":                 {[]word{silent, says(0, 4), says(1, 5)}, 1, nil},
		"two of three are silent":       {[]word{silent, says(1, 5), silent}, 0, errAway},
		"two of four are too few":       {[]word{silent, says(1, 5), says(1, 5), silent}, 0, errAway},
		"three of five are enough":      {[]word{silent, says(0, 4), says(0, 4), silent, says(1, 5)}, 1, nil},
		"brokers that count no leaders": {[]word{says(2, -1), says(2, -1), says(2, -1)}, 2, nil},
	} {
		words := make(chan word, len(c.words))
		for _, w := range c.words {
			words <- w
		}
		led, err := mostWords(words, len(c.words))
		if !errors.Is(err, c.err) || err == nil && led.leader != c.leader {
			t.Errorf("%s: got leader %d, %v", name, led.leader, err)
		}
	}
}
