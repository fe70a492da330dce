package pdfa

import (
	"regexp"
	"slices"
	"strings"
)

// predefined are the properties that need no extension schema, with their types (XMP 2005; ISO 19005-3, 6.6.4). A
// namespace without a list is one whose properties are not checked here.
var predefined = map[string]map[string]string{
	pdfaidNamespace: propertyTypes(`part:integer conformance:text amd:text corr:text`),
	dcNamespace: propertyTypes(`contributor:bag-text coverage:text creator:seq-text date:seq-date description:lang-alt format:text identifier:text
		language:bag-text publisher:bag-text relation:bag-text rights:lang-alt source:text subject:bag-text title:lang-alt type:bag-text`),
	pdfNamespace: propertyTypes(`Keywords:text PDFVersion:text Producer:text`),
	xmpNamespace: propertyTypes(`Advisory:bag-text BaseURL:text CreateDate:date CreatorTool:text Identifier:bag-text Label:text MetadataDate:date
		ModifyDate:date Nickname:text Rating:real Thumbnails:alt-struct`),
	"http://ns.adobe.com/xap/1.0/rights/": propertyTypes(`Certificate:text Marked:boolean Owner:bag-text UsageTerms:lang-alt WebStatement:text`),
	"http://ns.adobe.com/xap/1.0/mm/": propertyTypes(`DerivedFrom:struct DocumentID:text History:seq-struct InstanceID:text ManagedFrom:struct Manager:text
		ManageTo:text ManageUI:text ManagerVariant:text RenditionClass:text RenditionParams:text VersionID:text Versions:seq-struct
		LastURL:text RenditionOf:struct SaveID:integer`),
	"http://ns.adobe.com/xap/1.0/bj/":   propertyTypes(`JobRef:bag-struct`),
	"http://ns.adobe.com/xap/1.0/t/pg/": propertyTypes(`MaxPageSize:struct NPages:integer Fonts:bag-struct Colorants:seq-struct PlateNames:seq-text`),
	"http://ns.adobe.com/photoshop/1.0/": propertyTypes(`AuthorsPosition:text CaptionWriter:text Category:text City:text Country:text Credit:text
		DateCreated:date Headline:text Instructions:text Source:text State:text SupplementalCategories:bag-text TransmissionReference:text
		Urgency:integer`),
	"http://ns.adobe.com/xmp/1.0/DynamicMedia/":    nil,
	"http://ns.adobe.com/camera-raw-settings/1.0/": nil,
	"http://ns.adobe.com/tiff/1.0/":                nil,
	"http://ns.adobe.com/exif/1.0/":                nil,
	"http://ns.adobe.com/exif/1.0/aux/":            nil,
}

func propertyTypes(list string) map[string]string {
	all := map[string]string{}
	for _, entry := range strings.Fields(list) {
		name, kind, _ := strings.Cut(entry, ":")
		all[name] = strings.Replace(kind, "-", " ", 1)
	}
	return all
}

// textTypes are the types of an extension schema whose values are plain text.
const textTypes = " text uri url xpath mimetype propername agentname locale renditionclass guid choice "

// structTypes are those whose values are structures, or are checked no further.
const structTypes = " struct dimensions thumbnail resourceevent resourceref version job font colorant timecode time marker media projectlink " +
	"beatsplicestretch resampleparams timescalestretch cfapattern devicesettings flash oecf/sfr rational gpscoordinate "

var simpleTypes = map[string]*regexp.Regexp{
	"integer": regexp.MustCompile(`^[+-]?\d+$`),
	"real":    regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)$`),
	"boolean": regexp.MustCompile(`^(True|False)$`),
	"date":    regexp.MustCompile(`^\d{4}(-(0\d|1[0-2])(-([0-2]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?)?)?$`),
}

// arrays are the elements in which RDF writes arrays.
var arrays = map[string]string{"bag": "Bag", "seq": "Seq", "alt": "Alt"}

// typeName brings the name of a type into the form of predefined: "closed Choice of Integer" is "integer", "Lang Alt"
// is "lang alt", "bag Text" is "bag text".
func typeName(declared string) string {
	words := strings.Fields(strings.ToLower(declared))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "closed" || w == "open" || w == "of" })
	if n := slices.Index(words, "choice"); n >= 0 && n < len(words)-1 {
		words = slices.Delete(words, n, n+1)
	}
	return strings.Join(words, " ")
}

// isType reports whether XMP or PDF/A defines a type.
func isType(name string) bool {
	if array, item, ok := strings.Cut(name, " "); ok && arrays[array] != "" {
		return isType(item)
	}
	return name == "lang alt" || simpleTypes[name] != nil || strings.Contains(textTypes+structTypes, " "+name+" ")
}

// hasType reports whether the value of an element is of a type. Types that are not known have any value.
func (e *element) hasType(kind string) bool {
	if kind == "lang alt" {
		items, ok := e.items("Alt")
		return ok && !slices.ContainsFunc(items, func(item *element) bool { return !item.lang || !item.hasType("text") })
	}
	if array, item, ok := strings.Cut(kind, " "); ok && arrays[array] != "" {
		items, ok := e.items(arrays[array])
		return ok && !slices.ContainsFunc(items, func(e *element) bool { return !e.hasType(item) })
	}
	e = e.unqualified()
	pattern := simpleTypes[kind]
	switch {
	case pattern != nil:
		return len(e.children) == 0 && pattern.MatchString(e.text)
	case strings.Contains(textTypes, " "+kind+" "):
		return len(e.children) == 0
	case strings.Contains(structTypes, " "+kind+" "):
		return len(e.children) > 0 || strings.TrimSpace(e.text) == ""
	}
	return true
}

// unqualified returns the element that has the value of one with qualifiers.
func (e *element) unqualified() *element {
	if values := e.find(rdfNamespace, "value"); len(values) == 1 {
		return values[0]
	}
	return e
}

// items returns the items of an array, and whether an element is such an array.
func (e *element) items(kind string) ([]*element, bool) {
	if len(e.children) != 1 || e.children[0].name.Space != rdfNamespace || e.children[0].name.Local != kind {
		return nil, false
	}
	return e.children[0].children, true
}
