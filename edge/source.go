package edge

import (
	"bytes"
	"cmp"
	"compress/flate"

	"platen.dev/events"
)

// The sources of the operations: what is rendered.

func (s *Server) pageSource(f fields, c *events.Content) *problem {
	c.URL = f.text("url")
	if wrong := s.checkPage(c.URL); wrong != nil {
		return wrong
	}
	return s.invoiceOption(f, c)
}

func (s *Server) htmlSource(f fields, c *events.Content) *problem {
	html := s.cfg.Documents.Sanitize(f.text("html"))
	if html == "" {
		return &emptyHTML
	}
	c.HTML = html
	return s.invoiceOption(f, c)
}

func (s *Server) markdownSource(f fields, c *events.Content) *problem {
	html, err := s.cfg.Documents.Markdown(f.text("markdown"))
	if err != nil {
		p := markdownInvalid.with("markdown-invalid: " + err.Error())
		return &p
	}
	c.HTML = html
	return nil
}

// invoiceOption adds the e-invoice that a page or document is the visible half of.
func (s *Server) invoiceOption(f fields, c *events.Content) *problem {
	option, ok := f.object("einvoice")
	if !ok {
		return nil
	}
	if wrong := s.invoice(option, c); wrong != nil {
		return wrong
	}
	if c.HTML != "" {
		c.Invoice.HTML, c.HTML = deflate([]byte(c.HTML)), ""
	}
	return checkQueued(c.Invoice)
}

func (s *Server) invoiceSource(f fields, c *events.Content) *problem {
	return s.invoice(f, c)
}

// invoice checks the XML of an e-invoice.
func (s *Server) invoice(f fields, c *events.Content) *problem {
	xml, profile := f.text("xml"), cmp.Or(f.text("profile"), defaultProfile)
	if len(xml) > MaxXML {
		p := invoiceInvalid.with("EINVOICE_XML_INVALID: the XML may have 1,048,576 bytes.")
		return &p
	}
	if err := s.cfg.Documents.Invoice([]byte(xml), profile); err != nil {
		p := invoiceInvalid.with("EINVOICE_XML_INVALID: " + err.Error())
		return &p
	}
	c.Invoice = &events.Invoice{Profile: profile, XML: deflate([]byte(xml))}
	return nil
}

// checkQueued holds an e-invoice to the bound of the queue, compressed as it travels.
func checkQueued(i *events.Invoice) *problem {
	n := len(i.XML) + len(i.HTML) + len(deflate(i.Template))
	if n <= MaxContent {
		return nil
	}
	p := tooMuchContent(n).with("PAYLOAD_TOO_LARGE_FOR_QUEUE: the XML with what is shown beside it is too large even compressed; attachments in the XML are the usual reason.")
	return &p
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // cannot be: a buffer takes everything
	}
	return out.Bytes()
}
