package service

import (
	"bytes"
	"net/http"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/onnx"
)

// export is the model as an ONNX file, with all outputs that it has.
func export(m *train.Model) ([]byte, error) {
	var b bytes.Buffer
	if err := onnx.Export(&b, m, onnx.Everything(m)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// onnx answers with the model as an ONNX file, or says why there is none.
func (s *server) onnx(w http.ResponseWriter, r *http.Request) {
	l := s.current.Load()
	file, err := l.onnx()
	if err != nil {
		s.refuse(w, refusal(http.StatusNotFound, "there is no ONNX file of this model: %v", err))
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("Content-Disposition", `attachment; filename="model.onnx"`)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("ETag", `"`+l.card.SHA256+`"`) // of the model file, from which it follows
	http.ServeContent(w, r, "model.onnx", l.card.Written, bytes.NewReader(file))
}
