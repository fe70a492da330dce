package backup

import (
	"context"

	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// Loss is a chunk or a manifest that is not what was written, or cannot be read.
type Loss struct {
	Name string `json:"name"`
	// Backups are those that are lost by it, the newest first.
	Backups []Ref `json:"backups"`
	// Error says what is wrong with it.
	Error string `json:"error"`
}

// Losses reads the manifests of all backups at a place, and once each chunk that one of them names. It returns everything that is
// damaged: only another copy of the place can mend it. An index that is damaged hides which files were in it.
func Losses(ctx context.Context, files store.Files, pace snapshot.Pace) ([]Loss, error) {
	s, err := openShelf(ctx, files, pace)
	if err != nil {
		return nil, err
	}
	defer s.close()
	refs, err := List(ctx, s.files)
	v := surveyor{shelf: s, ctx: ctx, seen: map[string]*Loss{}}
	for _, ref := range refs {
		if err == nil {
			err = v.backup(ref)
		}
	}
	return v.all(), err
}

// surveyor looks at what backups name.
type surveyor struct {
	shelf *shelf
	ctx   context.Context
	// seen are the files that were read, by name; nil for those that are sound.
	seen map[string]*Loss
	// damaged are the names of the others, in the order in which they were found.
	damaged []string
}

func (v *surveyor) all() (lost []Loss) {
	for _, name := range v.damaged {
		lost = append(lost, *v.seen[name])
	}
	return lost
}

// backup looks at everything that a backup names. The error is one of the survey, which cannot continue.
func (v *surveyor) backup(ref Ref) (err error) {
	m, wrong := Open(v.ctx, v.shelf.files, ref)
	if wrong != nil {
		v.note(string(ref), wrong)
		v.lose(string(ref), ref)
		return v.ctx.Err()
	}
	m.chunks(func(c snapshot.Chunk) {
		if err == nil {
			err = v.chunk(ref, c)
		}
	})
	for _, p := range m.Partitions {
		for _, c := range p.Files.Index {
			if err == nil {
				err = v.index(ref, c)
			}
		}
	}
	return err
}

// chunk reads a chunk that a backup names, unless that was done for another.
func (v *surveyor) chunk(ref Ref, c snapshot.Chunk) error {
	name := chunkName(c)
	if _, seen := v.seen[name]; !seen {
		if err := v.shelf.pace(c.Stored); err != nil {
			return err
		}
		_, wrong := v.shelf.unpacker.Stored(v.ctx, name, c)
		if err := v.ctx.Err(); err != nil {
			return err
		}
		v.note(name, wrong)
	}
	v.lose(name, ref)
	return nil
}

// index reads the chunks of the files that a part of an index lists, if it is sound.
func (v *surveyor) index(ref Ref, c snapshot.Chunk) (err error) {
	name := chunkName(c)
	if v.seen[name] != nil {
		return nil
	}
	wrong := v.shelf.eachIn(v.ctx, c, func(f file) error {
		for _, c := range f.Chunks {
			if err == nil {
				err = v.chunk(ref, c)
			}
		}
		return nil
	})
	if wrong != nil && v.ctx.Err() == nil {
		v.note(name, wrong)
		v.lose(name, ref)
	}
	return err
}

// note notes that a file was read, and what is wrong with it.
func (v *surveyor) note(name string, wrong error) {
	v.seen[name] = nil
	if wrong != nil {
		v.seen[name] = &Loss{Name: name, Error: wrong.Error()}
		v.damaged = append(v.damaged, name)
	}
}

// lose notes the backup that needs a file, if it is damaged. Backups are looked at one after the other.
func (v *surveyor) lose(name string, ref Ref) {
	if l := v.seen[name]; l != nil && (len(l.Backups) == 0 || l.Backups[len(l.Backups)-1] != ref) {
		l.Backups = append(l.Backups, ref)
	}
}
