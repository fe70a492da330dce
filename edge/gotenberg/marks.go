package gotenberg

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mark holds the fields of a form about a watermark, which is behind the content, or about a stamp, which is on top of it.
type mark struct{ source, expression, pages, options string }

// markKinds are the two kinds of mark. The names of their fields begin with these words, and their pictures are the files of fields of these names.
var markKinds = []string{"watermark", "stamp"}

// ofMarks are the fields of both kinds. addMarks reads them together: a form can have several of each.
var ofMarks = markFields()

func markFields() map[string]field {
	all := map[string]field{}
	for _, kind := range markKinds {
		for _, part := range []string{"Source", "Expression", "Pages", "Options"} {
			all[kind+part] = field{apply: func(*body, string) error { return nil }}
		}
	}
	return all
}

// addMarks turns a form's marks into watermarks. Files that would be marks, or be embedded, are not dropped in silence.
func (b *body) addMarks(r route, f form) error {
	for _, field := range special {
		if len(f.special[field]) > 0 && (r.image || !slices.Contains(markKinds, field)) {
			return unsupported(field)
		}
	}
	var all []object
	for _, kind := range markKinds {
		for _, m := range marksOf(f, kind) {
			made, err := m.watermark(kind, f)
			if err != nil {
				return err
			}
			made["behind"] = kind == "watermark"
			all = append(all, made)
		}
		if len(f.special[kind]) > 0 {
			return fmt.Errorf("the file %s needs a %sSource that is image, one for each file", kind, kind)
		}
	}
	if len(all) > 0 {
		b.options["watermarks"] = all
	}
	return nil
}

// marksOf returns the marks of a kind: the values of the four fields belong together by their positions.
func marksOf(f form, kind string) (all []mark) {
	for i := range maxParts {
		at := func(part string) string {
			if values := f.values[kind+part]; i < len(values) {
				return values[i]
			}
			return ""
		}
		if m := (mark{at("Source"), at("Expression"), at("Pages"), at("Options")}); m != (mark{}) {
			all = append(all, m)
		}
	}
	return all
}

// picture takes the picture of the next mark of a kind from a form: a file of the field of that name, or one of the folder by its name.
func (m mark) picture(kind string, f form) ([]byte, error) {
	if files := f.special[kind]; len(files) > 0 {
		f.special[kind] = files[1:]
		return files[0], nil
	}
	picture, has := f.files[m.expression]
	switch {
	case m.expression == "":
		return nil, fmt.Errorf("the file %s is missing", kind)
	case !has:
		return nil, fmt.Errorf("the file %q is missing", m.expression)
	}
	delete(f.files, m.expression)
	return picture, nil
}

// watermark translates a mark, with the default colour and angle of Gotenberg's engine.
func (m mark) watermark(kind string, f form) (object, error) {
	made := object{"rotation_degrees": -45}
	switch {
	case m.source == "image":
		picture, err := m.picture(kind, f)
		if err != nil {
			return nil, err
		}
		made["image"] = "data:image/*;base64," + base64.StdEncoding.EncodeToString(picture) // its content determines the type
	case m.source != "text":
		return nil, fmt.Errorf("%sSource can be text or image only", kind)
	case m.expression == "":
		return nil, fmt.Errorf("%sExpression is missing", kind)
	default:
		made["text"], made["color"] = m.expression, "#808080"
	}
	if m.pages != "" {
		made["pages"] = m.pages
	}
	if err := m.style(made); err != nil {
		return nil, fmt.Errorf("%sOptions %w", kind, err)
	}
	return made, nil
}

// style reads the options of a mark, in the order of their names.
func (m mark) style(made object) error {
	if m.options == "" {
		return nil
	}
	var all object
	if json.Unmarshal([]byte(m.options), &all) != nil {
		return errors.New("must be a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		set, has := markOptions[name]
		if !has {
			return fmt.Errorf("can have %s only, not %q", strings.Join(slices.Sorted(maps.Keys(markOptions)), ", "), name)
		}
		if err := set(made, fmt.Sprint(all[name])); err != nil {
			return fmt.Errorf("of %s %w", name, err)
		}
	}
	if _, text := made["text"]; !text {
		delete(made, "color")
		delete(made, "font_size")
	}
	return nil
}

// markOptions are the options of pdfcpu, Gotenberg's engine for marks, that have a counterpart. Fonts are ignored: texts use those of this service.
var markOptions = map[string]func(made object, v string) error{
	"font": ignored, "fontname": ignored,
	"color": color, "fillcolor": color,
	"points":   measured(func(made object, n float64) { made["font_size"] = strconv.FormatFloat(n, 'f', -1, 64) + "pt" }),
	"opacity":  measured(func(made object, n float64) { made["opacity"] = n }),
	"rotation": measured(func(made object, n float64) { made["rotation_degrees"] = -int(math.Round(n)) }), // theirs is counter-clockwise
	"diagonal": func(made object, v string) error {
		angle, has := map[string]int{"1": -45, "2": 45}[v]
		if !has {
			return errors.New("can be 1 or 2")
		}
		made["rotation_degrees"] = angle
		return nil
	},
	"pos": position, "position": position,
}

func ignored(object, string) error { return nil }

func measured(set func(object, float64)) func(object, string) error {
	return func(made object, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(math.Abs(n) <= 1000) {
			return errors.New("must be a number of at most 1000")
		}
		set(made, n)
		return nil
	}
}

// color also reads three numbers from 0 to 1.
func color(made object, v string) error {
	made["color"] = v
	if parts := strings.Fields(v); len(parts) == 3 {
		var rgb [3]int
		for i, part := range parts {
			n, err := strconv.ParseFloat(part, 64)
			if err != nil || !(n >= 0 && n <= 1) {
				return errors.New("must be a name, #rrggbb, or three numbers from 0 to 1")
			}
			rgb[i] = int(math.Round(255 * n))
		}
		made["color"] = fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
	}
	return nil
}

func position(made object, v string) error {
	places := map[string]string{
		"tl": "top-left", "tc": "top", "tr": "top-right", "l": "left", "c": "center", "r": "right", "bl": "bottom-left", "bc": "bottom", "br": "bottom-right",
	}
	place, has := places[v]
	if !has {
		return fmt.Errorf("can be %s", strings.Join(slices.Sorted(maps.Keys(places)), ", "))
	}
	made["position"] = place
	return nil
}
