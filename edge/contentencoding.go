package edge

import (
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"
)

const (
	contentEncodingHeader = "Content-Encoding"
	acceptEncodingHeader  = "Accept-Encoding"
	// identity is the encoding of a body that has none, and the only one that is read.
	identity = "identity"
)

// refuseEncoding refuses a body that is not sent as it is, such as a compressed one. It must be called after the key
// and the rate were checked; the body need not be read.
func refuseEncoding(h *fasthttp.RequestHeader) *problem {
	for _, line := range h.PeekAll(contentEncodingHeader) {
		for encoding := range strings.SplitSeq(string(line), ",") {
			encoding = strings.TrimSpace(encoding)
			if encoding != "" && !strings.EqualFold(encoding, identity) {
				return unsupportedEncoding.with(fmt.Sprintf("unsupported-content-encoding: the request has Content-Encoding %.40q; "+
					"send the body as it is, without that header.", encoding))
			}
		}
	}
	return nil
}
