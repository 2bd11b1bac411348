module github.com/bochner-go/bochner/ops/internal/simd/_gen

go 1.25.0
