package data
import ("testing";"fmt";"math/rand/v2")
func BenchmarkLeading(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, k := range []string{"short","0.1234","pixel","int","17"} {
		var text []byte
		for range 4096 {
			switch k {
			case "short": text = short0(text, rng)
			case "0.1234": text = fmt.Appendf(text, "%.4f", rng.Float64())
			case "pixel": text = fmt.Append(text, rng.IntN(256))
			case "int": text = fmt.Append(text, rng.IntN(100000))
			case "17": text = fmt.Appendf(text, "%.17g", rng.NormFloat64())
			}
			text = append(text, ',')
		}
		n := len(text)
		text = append(text, make([]byte, 64)...)
		for _, f := range []struct{name string; f func([]byte)(float64,int)}{{"leading",leading},{"decimal",decimal[[]byte]}} {
		b.Run(k+"/"+f.name, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				for i := 0; i < n; {
					_, l := f.f(text[i:])
					i += l+1
				}
			}
		})
		}
	}
}
func short0(b []byte, r *rand.Rand) []byte {
	scale := []float64{10, 100, 1000, 1e4, 1e5}[r.IntN(5)]
	return fmt.Appendf(b, "%v", float64(r.IntN(1999999)-999999)/scale)
}
