package simd

//go:generate go run -C _gen ./gemm -dir ..
//go:generate go run -C _gen ./csr -dir ..
