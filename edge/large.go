package edge

import (
	"fmt"

	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// plainBytes returns the size of a content without its e-invoice, invoiceBytes that of the e-invoice, compressed as in the command.
func plainBytes(c events.Content) int {
	bytes := len(c.HTML)
	for _, a := range c.Assets {
		bytes += len(a.Content)
	}
	for _, mark := range c.Print.Marks() {
		bytes += len(mark.Image)
	}
	return bytes
}

func invoiceBytes(c events.Content) int {
	if c.Invoice == nil {
		return 0
	}
	return len(c.Invoice.XML) + len(c.Invoice.HTML) + len(events.Deflate(c.Invoice.Template))
}

// queued holds content to the limit of the queue.
func queued(c events.Content) *problem {
	if n := plainBytes(c); n > contract.MaxContent {
		return contentTooLarge.with(fmt.Sprintf("payload-too-large-for-queue: the content to be rendered has %d bytes, %d are allowed without `large`.", n, contract.MaxContent))
	}
	if invoiceBytes(c) > contract.MaxContent {
		return contentTooLarge.with("PAYLOAD_TOO_LARGE_FOR_QUEUE: the XML and the visible document are too large even when compressed; attachments in the XML are the usual reason. " +
			"large stores it.")
	}
	return nil
}

// detach stores the part of a job's content that is too large for the queue. The file is deleted when the job ends; the sweep for
// orphans deletes one that belongs to no job.
func (s *submissions) detach(w *transport.Work, job *events.Submission) *problem {
	c := job.Content
	if plainBytes(c) <= contract.MaxContent && invoiceBytes(c) <= contract.MaxContent {
		return nil
	}
	name := events.FileName(job.Job, events.NewAttemptID(), events.Partition(w.Account, s.cfg.Partitions), events.StoredExtension)
	rest, sealed, err := s.sealed(w, job.Job, c, name)
	if err == nil {
		err = s.cfg.Content.Put(name, sealed)
	}
	if err != nil {
		s.cfg.Logger.Error("large content could not be stored", "job", job.Job.String(), "error", err)
		return unavailable
	}
	job.Content = rest
	return nil
}

// sealed takes the large part out of a content, and encrypts it.
func (s *submissions) sealed(w *transport.Work, job events.JobID, c events.Content, name string) (rest events.Content, sealed []byte, err error) {
	defer w.Take(plainBytes(c) + invoiceBytes(c))()
	rest, part, err := c.Detach(name)
	return rest, s.cfg.Seal(job, string(part)), err
}

// discard deletes the stored content of a job that was not accepted.
func (s *submissions) discard(c events.Content) {
	if c.Stored == nil {
		return
	}
	if err := s.cfg.Content.Delete(c.Stored.File); err != nil {
		s.cfg.Logger.Warn("cannot delete content of a refused job; the orphan sweep will", "error", err)
	}
}
