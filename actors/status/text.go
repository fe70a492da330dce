package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"platen.dev/events"
)

// idShown is how much of a node's id people need to tell nodes apart.
const idShown = len("node-") + 8

// Short returns the beginning of a node's id, for people.
func Short(id events.NodeID) string { return string(id[:min(len(id), idShown)]) }

// ranges formats ascending numbers as "0-3, 7".
func ranges(numbers []int32) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := strconv.Itoa(int(numbers[i]))
		if j > i {
			part += "-" + strconv.Itoa(int(numbers[j]))
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ", ")
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// span formats a duration in its largest unit, and fractions of a second in milliseconds.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// size formats a number of bytes in its largest binary unit.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	n, unit := float64(bytes), 0
	for n >= 1024 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	if n >= 10 || unit == 0 {
		return fmt.Sprintf("%.0f %s", n, units[unit])
	}
	return fmt.Sprintf("%.1f %s", n, units[unit])
}
