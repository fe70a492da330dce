package history

import "platen.dev/events"

// SetSince has the schema come with a level other than that of this version.
func (k *Keeper) SetSince(level events.Level) { k.since = level }
