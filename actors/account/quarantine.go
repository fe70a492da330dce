package account

import (
	"platen.dev/events"
	"platen.dev/projections/table"
)

// Quarantined is a command that was set aside and has not been dropped.
type Quarantined struct {
	Account events.AccountID `cbor:"1,keyasint"`
	Command events.CommandID `cbor:"2,keyasint"`
	// At is when it was set aside, by the owner's clock.
	At events.Instant `cbor:"3,keyasint"`
	// Reason names the command's type and says why it could not be decided.
	Reason string `cbor:"4,keyasint"`
}

// MaxQuarantined is how many commands of a partition are kept; further ones are set aside without a row. One fault may set aside a command every ten
// minutes for each of many jobs, and the first of them tell as much as all.
const MaxQuarantined = 1000

// applyQuarantine keeps a command that was set aside, or drops one.
func applyQuarantine(tx *table.Tx, partition int32, e events.Envelope) {
	if e.SetAside != "" {
		quarantineOne(tx, partition, e)
	}
	for _, ev := range e.Events {
		if dropped, is := ev.(events.SetAsideDropped); is {
			releaseOne(tx, partition, dropped.Cause)
		}
	}
}

func quarantineOne(tx *table.Tx, partition int32, e events.Envelope) {
	releaseOne(tx, partition, e.Cause) // the topic was created again, and an earlier command had this offset
	size, _ := quarantineSizes.Load(tx, quarantineSizes.Key(partition))
	if size >= MaxQuarantined {
		return
	}
	quarantineSizes.Put(tx, quarantineSizes.Key(partition), size+1)
	quarantine.Put(tx, quarantineKey(partition, e.Cause), Quarantined{Account: e.Account, Command: e.Command, At: e.At, Reason: e.SetAside})
}

func releaseOne(tx *table.Tx, partition int32, cause int64) {
	key := quarantineKey(partition, cause)
	if _, kept := quarantine.Load(tx, key); !kept {
		return
	}
	quarantine.Delete(tx, key)
	size, _ := quarantineSizes.Load(tx, quarantineSizes.Key(partition))
	quarantineSizes.Put(tx, quarantineSizes.Key(partition), size-1)
}

// InQuarantine reads the quarantined command at an offset, or returns false if there is none.
func InQuarantine(r table.Reader, partition int32, cause int64) (Quarantined, bool, error) {
	return quarantine.Get(r, quarantineKey(partition, cause))
}

// EachQuarantined calls visit with every command in quarantine, in the order of their offsets, until visit returns false.
func EachQuarantined(s Scanner, partition int32, visit func(cause int64, q Quarantined) bool) error {
	return quarantine.Each(s, quarantine.Key(partition), func(key []byte, q Quarantined) bool { return visit(parseQuarantineKey(key), q) })
}

// OldestQuarantined returns the offset of the first command in quarantine, or false if there is none. It reads one row.
func OldestQuarantined(s Scanner, partition int32) (cause int64, found bool, err error) {
	err = s.Scan(quarantine.Key(partition), func(key, _ []byte) bool {
		cause, found = parseQuarantineKey(key), true
		return false
	})
	return cause, found, err
}

// QuarantineSize returns how many commands of a partition are in quarantine, at most MaxQuarantined.
func QuarantineSize(r table.Reader, partition int32) (int64, error) {
	size, _, err := quarantineSizes.Get(r, quarantineSizes.Key(partition))
	return size, err
}

// dropSetAside decides whether to drop a command from quarantine; kept reports whether it is there.
func dropSetAside(b events.DropSetAside, kept bool) ([]events.Event, events.Reply) {
	if !kept {
		return refuse(events.NoSuchCommand)
	}
	return accept(events.SetAsideDropped(b))
}
