// Command serve predicts over HTTP with a model file.
//
//	go -C examples/serve run . --model ../../model.safetensors
//	curl localhost:8080/predict -H 'Content-Type: application/json' -d '{"rows": [[0.1, 0.2], [0.3, 0.4]]}'
//	curl localhost:8080/predict -H 'Content-Type: application/x-npy' --data-binary @rows.npy
//
// It answers
//
//	POST /predict   the class or the target of each row; ?scores=true adds the output of the head,
//	                ?distribution=true the uncertainty, with intervals or sets of &level=0.9
//	GET  /          a page: kernel, parameters, sampler, features, scores, kernel error, and a form that
//	                predicts rows
//	GET  /model     the same as JSON
//	GET  /model.onnx  the model as an ONNX file, for other runtimes and for browsers
//	GET  /healthz   200 as long as the process answers
//	GET  /readyz    200, or 503 once the server is stopping
//	GET  /metrics   metrics for Prometheus
//
// An error of the client has a status of 4xx and one JSON object, {"error": "..."}, with the place and the remedy. A new
// model file under the same name is loaded when it is seen, or at SIGHUP; a file that cannot be read changes nothing. A
// request is answered by the model that was current when it began. SIGINT and SIGTERM end the server once the requests
// that have begun have their answers. The exit status is 0, 2 for a wrong flag, or 1 for a failure.
package main

import "github.com/bochner-go/bochner/examples/serve/service"

func main() { service.Main() }
