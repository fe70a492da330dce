package document

import (
	"context"
	"encoding/json"
)

// qpdfProgram needs less than 300 MiB and 10 s for the largest file.
var qpdfProgram = program{name: "qpdf", memory: 1 << 30, seconds: 60, niceness: browserNiceness}

// qpdf runs qpdf on a PDF. The job, which has the password, is in memory only. It
// keeps the password out of the process list, and qpdf cannot take it for an option.
func qpdf(ctx context.Context, pdf, overlay []byte, job map[string]any) ([]byte, error) {
	job["inputFile"], job["outputFile"] = descriptor(0), descriptor(1)
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	in, err := unnamed(pdf)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := unnamed(nil)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	jobFile, err := inMemory(text)
	if err != nil {
		return nil, err
	}
	defer jobFile.Close()
	laid, err := unnamed(overlay)
	if err != nil {
		return nil, err
	}
	defer laid.Close()
	err = qpdfProgram.run(ctx, []string{"--job-json-file=" + descriptor(2)}, nil, in, out, jobFile, laid)
	if err != nil && exitCode(err) != 3 { // 3: warnings; the output was written
		return nil, err
	}
	return readAll(out)
}
