package main

// signature is what a function has in common on all machines: its arrays, the scalars after their length, what its comment says.
type signature struct {
	arrays, scalars []string
	doc             string
	counts          string // more arguments, after n
}

const (
	circularResult = " and returns how many elements it has done: n, or fewer before one that is out of range."
	logDoc         = "writes ln(x + c) and returns how many elements it has done: n, or fewer before a sum that is not a positive normal number."
)

var signatures = map[string]signature{
	"cos":      {[]string{"dst", "x"}, []string{"scale"}, "writes scale·cos(x)" + circularResult, ""},
	"sin":      {[]string{"dst", "x"}, []string{"scale"}, "writes scale·sin(x)" + circularResult, ""},
	"sinCos":   {[]string{"sin", "cos", "x"}, []string{"scale"}, "writes scale·sin(x) and scale·cos(x)" + circularResult, ""},
	"exp":      {[]string{"dst", "x"}, []string{"scale", "sign"}, "writes scale·exp(sign·x), where sign is 1 or -1, and returns n.", ""},
	"log":      {arrays: []string{"dst", "x", "c"}, doc: logDoc, counts: ", apart int"},
	"product":  {[]string{"dst", "a", "b"}, []string{"scale"}, "writes scale·a·b, rounding a·b first, and returns n.", ""},
	"sum":      {[]string{"dst", "a"}, nil, "adds a to dst, and returns n.", ""},
	"pairGrad": {[]string{"dst", "cos", "sin", "gCos", "gSin"}, nil, "writes gSin·cos - gCos·sin, and returns n.", ""},
	"within": {[]string{"x"}, []string{"low", "high"},
		"returns how many elements at the start, in whole blocks, lie from low to high; low <= 0 <= high.", ""},
	"sqrt":     {[]string{"dst", "x"}, nil, "writes √x and returns n.", ""},
	"triples":  {[]string{"dst", "a", "b", "c", "index"}, nil, "writes a₀, b₀, c₀, a₁, b₁, ... of whole vectors and returns how many elements of each.", ""},
	"multiple": {[]string{"dst", "x"}, []string{"c"}, "writes c·x and returns n.", ""},
}

// list is the signature in Go.
func (s signature) list(f64 bool) string {
	t := pick(f64, "float32", "float64")
	out := "func("
	for j, a := range s.arrays {
		out += pick(j > 0, "", ", ") + a
	}
	out += " *" + t + ", n int" + s.counts
	for j, c := range s.scalars {
		out += ", " + c + pick(j == len(s.scalars)-1, "", " "+t)
	}
	return out + ") (done int)"
}
