package pagetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
)

// BlankPNG is a picture of one colour with one bit per pixel, made without holding its pixels.
func BlankPNG(width, height int) []byte {
	var data bytes.Buffer
	pixels, _ := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	row := make([]byte, 1+(width+7)/8)
	for range height {
		_, _ = pixels.Write(row)
	}
	_ = pixels.Close()
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	picture := []byte("\x89PNG\r\n\x1a\n")
	for _, part := range []struct {
		kind string
		data []byte
	}{{"IHDR", append(header, 1, 0, 0, 0, 0)}, {"IDAT", data.Bytes()}, {"IEND", nil}} {
		picture = binary.BigEndian.AppendUint32(picture, uint32(len(part.data)))
		body := append([]byte(part.kind), part.data...)
		picture = binary.BigEndian.AppendUint32(append(picture, body...), crc32.ChecksumIEEE(body))
	}
	return picture
}
