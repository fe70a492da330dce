package pagetext

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"platen.dev/document/pdfa/cos"
)

// encoding returns the characters that the codes of a simple font stand for (9.6.6).
func (r *reader) encoding(d cos.Dict, name string) *[256]string {
	base, differences := r.name(d["Encoding"]), cos.Array(nil)
	if e := r.file.Dict(d["Encoding"]); e != nil {
		base, differences = r.name(e["BaseEncoding"]), r.file.Array(e["Differences"])
	}
	codes := baseEncoding(base)
	if base == "" && (name == "Symbol" || name == "ZapfDingbats" || r.name(d["Subtype"]) == "Type3") {
		codes = [256]string{}
	}
	for code, glyph := range r.file.Differences(differences) {
		codes[code] = characterOf(string(glyph))
	}
	return &codes
}

// baseEncoding is a named encoding. For fonts that name none it is Windows', which agrees with others in what most texts use.
func baseEncoding(name cos.Name) (codes [256]string) {
	table := charmap.Windows1252
	if name == "MacRomanEncoding" {
		table = charmap.Macintosh
	}
	for code := range codes {
		if r := table.DecodeByte(byte(code)); code >= 32 && r != utf8.RuneError {
			codes[code] = string(r)
		}
	}
	if name == "StandardEncoding" {
		codes['\''], codes['`'] = "’", "‘"
		for code, glyph := range map[int]string{
			0xA4: "⁄", 0xA6: "ƒ", 0xA9: "'", 0xAA: "“", 0xAC: "‹", 0xAD: "›", 0xAE: "fi", 0xAF: "fl", 0xB1: "–", 0xB7: "•", 0xB8: "‚", 0xB9: "„",
			0xBA: "”", 0xBC: "…", 0xBD: "‰", 0xD0: "—", 0xE1: "Æ", 0xE8: "Ł", 0xE9: "Ø", 0xEA: "Œ", 0xF1: "æ", 0xF5: "ı", 0xF8: "ł", 0xF9: "ø", 0xFA: "œ", 0xFB: "ß",
		} {
			codes[code] = glyph
		}
	}
	return codes
}

// glyphNames are the names of characters that are neither letters by themselves nor letters with an accent (Adobe Glyph List).
var glyphNames = readNames(`space:0020 exclam:0021 quotedbl:0022 numbersign:0023 dollar:0024 percent:0025 ampersand:0026 quotesingle:0027 parenleft:0028
	parenright:0029 asterisk:002A plus:002B comma:002C hyphen:002D period:002E slash:002F zero:0030 one:0031 two:0032 three:0033 four:0034 five:0035 six:0036
	seven:0037 eight:0038 nine:0039 colon:003A semicolon:003B less:003C equal:003D greater:003E question:003F at:0040 bracketleft:005B backslash:005C
	bracketright:005D asciicircum:005E underscore:005F grave:0060 braceleft:007B bar:007C braceright:007D asciitilde:007E exclamdown:00A1 cent:00A2
	sterling:00A3 currency:00A4 yen:00A5 brokenbar:00A6 section:00A7 dieresis:00A8 copyright:00A9 ordfeminine:00AA guillemotleft:00AB logicalnot:00AC
	softhyphen:00AD registered:00AE macron:00AF degree:00B0 plusminus:00B1 acute:00B4 mu:00B5 paragraph:00B6 periodcentered:00B7 cedilla:00B8
	ordmasculine:00BA guillemotright:00BB onequarter:00BC onehalf:00BD threequarters:00BE questiondown:00BF AE:00C6 Eth:00D0 multiply:00D7 Oslash:00D8
	Thorn:00DE germandbls:00DF ae:00E6 eth:00F0 divide:00F7 oslash:00F8 thorn:00FE Dcroat:0110 dcroat:0111 dotlessi:0131 Lslash:0141 lslash:0142 OE:0152
	oe:0153 florin:0192 endash:2013 emdash:2014 quoteleft:2018 quoteright:2019 quotesinglbase:201A quotedblleft:201C quotedblright:201D quotedblbase:201E
	dagger:2020 daggerdbl:2021 bullet:2022 ellipsis:2026 perthousand:2030 guilsinglleft:2039 guilsinglright:203A fraction:2044 Euro:20AC trademark:2122
	minus:2212 fi:FB01 fl:FB02 ff:FB00 ffi:FB03 ffl:FB04 nbspace:00A0 nonbreakingspace:00A0 sfthyphen:00AD`)

// accents maps endings of names to combining characters.
var accents = readNames(`acute:0301 grave:0300 circumflex:0302 dieresis:0308 tilde:0303 ring:030A cedilla:0327 caron:030C ogonek:0328 macron:0304 breve:0306
	dotaccent:0307 hungarumlaut:030B commaaccent:0326`)

func readNames(table string) map[string]string {
	all := map[string]string{}
	for entry := range strings.FieldsSeq(table) {
		name, code, _ := strings.Cut(entry, ":")
		all[name] = hexCharacter(code)
	}
	return all
}

func hexCharacter(digits string) string {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) || n == 0 {
		return ""
	}
	return string(rune(n))
}

// maxGlyphName is the length of the longest name that a PDF may have (ISO 32000-1, annex C).
const maxGlyphName = 127

// characterOf returns the text that the name of a glyph stands for, "" if it is not known.
func characterOf(name string) string {
	if len(name) > maxGlyphName {
		return ""
	}
	name, _, _ = strings.Cut(name, ".")
	if text, known := glyphNames[name]; known {
		return text
	}
	if len(name) == 1 {
		return name
	}
	if digits, ok := strings.CutPrefix(name, "uni"); ok && len(digits) >= 4 {
		return hexCharacter(digits[:4])
	}
	if digits, ok := strings.CutPrefix(name, "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		if text := hexCharacter(digits); text != "" {
			return text
		}
	}
	if len(name) > 1 {
		if accent, known := accents[name[1:]]; known {
			return norm.NFC.String(name[:1] + accent)
		}
	}
	if first, rest, joined := strings.Cut(name, "_"); joined {
		return characterOf(first) + characterOf(rest)
	}
	return ""
}
