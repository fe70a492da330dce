package pdfa

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

func (c *conversion) structure(types.Dict) {}
