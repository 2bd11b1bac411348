package data

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// exactPowers is the largest power of five that uint64 holds.
const exactPowers = 27

var (
	// pow10 holds the powers of ten that float64 holds exactly.
	pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
	// pow5 holds the powers of five that uint64 holds.
	pow5 = func() (p [exactPowers + 1]uint64) {
		p[0] = 1
		for i := range exactPowers {
			p[i+1] = 5 * p[i]
		}
		return p
	}()
)

// decimal reads [+-]digits[.digits][e[+-]digits] at the start of t, correctly rounded, and returns its length. The
// length is 0 if no such number begins there. It is also 0 for more than 19 digits, and for w·10^e with |e| > 27;
// strconv reads these.
func decimal[T string | []byte](t T) (v float64, length int) {
	i := 0
	if len(t) > 0 && (t[0] == '-' || t[0] == '+') {
		i = 1
	}
	first, w := i, uint64(0)
	for ; i < len(t) && t[i]-'0' <= 9; i++ {
		w = 10*w + uint64(t[i]-'0')
	}
	digits, e := i-first, 0
	if i < len(t) && t[i] == '.' {
		i++
		point := i
		for ; i < len(t) && t[i]-'0' <= 9; i++ {
			w = 10*w + uint64(t[i]-'0')
		}
		e = point - i
		digits -= e
	}
	if digits == 0 {
		return 0, 0
	}
	for j := first; digits > 19 && (t[j] == '0' || t[j] == '.'); j++ { // of leading zeros w knows nothing
		if t[j] == '0' {
			digits--
		}
	}
	if digits > 19 {
		return 0, 0
	}
	if i < len(t) && t[i]|0x20 == 'e' {
		n, length := exponent(t[i+1:])
		if length == 0 {
			return 0, 0
		}
		e += n
		i += 1 + length
	}
	v, ok := round(w, e)
	if !ok {
		return 0, 0
	}
	if t[0] == '-' {
		v = -v
	}
	return v, i
}

// room is the largest number of bytes that leading reads.
const room = 64

// leading is decimal for a number within a longer text. It calls decimal if fewer than room bytes are left or the number
// is unusual.
//
// It reads a number shorter than eight bytes from one word, without a branch for each digit, for the sign or for the
// point: in a column of short numbers their lengths follow no pattern, and a processor guesses such branches wrongly.
func leading(b []byte) (v float64, length int) {
	if len(b) < room {
		return decimal(b)
	}
	t := (*[room]byte)(b)
	sign := 0
	if t[0] == '-' {
		sign = 1
	}
	if nonDigits(binary.LittleEndian.Uint64(t[sign+2:])^'0'*ones) == 0 { // 0.12345678, or an integer
		return longer(b, t, sign)
	}
	x := binary.LittleEndian.Uint64(t[sign:]) ^ '0'*ones
	others := nonDigits(x)
	first := bits.TrailingZeros64(others) >> 3 // the place of the point, or the end
	point := 0
	if byte(x>>(first<<3&63)) == '.'^'0' {
		point = 1
	}
	others &= others - uint64(point)
	end := bits.TrailingZeros64(others) >> 3
	if count := end - point; others == 0 || count == 0 || t[sign+end&(room-1)]|0x20 == 'e' {
		return longer(b, t, sign)
	}
	// What precedes the point takes its place. A number without one has it at its end.
	before := uint64(1)<<(first<<3&63) - 1
	x = x&before<<8 | x&^(before<<8|0xff)
	x <<= (7 - end + point) << 3 & 63
	v = float64(int64(eightDigits(x))) / pow10[(end-first-point)&7]
	return math.Float64frombits(math.Float64bits(v) | uint64(sign)<<63), sign + end
}

// longer is leading for a number of eight bytes and more after its sign, or with an exponent. It reads eight digits at
// once.
func longer(b []byte, t *[room]byte, sign int) (v float64, length int) {
	w, i := uint64(t[sign]-'0'), sign+1
	if w > 9 || t[i] != '.' { // not a single digit before the point
		w, i = digits(t, 0, sign)
	}
	count, e := i-sign, 0
	if t[i] == '.' {
		point := i + 1
		w, i = digits(t, w, point)
		e = point - i
		count -= e
	}
	if count == 0 || count > 19 { // w may have run over
		return decimal(b)
	}
	if t[i]|0x20 == 'e' {
		n, length := exponent(b[i+1:])
		if length == 0 {
			return 0, 0
		}
		e += n
		i += 1 + length
	}
	if w>>53 == 0 && e <= 0 && -e < len(pow10) {
		v = float64(int64(w)) / pow10[-e]
	} else {
		var ok bool
		if v, ok = round(w, e); !ok {
			return 0, 0
		}
	}
	return math.Float64frombits(math.Float64bits(v) | uint64(sign)<<63), i
}

// digits appends the digits at t[i], three times eight at most, to the number w, and returns where they end.
func digits(t *[room]byte, w uint64, i int) (uint64, int) {
	for range 3 {
		x := binary.LittleEndian.Uint64(t[i:]) ^ '0'*ones
		if others := nonDigits(x); others != 0 {
			end := bits.TrailingZeros64(others) &^ 7            // the bit at which the digits end
			w = w*tens[end>>3] + eightDigits(x<<(64-uint(end))) // zeros come before them
			return w, i + end>>3
		}
		w, i = w*1e8+eightDigits(x), i+8
	}
	return w, i
}

// ones has 1 in each byte.
const ones = 0x0101010101010101

// nonDigits has the high bit set of each byte of x that is no digit's value, up to the first byte that is not ASCII.
func nonDigits(x uint64) uint64 { return (x + (0x80-10)*ones | x) & (0x80 * ones) }

// tens holds the powers of ten below 10^8.
var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// eightDigits returns the number of the eight digits that the bytes of x are, the first the lowest.
func eightDigits(x uint64) uint64 {
	// Pairs of neighbours become numbers of two, of four and of eight digits (Lemire and Muła 2018).
	x = x * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
	x = x * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return x * (10000<<32 + 1) >> 32
}

// exponent reads [+-]digits at the start of t. The length is 0 without digits and for more than 4.
func exponent[T string | []byte](t T) (n, length int) {
	i := 0
	if len(t) > 0 && (t[0] == '-' || t[0] == '+') {
		i = 1
	}
	first := i
	for ; i < len(t) && t[i]-'0' <= 9; i++ {
		if i-first == 4 {
			return 0, 0
		}
		n = 10*n + int(t[i]-'0')
	}
	if i == first {
		return 0, 0
	}
	if t[0] == '-' {
		n = -n
	}
	return n, i
}

// round returns w·10^e, rounded to the nearest float64, ties to even. It returns false if e is beyond the tables of
// powers.
func round(w uint64, e int) (float64, bool) {
	// Of two exact numbers the product and the quotient are correctly rounded (Clinger 1990).
	if w>>53 == 0 && -len(pow10) < e && e < len(pow10) {
		if e < 0 {
			return float64(w) / pow10[-e], true
		}
		return float64(w) * pow10[e], true
	}
	if w == 0 || e < -exactPowers || e > exactPowers {
		return 0, w == 0
	}
	// w·5^e in integers is q times 2^shift: its first 63 or 64 bits, the last of them set where any bit follows. The
	// conversion of q rounds to 53 bits as it would round the whole.
	var q, rest uint64
	var shift int
	if e < 0 {
		up, down := bits.LeadingZeros64(w), bits.LeadingZeros64(pow5[-e])
		w <<= up
		q, rest = bits.Div64(w>>1, w<<63, pow5[-e]<<down)
		shift = down - up - 63
	} else {
		hi, lo := bits.Mul64(w, pow5[e])
		up := bits.LeadingZeros64(hi)
		q, rest = hi<<up|lo>>(64-up), lo<<up
		shift = 64 - up
	}
	if rest != 0 {
		q |= 1
	}
	return float64(q) * math.Float64frombits(uint64(1023+shift+e)<<52), true
}
