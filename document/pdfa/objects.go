package pdfa

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// object returns the object with a number, from its object stream if it is in one. It is
// nil if there is none, or if it cannot be read.
func (c *conversion) object(number int) types.Object {
	entry := c.Table[number]
	if entry == nil || entry.Free || number == 0 {
		return nil
	}
	object, err := c.Dereference(*types.NewIndirectRef(number, 0))
	if err != nil {
		return nil // the writer returns this error if the file needs the object
	}
	return object
}

// hasName reports whether an entry of a dictionary is one of some names.
func hasName(d types.Dict, key string, names ...string) bool {
	name, ok := d[key].(types.Name)
	return ok && slices.Contains(names, string(name))
}

// value follows a reference. It returns nil if the object cannot be read.
func (c *conversion) value(object types.Object) types.Object {
	v, err := c.Dereference(object)
	if err != nil {
		return nil
	}
	return v
}

func (c *conversion) dict(object types.Object) types.Dict {
	switch v := c.value(object).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	}
	return nil
}

func (c *conversion) array(object types.Object) types.Array {
	a, _ := c.value(object).(types.Array)
	return a
}

func (c *conversion) nameOf(object types.Object) string {
	n, _ := c.value(object).(types.Name)
	return string(n)
}

// isUntypedDict and isStream distinguish PDF's own keys from names that a document's
// author chose: the dictionaries of link targets and of resources have any keys.
func (c *conversion) isUntypedDict(value types.Object) bool {
	d, ok := c.value(value).(types.Dict)
	return ok && d["Type"] == nil
}

func (c *conversion) isStream(value types.Object) bool {
	_, ok := c.value(value).(types.StreamDict)
	return ok
}
