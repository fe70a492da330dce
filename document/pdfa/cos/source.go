package cos

// Source is a file of unknown origin, for several consecutive readers. Parsed objects are shared, but each reader has the full limits.
type Source struct {
	Data []byte
	file *File
}

// NewSource returns a source of data.
func NewSource(data []byte) *Source { return &Source{Data: data} }

// Open opens the file for the next reader.
func (s *Source) Open() (*File, error) {
	if s.file == nil {
		file, err := Open(s.Data, LimitsFor(len(s.Data)))
		if err != nil {
			return nil, err
		}
		s.file = file
		return file, nil
	}
	s.file = s.file.afresh()
	return s.file, nil
}

// afresh is the file without what was used of its limits. Parsed objects are kept unless a limit was reached: some are missing then.
func (f *File) afresh() *File {
	next := *f
	next.decoded, next.parsed, next.steps = 0, 0, 0
	if f.Exhausted() {
		next.objects, next.objectStreams = map[int]any{}, map[int]*objectStream{}
	}
	next.pending = map[int]bool{}
	return &next
}
