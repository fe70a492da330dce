package document

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"runtime/metrics"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// allocated returns how many bytes this process allocates while do runs.
func allocated(do func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	do()
	metrics.Read(sample)
	return sample[0].Value.Uint64() - before
}

// picturePDF returns a PDF of one blank page with one picture.
func picturePDF(width, height int, entries string, data []byte) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type /Catalog /Pages 2 0 R>>")
	object("<</Type /Pages /Count 1 /Kids [3 0 R]>>")
	object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources <</XObject <</I 4 0 R>>>>>>")
	object("<</Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 %s /Length %d>>\nstream\n%s\nendstream", width, height, entries, len(data), data)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 5\n0000000000 65535 f \n")
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size 5 /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

const jpegEntries = "/ColorSpace /DeviceGray /Filter /DCTDecode"

// greyJPEG returns a picture of one colour. Padding behind its end makes recompression worthwhile.
func greyJPEG(t testing.TB, width, height, padding int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), &jpeg.Options{Quality: 50}); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), make([]byte, padding)...)
}

// claiming replaces the size in the header of a JPEG.
func claiming(picture []byte, width, height uint16) []byte {
	changed := bytes.Clone(picture)
	frame := bytes.Index(changed, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(changed[frame+5:], height)
	binary.BigEndian.PutUint16(changed[frame+7:], width)
	return changed
}

func deflated(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func progressive(picture []byte) []byte {
	return bytes.Replace(picture, []byte{0xff, 0xc0}, []byte{0xff, 0xc2}, 1)
}

// A small file that claims to be large, or inflates to something large, costs next to nothing, whatever is done to it.
func TestBombs(t *testing.T) {
	small := greyJPEG(t, 16, 16, 10_000)
	inflating := deflated(t, make([]byte, 128<<20))
	const rgb = "/ColorSpace /DeviceRGB /Filter /FlateDecode"
	for name, pdf := range map[string][]byte{
		"JPEG":                       picturePDF(16_000, 16_000, jpegEntries, claiming(small, 16_000, 16_000)),
		"JPEG of a claimed pixel":    picturePDF(1, 1, jpegEntries, claiming(small, 16_000, 16_000)),
		"progressive JPEG":           picturePDF(10, 10, jpegEntries, progressive(claiming(small, 5_000, 5_000))), // 120 MiB if decoded
		"samples of a claimed pixel": picturePDF(1, 1, rgb, inflating),
		"samples":                    picturePDF(16_000, 16_000, rgb, inflating),
		"product beyond an integer":  picturePDF(1<<62, 4, rgb, inflating),
		"predicted samples":          picturePDF(100, 100, rgb+" /DecodeParms <</Predictor 15 /Columns 1000000000>>", inflating),
	} {
		t.Run(name, func(t *testing.T) {
			for what, f := range map[string]Finishing{"recompress": {ImageQuality: 50}, "stamp": {Overlay: newPDF(1), Over: []int{1}}} {
				var out []byte
				var err error
				used := allocated(func() { out, err = Finish(t.Context(), pdf, f) })
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if most := uint64(16<<20 + 20*len(pdf)); used > most {
					t.Errorf("%s: %d bytes became %d MiB of memory", what, len(pdf), used>>20)
				}
				if info := testkit.Tool(t, out, "pdfinfo", "-"); !strings.Contains(info, "Pages:           1") {
					t.Errorf("%s: pdfinfo says %s", what, info)
				}
			}
			used := allocated(func() { _, _ = PageCount(pdf) })
			if used > uint64(16<<20+20*len(pdf)) {
				t.Errorf("counting pages: %d bytes became %d MiB of memory", len(pdf), used>>20)
			}
		})
	}
}

// A stream of objects or references that inflates to something large is refused.
func TestObjectBombs(t *testing.T) {
	data := deflated(t, bytes.Repeat([]byte("<<>> "), 64<<20/5))
	stream := func(entries string) string {
		return fmt.Sprintf("%%PDF-1.7\n1 0 obj\n<<%s /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream\nendobj\n", entries, len(data), data)
	}
	objects := stream("/Type /ObjStm /N 4 /First 20")
	references := stream("/Type /XRef /Size 9000000 /Index [0 9000000] /W [1 8 2] /Root 2 0 R")
	table := func(body, trailer string) string {
		return fmt.Sprintf("%sxref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000009 00000 n \ntrailer\n<</Size 3 /Root 2 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", body, trailer, len(body))
	}
	for name, pdf := range map[string]string{
		"objects":             table(objects, ""),
		"references":          references + "startxref\n9\n%%EOF\n",
		"former references":   table(references, " /Prev 9"),
		"hybrid references":   table(references, " /XRefStm 9"),
		"references, escaped": table(references, " /P#72ev 9"),
		"two trailers":        table(references, " /Prev 9>>\ntrailer\n<</A 1"),
	} {
		var err error
		used := allocated(func() { _, err = PageCount([]byte(pdf)) })
		if err == nil || used > 16<<20 {
			t.Errorf("%s: %d bytes became %d MiB of memory, %v", name, len(pdf), used>>20, err)
		}
	}
}

// A picture of 25 million pixels is recompressed, one with an additional row is not.
func TestLargestPicture(t *testing.T) {
	for _, height := range []int{5_000, 5_001} {
		pdf := picturePDF(5_000, height, jpegEntries, greyJPEG(t, 5_000, height, 1<<20))
		out, err := Finish(t.Context(), pdf, Finishing{ImageQuality: 10})
		if err != nil {
			t.Fatal(err)
		}
		if smaller := len(out) < len(pdf)-1<<19; smaller != (height == 5_000) {
			t.Errorf("5000 by %d: %d bytes became %d", height, len(pdf), len(out))
		}
	}
}

// The cost of decoding a picture depends on its kind; the budget of a document limits the sum.
func TestPictureBudget(t *testing.T) {
	for name, tc := range map[string]struct {
		size picture
		want bool
	}{
		"most pixels":                  {picture{5_000, 5_000, 3}, true},
		"more pixels":                  {picture{5_001, 5_000, 3}, false},
		"most memory":                  {picture{5_000, 2_600, 16}, true},
		"more memory":                  {picture{5_000, 2_700, 16}, false},
		"no pixels":                    {picture{0, 5, 1}, false},
		"negative":                     {picture{-5, -5, 1}, false},
		"a product beyond an integer":  {picture{1 << 62, 4, 1}, false},
		"another beyond, and positive": {picture{1 << 33, 1 << 33, 1}, false},
	} {
		budget := newBudget()
		if got := budget.spend(tc.size); got != tc.want {
			t.Errorf("%s: admitted %t", name, got)
		}
	}
	budget := newBudget()
	for n := range 10 {
		if !budget.spend(picture{5_000, 5_000, 1}) {
			t.Errorf("picture %d is refused", n)
		}
	}
	if budget.spend(picture{1, 1, 1}) {
		t.Error("pixels beyond those of a document are decoded")
	}
}

// At most as many PDFs are finished at once as there are cores; the next one waits, until its job's context ends.
func TestFinishingWaits(t *testing.T) {
	pdf := picturePDF(16, 16, jpegEntries, greyJPEG(t, 16, 16, 1000))
	if err := working.Acquire(t.Context(), cores); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Finish(ended, pdf, Finishing{ImageQuality: 50}); !errors.Is(err, context.Canceled) {
		t.Errorf("while all are busy: got %v", err)
	}
	working.Release(1)
	if _, err := Finish(t.Context(), pdf, Finishing{ImageQuality: 50}); err != nil {
		t.Errorf("while one is idle: %v", err)
	}
	if !working.TryAcquire(1) {
		t.Error("what has ended still counts")
	}
	working.Release(cores)
}

// A picture is recompressed only if it has exactly the samples that its size needs.
func TestSamples(t *testing.T) {
	for _, surplus := range []int{-1, 0, 1} {
		data := deflated(t, make([]byte, 3*200*200+surplus))
		pdf := picturePDF(200, 200, "/ColorSpace /DeviceRGB /Filter /FlateDecode", append(data, make([]byte, 100_000)...))
		out, err := Finish(t.Context(), pdf, Finishing{ImageQuality: 50})
		if err != nil {
			t.Fatal(err)
		}
		if smaller := len(out) < len(pdf)/2; smaller != (surplus == 0) {
			t.Errorf("%d bytes too many: %d became %d", surplus, len(pdf), len(out))
		}
	}
}
