package edge

import (
	"testing"

	"platen.dev/edge/openapi/openapitest"
)

// The document is OpenAPI 3.1 by its own meta-schema.
func TestDescription(t *testing.T) { openapitest.Validate(t, DescribeAPI()) }
