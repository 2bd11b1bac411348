// Command serve predicts over HTTP with a model that examples/train saved.
//
//	go -C examples/serve run . -model ../../model.safetensors
//	curl localhost:8080/predict -H 'Content-Type: application/json' -d '{"rows": [[0.1, 0.2], [0.3, 0.4]]}'
//	curl localhost:8080/predict -H 'Content-Type: application/x-npy' --data-binary @rows.npy
//
// It answers
//
//	POST /predict   the class or the target of each row; ?scores=true adds the output of the head,
//	                ?distribution=true how sure the model is, with intervals or sets of &level=0.9
//	GET  /          the model's card, a page: kernel, parameters, sampler, features, scores, kernel error,
//	                with a form that predicts rows
//	GET  /model     the card as JSON
//	GET  /model.onnx  the model as an ONNX file, for other runtimes and for browsers
//	GET  /healthz   200 as long as the process answers
//	GET  /readyz    200, or 503 from the moment it was told to stop
//	GET  /metrics   metrics for Prometheus
//
// What is wrong with a request is a status of 4xx and one JSON object, {"error": "..."}, with the place and the remedy.
// A new model file under the same name is taken over as soon as it is seen, or at SIGHUP; one that cannot be read
// changes nothing. A request is answered by the one model that it began with. SIGINT and SIGTERM end it once the
// requests that have begun have their answers. The exit status is 0, 2 for a wrong flag, 1 for a failure.
package main

import "github.com/bochner-go/bochner/examples/serve/service"

func main() { service.Main() }
