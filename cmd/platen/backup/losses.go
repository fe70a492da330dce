package backup

import (
	"context"

	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// Loss is a chunk or a manifest that is damaged, or cannot be read.
type Loss struct {
	Name string `json:"name"`
	// Backups are those that it makes useless, newest first.
	Backups []Ref `json:"backups"`
	// Error says what is wrong with it.
	Error string `json:"error"`
}

// Losses reads the manifests of all backups at a place, and every chunk that they name once. It returns all damage: only another copy of the place
// can repair it. A damaged index hides which files it listed.
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

// surveyor examines everything that backups name.
type surveyor struct {
	shelf *shelf
	ctx   context.Context
	// seen holds the files already read, by name; nil means sound.
	seen map[string]*Loss
	// damaged holds the names of the others, in the order of discovery.
	damaged []string
}

func (v *surveyor) all() (lost []Loss) {
	for _, name := range v.damaged {
		lost = append(lost, *v.seen[name])
	}
	return lost
}

// backup examines everything that a backup names. An error means that the survey cannot continue.
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

// chunk reads a chunk that a backup names, unless it has been read for another.
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

// index reads the chunks of the files that a part of an index lists, if the part is sound.
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

// note records that a file was read, and what is wrong with it.
func (v *surveyor) note(name string, wrong error) {
	v.seen[name] = nil
	if wrong != nil {
		v.seen[name] = &Loss{Name: name, Error: wrong.Error()}
		v.damaged = append(v.damaged, name)
	}
}

// lose records the backup that needs a file, if the file is damaged. Backups are examined one after another.
func (v *surveyor) lose(name string, ref Ref) {
	if l := v.seen[name]; l != nil && (len(l.Backups) == 0 || l.Backups[len(l.Backups)-1] != ref) {
		l.Backups = append(l.Backups, ref)
	}
}
