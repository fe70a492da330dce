// Package s3test is an S3 server for tests: one bucket in memory, with as much of the protocol as
// package store uses, which can be made to fail. It checks that requests are signed, but not with
// which secret, and that content matches its checksums.
package s3test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Values that requests must name.
const (
	Bucket    = "results"
	Region    = "eu-test-1"
	AccessKey = "AKIATEST"
)

// Server is the server. It is safe for concurrent use.
type Server struct {
	// URL is the endpoint.
	URL string

	mu        sync.Mutex
	objects   map[string]object
	uploads   map[string]*upload
	created   int // uploads, so far
	intercept http.HandlerFunc
}

type object struct {
	data   []byte
	stored time.Time
	sum    string      // CRC-32C of all, base64; "" if none was sent
	header http.Header // of the request that created it
}

type upload struct {
	key    string
	header http.Header
	parts  map[int]object
}

// PageSize is the number of objects in a page of a listing.
const PageSize = 2

// Start starts a server, which ends with the test. It puts credentials for it into the test's
// environment.
func Start(t *testing.T) *Server {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret of the tests")
	s := &Server{objects: map[string]object{}, uploads: map[string]*upload{}}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Intercept makes handle serve all further requests; it may pass them on to Serve. nil ends this.
func (s *Server) Intercept(handle http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = handle
}

// Keys lists the keys of all objects, in order.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Uploads lists the keys of the uploads that have begun and were neither completed nor aborted.
func (s *Server) Uploads() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.uploads {
		keys = append(keys, u.key)
	}
	return keys
}

// Header returns the header of the request that created an object.
func (s *Server) Header(key string) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key].header
}

// Corrupt changes the last byte of an object.
func (s *Server) Corrupt(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[key]
	o.data = bytes.Clone(o.data)
	o.data[len(o.data)-1]++
	s.objects[key] = o
}

// SetStored sets when an object was stored.
func (s *Server) SetStored(key string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[key]
	o.stored = at
	s.objects[key] = o
}

// Refuse responds with an error of S3.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>said by the test</Message><Region>%s</Region></Error>", code, Region)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	handle := s.intercept
	s.mu.Unlock()
	if handle == nil {
		handle = s.Serve
	}
	handle(w, r)
}

// Serve serves one request correctly.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.ContentLength >= 0 && int64(len(body)) != r.ContentLength {
		return // the client is gone
	}
	if status, code := refusal(r, body); code != "" {
		Refuse(w, status, code)
		return
	}
	bucket, key := target(r)
	if bucket != Bucket {
		Refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodGet && query.Get("list-type") == "2":
		s.list(w, query.Get("prefix"), query.Get("continuation-token"))
	case r.Method == http.MethodGet:
		s.get(w, key)
	case r.Method == http.MethodDelete && query.Has("uploadId"):
		s.abort(w, query.Get("uploadId"))
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPut && query.Has("uploadId"):
		s.putPart(w, query.Get("uploadId"), query.Get("partNumber"), body, r.Header)
	case r.Method == http.MethodPut:
		s.objects[key] = object{body, time.Now(), r.Header.Get(crcHeader), r.Header}
	case r.Method == http.MethodPost && query.Has("uploads"):
		s.create(w, key, r.Header)
	case r.Method == http.MethodPost && query.Has("uploadId"):
		s.complete(w, query.Get("uploadId"), body, r.Header.Get(crcHeader))
	default:
		Refuse(w, http.StatusNotImplemented, "NotImplemented")
	}
}

const crcHeader = "X-Amz-Checksum-Crc32c"

// refusal returns why a request is not served.
func refusal(r *http.Request, body []byte) (status int, code string) {
	signed := r.Header.Get("Authorization")
	hash := sha256.Sum256(body)
	switch {
	case !strings.HasPrefix(signed, "AWS4-HMAC-SHA256 Credential=") || !strings.Contains(signed, "Signature="):
		return http.StatusForbidden, "AccessDenied"
	case !strings.Contains(signed, "Credential="+AccessKey+"/"):
		return http.StatusForbidden, "InvalidAccessKeyId"
	case !strings.Contains(signed, "/"+Region+"/s3/aws4_request"):
		return http.StatusBadRequest, "AuthorizationHeaderMalformed"
	case r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(hash[:]) && len(body) > 0:
		return http.StatusBadRequest, "XAmzContentSHA256Mismatch"
	case r.Method == http.MethodPut && r.Header.Get(crcHeader) != sumOf(body):
		return http.StatusBadRequest, "BadDigest"
	}
	return 0, ""
}

// target returns the bucket and key of a request, by path or by host.
func target(r *http.Request) (bucket, key string) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if host, found := strings.CutPrefix(r.Host, Bucket+"."); found && host != "" {
		return Bucket, path
	}
	bucket, key, _ = strings.Cut(path, "/")
	return bucket, key
}

func sumOf(data []byte) string {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

func (s *Server) get(w http.ResponseWriter, key string) {
	o, there := s.objects[key]
	if !there {
		Refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(o.data)))
	w.Header().Set("Last-Modified", o.stored.UTC().Format(http.TimeFormat))
	w.Header().Set("ETag", `"etag"`)
	if o.sum != "" {
		w.Header().Set(crcHeader, o.sum)
		w.Header().Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	}
	s.mu.Unlock() // the client may read slowly
	defer s.mu.Lock()
	_, _ = w.Write(o.data)
}

func (s *Server) create(w http.ResponseWriter, key string, header http.Header) {
	s.created++
	id := fmt.Sprintf("upload-%d", s.created)
	s.uploads[id] = &upload{key, header, map[int]object{}}
	respond(w, struct {
		XMLName               xml.Name `xml:"InitiateMultipartUploadResult"`
		Bucket, Key, UploadId string
	}{Bucket: Bucket, Key: key, UploadId: id})
}

func (s *Server) putPart(w http.ResponseWriter, id, number string, body []byte, header http.Header) {
	u, there := s.uploads[id]
	n, err := strconv.Atoi(number)
	if !there || err != nil {
		Refuse(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	u.parts[n] = object{data: body, sum: header.Get(crcHeader)}
	w.Header().Set("ETag", `"etag"`)
	w.Header().Set(crcHeader, header.Get(crcHeader))
}

func (s *Server) complete(w http.ResponseWriter, id string, body []byte, sum string) {
	u, there := s.uploads[id]
	var wanted struct {
		Part []struct {
			PartNumber     int
			ChecksumCRC32C string
		}
	}
	if err := xml.Unmarshal(body, &wanted); err != nil || !there {
		Refuse(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	whole := object{stored: time.Now(), sum: sum, header: u.header}
	for _, p := range wanted.Part {
		if u.parts[p.PartNumber].sum != p.ChecksumCRC32C {
			Refuse(w, http.StatusBadRequest, "InvalidPart")
			return
		}
		whole.data = append(whole.data, u.parts[p.PartNumber].data...)
	}
	if sumOf(whole.data) != sum {
		Refuse(w, http.StatusBadRequest, "BadDigest")
		return
	}
	s.objects[u.key] = whole
	delete(s.uploads, id)
	respond(w, struct {
		XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
		Bucket, Key, ETag string
	}{Bucket: Bucket, Key: u.key, ETag: `"etag"`})
}

func (s *Server) abort(w http.ResponseWriter, id string) {
	if _, there := s.uploads[id]; !there {
		Refuse(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	delete(s.uploads, id)
	w.WriteHeader(http.StatusNoContent)
}

// listed is an object in a listing.
type listed struct {
	Key          string
	LastModified string
	Size         int
	ETag         string
}

// list responds with a page of the objects after a key.
func (s *Server) list(w http.ResponseWriter, prefix, after string) {
	result := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Name, Prefix          string
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []listed
		CommonPrefixes        []struct{ Prefix string }
	}{Name: Bucket, Prefix: prefix}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, prefix) || key <= after || strings.Contains(key[len(prefix):], "/") {
			continue
		}
		if len(result.Contents) == PageSize {
			result.IsTruncated, result.NextContinuationToken = true, result.Contents[PageSize-1].Key
			break
		}
		o := s.objects[key]
		result.Contents = append(result.Contents, listed{key, o.stored.UTC().Format(time.RFC3339Nano), len(o.data), `"etag"`})
	}
	respond(w, result)
}

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(v)
}
