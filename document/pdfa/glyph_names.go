package pdfa

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// standardStrings are the names that every CFF program knows, by number (Adobe Technical Note 5176, appendix A).
var standardStrings = strings.Fields(`.notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma hyphen period slash
	zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
	bracketleft backslash bracketright asciicircum underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright
	asciitilde exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl
	endash dagger daggerdbl periodcentered paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown
	grave acute circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE
	ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide brokenbar
	degree thorn threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde
	Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute
	Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave
	iacute icircumflex idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis
	zcaron exclamsmall Hungarumlautsmall dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior parenrightsuperior twodotenleader
	onedotenleader zerooldstyle oneoldstyle twooldstyle threeoldstyle fouroldstyle fiveoldstyle sixoldstyle sevenoldstyle eightoldstyle nineoldstyle
	commasuperior threequartersemdash periodsuperior questionsmall asuperior bsuperior centsuperior dsuperior esuperior isuperior lsuperior msuperior
	nsuperior osuperior rsuperior ssuperior tsuperior ff ffi ffl parenleftinferior parenrightinferior Circumflexsmall hyphensuperior Gravesmall Asmall
	Bsmall Csmall Dsmall Esmall Fsmall Gsmall Hsmall Ismall Jsmall Ksmall Lsmall Msmall Nsmall Osmall Psmall Qsmall Rsmall Ssmall Tsmall Usmall Vsmall
	Wsmall Xsmall Ysmall Zsmall colonmonetary onefitted rupiah Tildesmall exclamdownsmall centoldstyle Lslashsmall Scaronsmall Zcaronsmall
	Dieresissmall Brevesmall Caronsmall Dotaccentsmall Macronsmall figuredash hypheninferior Ogoneksmall Ringsmall Cedillasmall questiondownsmall
	oneeighth threeeighths fiveeighths seveneighths onethird twothirds zerosuperior foursuperior fivesuperior sixsuperior sevensuperior eightsuperior
	ninesuperior zeroinferior oneinferior twoinferior threeinferior fourinferior fiveinferior sixinferior seveninferior eightinferior nineinferior
	centinferior dollarinferior periodinferior commainferior Agravesmall Aacutesmall Acircumflexsmall Atildesmall Adieresissmall Aringsmall AEsmall
	Ccedillasmall Egravesmall Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall Iacutesmall Icircumflexsmall Idieresissmall Ethsmall Ntildesmall
	Ogravesmall Oacutesmall Ocircumflexsmall Otildesmall Odieresissmall OEsmall Oslashsmall Ugravesmall Uacutesmall Ucircumflexsmall Udieresissmall
	Yacutesmall Thornsmall Ydieresissmall 001.000 001.001 001.002 001.003 Black Bold Book Light Medium Regular Roman Semibold`)

// standardCharacters are the characters of the names from the second on.
const standardCharacters = " !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~" +
	"¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß" +
	"¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž"

// notdef is the name of the glyph that is shown for want of another.
const notdef = ".notdef"

// encoding has the names of glyphs by the codes of a font.
type encoding map[int]string

// Encodings that fonts name, and characters and codes of glyphs by their names (ISO 32000-1, annex D).
var (
	characters, glyphNames = characterNames()
	standardEncoding       = readStandardEncoding()
	winAnsiEncoding        = encodingOf(charmap.Windows1252, "bullet")
	macRomanEncoding       = encodingOf(charmap.Macintosh, notdef)
	macRomanCodes          = codesOf(macRomanEncoding)
	encodings              = map[string]encoding{"WinAnsiEncoding": winAnsiEncoding, "MacRomanEncoding": macRomanEncoding}
)

func characterNames() (characters map[string]rune, names map[rune]string) {
	characters, names = map[string]rune{"Euro": '€'}, map[rune]string{'€': "Euro", '\u00a0': "space", '\u00ad': "hyphen"}
	n := 0
	for _, character := range standardCharacters {
		n++
		characters[standardStrings[n]], names[character] = character, standardStrings[n]
	}
	return characters, names
}

// readStandardEncoding uses that the first names are in the order of their codes.
func readStandardEncoding() encoding {
	names, n := encoding{}, 0
	spans := []int{32, 126, 161, 175, 177, 180, 182, 189, 191, 191, 193, 200, 202, 203, 205, 208, 225, 225, 227, 227, 232, 235, 241, 241, 245, 245, 248, 251}
	for span := range slices.Chunk(spans, 2) {
		for code := span[0]; code <= span[1]; code++ {
			n++
			names[code] = standardStrings[n]
		}
	}
	return names
}

// encodingOf returns the names for a code page. Codes from 127 on that it does not define have the name given.
func encodingOf(page *charmap.Charmap, otherwise string) encoding {
	names := encoding{}
	for code := range 256 {
		names[code] = cmp.Or(glyphNames[page.DecodeByte(byte(code))], notdef)
		if code >= 127 && names[code] == notdef {
			names[code] = otherwise
		}
	}
	const macCurrency = 0xDB
	if page == charmap.Macintosh {
		names[macCurrency] = "currency" // which became the euro sign later
	}
	return names
}

// codesOf returns the codes of names, the least if a name has several.
func codesOf(names encoding) map[string]int {
	codes := map[string]int{}
	for code := 255; code >= 0; code-- {
		codes[names[code]] = code
	}
	return codes
}
