package simd

//go:generate go run -C _gen . -dir ..
