package backup

import "platen.dev/projections/snapshot"

// EachChunk visits all chunks that the manifest names.
func (m Manifest) EachChunk(visit func(snapshot.Chunk)) { m.chunks(visit) }
