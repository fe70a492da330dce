package store

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/encrypt"
)

const (
	// callLimit bounds one request to the server, including retries.
	callLimit = 2 * time.Minute
	// abortLimit is how long a Put that has failed takes to remove its parts.
	abortLimit = 10 * time.Second
	// maxTries is how often a request is sent while the server cannot serve it.
	maxTries = 5
)

// S3Config says where an S3 store is, and how to access it.
type S3Config struct {
	// Endpoint is the server's URL, https://host or https://host:port, or http where the
	// network is trusted. Empty means AWS in Region.
	Endpoint string
	// Region is the bucket's; most servers other than AWS accept any.
	Region string
	// PathStyle says that buckets are paths, https://host/bucket, not hosts,
	// https://bucket.host.
	PathStyle bool
	Bucket    string
	// Prefix is the key prefix of all files, without a trailing slash: the file a.pdf is the object
	// <Prefix>/a.pdf. It may be empty.
	Prefix string
	// SSE is how the server encrypts files: empty for the bucket's default, AES256 or aws:kms.
	SSE string
	// KMSKey is the key's id for aws:kms; empty means the account's default key.
	KMSKey string
	// CAFile names a PEM file of certificates to trust besides the system's.
	CAFile string
}

// S3 keeps files in a bucket of an S3 server, each as one object. Files of partSize or more are
// sent in parts. The server verifies what it receives by SHA-256 and CRC-32C; what it sends is
// verified by the latter, if the server has kept it.
//
// An acknowledged file is as durable as the bucket. The parts of a Put whose process was killed
// stay in the bucket, invisible, until a lifecycle rule removes them (docs/STORAGE.md).
type S3 struct {
	client    minio.Core
	transport *http.Transport
	cfg       S3Config
	host      string // of the endpoint, for errors
	sse       encrypt.ServerSide
	limit     time.Duration // callLimit, except in tests
}

var _ Files = (*S3)(nil)

// OpenS3 prepares a store. It finds the credentials but sends nothing to the server. They come from
// the environment, the shared credentials file or the role of the machine, in this order, and are
// renewed from there before they expire.
func OpenS3(ctx context.Context, cfg S3Config) (*S3, error) { return openS3(ctx, cfg, silenceLimit) }

func openS3(ctx context.Context, cfg S3Config, silence time.Duration) (*S3, error) {
	endpoint, err := url.Parse(cfg.endpoint())
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &S3{cfg: cfg, host: endpoint.Host, limit: callLimit}
	if s.transport, err = newTransport(cfg.CAFile, silence); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if s.sse, err = cfg.encryption(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	keys, err := findCredentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	lookup := minio.BucketLookupDNS
	if cfg.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds: keys, Secure: endpoint.Scheme == "https", Transport: s.transport, Region: cfg.Region, BucketLookup: lookup, MaxRetries: maxTries,
	})
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	client.SetS3EnableDualstack(false) // so that errors name the host that AWS is reached by
	s.client = *client
	return s, nil
}

func (c S3Config) endpoint() string {
	if c.Endpoint != "" {
		return c.Endpoint
	}
	return "https://s3." + c.Region + ".amazonaws.com"
}

func (c S3Config) encryption() (encrypt.ServerSide, error) {
	switch c.SSE {
	case "":
		return nil, nil
	case "AES256":
		return encrypt.NewSSE(), nil
	case "aws:kms":
		return encrypt.NewSSEKMS(c.KMSKey, nil)
	}
	return nil, fmt.Errorf("server-side encryption %q is not known", c.SSE)
}

// Close closes idle connections.
func (s *S3) Close() { s.transport.CloseIdleConnections() }

// Open implements Files. The file is streamed, not buffered: a connection that breaks, or is silent
// for silenceLimit, is an error of Read.
func (s *S3) Open(ctx context.Context, name string) (*File, error) {
	if err := errors.Join(ctx.Err(), CheckName(name)); err != nil {
		return nil, err
	}
	f, err := s.open(ctx, name)
	switch {
	case isCode(err, minio.NoSuchKey):
		return nil, fmt.Errorf("open %s: %w", name, ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", name, s.explain(ctx, err))
	}
	return f, nil
}

// open gets an object. Reading it must outlive ctx, so the request has its own context.
func (s *S3) open(ctx context.Context, name string) (*File, error) {
	reading, cancel := context.WithCancel(context.Background())
	limit := time.AfterFunc(s.limit, cancel)
	stop := context.AfterFunc(ctx, cancel)
	options := minio.GetObjectOptions{}
	options.Set("x-amz-checksum-mode", "ENABLED")
	body, info, _, err := s.client.GetObject(reading, s.cfg.Bucket, s.key(name), options)
	inTime, wanted := limit.Stop(), stop()
	switch {
	case err != nil:
		cancel()
		return nil, err
	case !inTime || !wanted:
		return nil, errors.Join(context.Canceled, body.Close())
	case info.Size < 0:
		cancel()
		return nil, errors.Join(errors.New("the server does not say how large the file is"), body.Close())
	}
	return &File{&checked{body: body, cancel: cancel, name: name, left: info.Size, want: wholeSum(info)}, info.Size}, nil
}

// checked reads an object and verifies its checksum before it passes on the last bytes.
type checked struct {
	body   io.ReadCloser
	cancel context.CancelFunc
	name   string
	left   int64
	sum    uint32
	want   string // base64; "" if the server has none
}

func (c *checked) Read(b []byte) (int, error) {
	if c.left == 0 {
		return 0, c.verify(io.EOF)
	}
	n, err := c.body.Read(b[:min(int64(len(b)), c.left)])
	c.sum = crc32.Update(c.sum, castagnoli, b[:n])
	c.left -= int64(n)
	switch {
	case c.left == 0:
		if err := c.verify(nil); err != nil {
			return 0, err
		}
		return n, nil
	case err == io.EOF:
		return n, fmt.Errorf("read %s: %d bytes are missing: %w", c.name, c.left, io.ErrUnexpectedEOF)
	case err != nil:
		return n, fmt.Errorf("read %s: %w", c.name, err)
	}
	return n, nil
}

// verify returns err, or ErrCorrupt if the content read differs from the content stored.
func (c *checked) verify(err error) error {
	if c.want != "" && c.want != encodeSum(c.sum) {
		return fmt.Errorf("read %s: %w", c.name, ErrCorrupt)
	}
	return err
}

func (c *checked) Close() error {
	err := c.body.Close()
	c.cancel()
	return err
}

// wholeSum returns the CRC-32C of a whole object, "" if the server has none: it may not know
// checksums, or only have a checksum of the parts' checksums.
func wholeSum(info minio.ObjectInfo) string {
	if strings.Contains(info.ChecksumCRC32C, "-") {
		return ""
	}
	return info.ChecksumCRC32C
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeSum formats a checksum as S3 does.
func encodeSum(sum uint32) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

// Delete implements Files. In a versioned bucket the content stays.
func (s *S3) Delete(ctx context.Context, name string) error {
	if err := errors.Join(ctx.Err(), CheckName(name)); err != nil {
		return err
	}
	err := s.call(ctx, func(ctx context.Context) error {
		return s.client.RemoveObject(ctx, s.cfg.Bucket, s.key(name), minio.RemoveObjectOptions{})
	})
	if err != nil && !isCode(err, minio.NoSuchKey) {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// Each implements Files. It skips objects whose keys are not those of files.
func (s *S3) Each(ctx context.Context, visit func(name string, size int64, stored time.Time) error) error {
	owner := false
	options := minio.ListObjectsOptions{Prefix: s.key(""), FetchOwner: &owner}
	for object := range s.client.ListObjectsIter(ctx, s.cfg.Bucket, options) {
		if object.Err != nil {
			return fmt.Errorf("list files: %w", s.explain(ctx, object.Err))
		}
		name := strings.TrimPrefix(object.Key, s.key(""))
		if CheckName(name) != nil {
			continue
		}
		if err := errors.Join(ctx.Err(), visit(name, object.Size, object.LastModified)); err != nil {
			return err
		}
	}
	return ctx.Err() // the end of ctx ends the listing without an error
}

// key returns the key of a file's object.
func (s *S3) key(name string) string {
	if s.cfg.Prefix == "" {
		return name
	}
	return s.cfg.Prefix + "/" + name
}

// call makes one request within callLimit.
func (s *S3) call(ctx context.Context, request func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	return s.explain(ctx, request(limited))
}
