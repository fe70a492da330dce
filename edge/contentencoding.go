package edge

import (
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"
)

const (
	contentEncodingHeader = "Content-Encoding"
	acceptEncodingHeader  = "Accept-Encoding"
	// identity means no encoding: the only value that is accepted.
	identity = "identity"
)

// refuseEncoding refuses an encoded body, such as a compressed one. Call it after the key and the rate were checked;
// the body need not have been read.
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
