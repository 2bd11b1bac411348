package beam

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/modelfile"
)

// sums are the statistics of the rows of some files.
type sums struct {
	files int
	stats *linear.RidgeStats
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[*sums](), encodeSums, decodeSums)
	register.Combiner1[*sums](&mergeFn{})
}

// encodeSums is the number of files, and the statistics as they marshal themselves, with their version and checksum.
func encodeSums(s *sums) ([]byte, error) {
	b, err := s.stats.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint64(b, uint64(s.files)), nil
}

func decodeSums(b []byte) (*sums, error) {
	at := len(b) - 8
	if at < 0 {
		return nil, fmt.Errorf("beam: sums of %d bytes: %w", len(b), modelfile.ErrCorrupt)
	}
	s := &sums{int(binary.LittleEndian.Uint64(b[at:])), new(linear.RidgeStats)}
	return s, s.stats.UnmarshalBinary(b[:at])
}

// mergeFn adds sums up.
type mergeFn struct{}

func (*mergeFn) CreateAccumulator() *sums { return &sums{stats: new(linear.RidgeStats)} }

func (*mergeFn) AddInput(a, b *sums) (*sums, error) { return merged(a, b) }

func (*mergeFn) MergeAccumulators(a, b *sums) (*sums, error) { return merged(a, b) }

// merged is the sum of both, one of which it may change.
func merged(a, b *sums) (*sums, error) {
	if a.files == 0 {
		return b, nil // without another D x D matrix
	}
	a.files += b.files
	return a, a.stats.Merge(b.stats)
}
