package store

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/minio/minio-go/v7"
)

// isCode reports whether the server has refused a request with the given code.
func isCode(err error, code string) bool {
	var refusal minio.ErrorResponse
	return errors.As(err, &refusal) && refusal.Code == code
}

// explain adds advice to an error. ctx is the caller's: if it has ended, that is the reason.
func (s *S3) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s did not answer within %s", s.host, s.limit)
	}
	var refusal minio.ErrorResponse
	if errors.As(err, &refusal) {
		return fmt.Errorf("%s refuses: %s (%d)%s: %w", s.host, refusal.Code, refusal.StatusCode, s.advice(refusal), err)
	}
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%s: set s3.ca_file to the certificate of its authority: %w", s.host, err)
	}
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return fmt.Errorf("%s cannot be reached: check s3.endpoint, and that the server runs: %w", s.host, err)
	}
	return fmt.Errorf("%s: %w", s.host, err)
}

// advice returns advice for the operator about a refusal, after a colon.
func (s *S3) advice(refusal minio.ErrorResponse) string {
	switch refusal.Code {
	case minio.NoSuchBucket:
		return fmt.Sprintf(": create the bucket %s, or correct --files", s.cfg.Bucket)
	case minio.AccessDenied:
		return ": the credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload on the objects, " +
			"and s3:ListBucket on the bucket"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
		return ": the credentials are wrong or have expired"
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "PermanentRedirect", "IllegalLocationConstraintException":
		if refusal.Region == "" {
			return fmt.Sprintf(": s3.region, %s, may be wrong", s.cfg.Region)
		}
		return fmt.Sprintf(": the bucket is in %s, s3.region says %s", refusal.Region, s.cfg.Region)
	case "RequestTimeTooSkewed":
		return ": the clock of this machine is wrong"
	}
	return ""
}
