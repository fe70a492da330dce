package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"

	"github.com/minio/minio-go/v7"
)

const (
	// partSize is how much of a file is in memory at a time, in bytes. S3 accepts up to 10,000 parts
	// of 5 MiB or more: files of up to 78 GiB.
	partSize = 8 << 20
	// firstBuffer is the size of the buffer at first; most files are small.
	firstBuffer = 64 << 10
)

// Put implements Files. It holds partSize bytes of a file at a time.
func (s *S3) Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error) {
	if err := errors.Join(ctx.Err(), CheckName(name)); err != nil {
		return 0, err
	}
	p := &parts{r: io.LimitReader(contextReader{ctx, r}, limit+1), limit: limit}
	first, err := p.next()
	switch {
	case err != nil:
	case len(first) < partSize:
		err = s.putWhole(ctx, name, first, p.sum)
	default:
		err = s.putParts(ctx, name, p, first)
	}
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	return p.size, nil
}

// parts reads a file in parts.
type parts struct {
	r     io.Reader // of at most limit + 1 bytes
	limit int64
	size  int64  // of what was read
	sum   uint32 // its CRC-32C
	part  []byte
}

// next returns the next part, which is shorter than partSize only at the end of the file. It is
// valid until the next call.
func (p *parts) next() ([]byte, error) {
	p.part = p.part[:0]
	for len(p.part) < partSize {
		if len(p.part) == cap(p.part) {
			grown := make([]byte, len(p.part), min(partSize, max(firstBuffer, 2*cap(p.part))))
			copy(grown, p.part)
			p.part = grown
		}
		n, err := p.r.Read(p.part[len(p.part):cap(p.part)])
		p.part = p.part[:len(p.part)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	p.size += int64(len(p.part))
	p.sum = crc32.Update(p.sum, castagnoli, p.part)
	if p.size > p.limit {
		return nil, ErrTooLarge
	}
	return p.part, nil
}

// putWhole stores a file in one request.
func (s *S3) putWhole(ctx context.Context, name string, content []byte, sum uint32) error {
	return s.call(ctx, func(ctx context.Context) error {
		options := s.options(map[string]string{"x-amz-checksum-crc32c": encodeSum(sum)})
		_, err := s.client.PutObject(ctx, s.cfg.Bucket, s.key(name), bytes.NewReader(content), int64(len(content)), "", hashOf(content), options)
		return err
	})
}

// putParts stores a file in parts; nothing is visible before the last request. If it fails, it
// removes the parts. The library's own streaming upload would not do so once ctx has ended, and has
// no size limit beyond which it must not complete.
func (s *S3) putParts(ctx context.Context, name string, p *parts, part []byte) (err error) {
	var id string
	err = s.call(ctx, func(ctx context.Context) error {
		id, err = s.client.NewMultipartUpload(ctx, s.cfg.Bucket, s.key(name), s.options(map[string]string{
			"x-amz-checksum-algorithm": "CRC32C", "x-amz-checksum-type": "FULL_OBJECT",
		}))
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.abort(ctx, name, id))
		}
	}()
	var sent []minio.CompletePart
	for len(part) > 0 {
		done, err := s.putPart(ctx, name, id, len(sent)+1, part)
		if err != nil {
			return err
		}
		sent = append(sent, done)
		if part, err = p.next(); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.call(ctx, func(ctx context.Context) error {
		options := minio.PutObjectOptions{UserMetadata: map[string]string{
			"x-amz-checksum-crc32c": encodeSum(p.sum), "x-amz-checksum-type": "FULL_OBJECT",
		}}
		_, err := s.client.CompleteMultipartUpload(ctx, s.cfg.Bucket, s.key(name), id, sent, options)
		return err
	})
}

func (s *S3) putPart(ctx context.Context, name, id string, number int, part []byte) (minio.CompletePart, error) {
	sum := encodeSum(crc32.Checksum(part, castagnoli))
	var got minio.ObjectPart
	err := s.call(ctx, func(ctx context.Context) (err error) {
		got, err = s.client.PutObjectPart(ctx, s.cfg.Bucket, s.key(name), id, number, bytes.NewReader(part), int64(len(part)), minio.PutObjectPartOptions{
			Sha256Hex: hashOf(part), DisableContentSha256: true,
			CustomHeader: http.Header{"X-Amz-Checksum-Crc32c": {sum}},
		})
		return err
	})
	if err == nil && got.ChecksumCRC32C != "" && got.ChecksumCRC32C != sum {
		err = ErrCorrupt
	}
	if err != nil {
		return minio.CompletePart{}, fmt.Errorf("part %d: %w", number, err)
	}
	return minio.CompletePart{PartNumber: number, ETag: got.ETag, ChecksumCRC32C: got.ChecksumCRC32C}, nil
}

// abort removes the parts of a file. It works even if ctx has ended.
func (s *S3) abort(ctx context.Context, name, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortLimit)
	defer cancel()
	err := s.client.AbortMultipartUpload(ctx, s.cfg.Bucket, s.key(name), id)
	if err == nil || isCode(err, minio.NoSuchUpload) {
		return nil
	}
	return fmt.Errorf("its parts could not be removed, a lifecycle rule should: %w", err)
}

// options returns the options with which a file is created.
func (s *S3) options(metadata map[string]string) minio.PutObjectOptions {
	return minio.PutObjectOptions{UserMetadata: metadata, ServerSideEncryption: s.sse, DisableContentSha256: true}
}

// hashOf returns the SHA-256 that the server compares with what it receives.
func hashOf(content []byte) string {
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:])
}
