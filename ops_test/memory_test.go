package ops_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// memoryChild is set in the process that TestMemory starts.
const memoryChild = "BOCHNER_TEST_MEMORY"

// TestMain lets the heap grow to five times what is live before the collector runs, which spares CPU time.
// GOGC in the environment, which TestMemory sets in its process, says otherwise.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// TestMemory: what every map gives and learns is the same, bit for bit, where the collector never rests and overwrites
// what it frees.
func TestMemory(t *testing.T) {
	if os.Getenv(memoryChild) != "" {
		fmt.Println(strings.Join(digests(t), "\n"))
		return
	}
	command := append(strings.Fields(os.Getenv("BOCHNER_EMULATOR")), os.Args[0], "-test.run=^TestMemory$")
	child := exec.Command(command[0], command[1:]...)
	child.Env = append(os.Environ(), memoryChild+"=1", "GOGC=1", "GODEBUG=clobberfree=1")
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("with GOGC=1 and clobberfree=1: %v\n%s", err, out)
	}
	lines := strings.Split(string(out), "\n")
	for _, line := range digests(t) {
		if !slices.Contains(lines, line) {
			t.Errorf("with GOGC=1 and clobberfree=1 the numbers are others than here: %s", line)
		}
	}
}

// mapped is a map and rows for it.
type mapped struct {
	name string
	l    layers.Layer
	x    ops.Matrix
}

// digests are a line for every map, under the first and the last of its policies, and for what it learns under the
// last.
func digests(t *testing.T) (lines []string) {
	t.Helper()
	write := func(name string, sum uint64) { lines = append(lines, fmt.Sprintf("%s: %016x", name, sum)) }
	var all, learners []mapped
	for _, v := range variants(t) {
		d, policies := v.dims(3), v.policies()
		for _, p := range slices.Compact([]layers.Policy{policies[0], policies[len(policies)-1]}) {
			m := mapped{fmt.Sprint(v.name, ", ", p), v.build(t, d, 5, 1, tuned(p)), v.rows(24, d, 1)}
			all = append(all, m)
			if _, ok := m.l.(layers.SparseMap); ok {
				all = append(all, mapped{m.name + ", sparse", m.l, must(ops.CSROf(m.x.(*tensor.Dense)))})
			}
			if m.l = v.build(t, d, 5, 1, tuned(p)); p == policies[len(policies)-1] {
				learners = append(learners, m)
			}
		}
	}
	for _, v := range bagVariants(t) {
		x := v.bags(t, 24, tensor.Float64)
		all = append(all, mapped{v.name, v.build(t), x})
		learners = append(learners, mapped{v.name, v.build(t), x})
	}
	for i, sum := range together(t, all) {
		write(all[i].name, sum)
	}
	for _, m := range learners {
		write(m.name+", learned", learned(t, m))
	}
	return lines
}

// together computes the digests of the features of all maps in many goroutines at once, time and again. What a map
// gives is read when nothing else holds it.
func together(t *testing.T, maps []mapped) []uint64 {
	t.Helper()
	runs := 1
	if os.Getenv(memoryChild) != "" {
		runs = 4
	}
	features := func(m mapped) uint64 {
		z, err := layers.Transform(m.l, nil, m.x)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			return 0
		}
		return digest(ops.Float64s(z))
	}
	first := make([]uint64, len(maps))
	for i, m := range maps {
		first[i] = features(m)
	}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for i := range runs * len(maps) {
				if i %= len(maps); features(maps[i]) != first[i] {
					t.Errorf("%s: the features are others in another goroutine", maps[i].name)
				}
			}
		})
	}
	wait.Wait()
	return first
}

// learned is the digest of the parameters of a map and a softmax head after a fit to two classes.
func learned(t *testing.T, m mapped) uint64 {
	t.Helper()
	head := must(layers.NewSoftmaxHead(m.l.Features(), 2, layers.WithName("head")))
	n := m.x.Shape()[0]
	y := mat.NewDense(n, 2, ops.Float64s(matrix(tensor.Float64, n, 2, 1, -1, -1, 1)))
	o := sgd.FitOptions{Epochs: 2, Batch: 12}
	if _, err := sgd.Fit(context.Background(), m.l, head, data.Pairs{X: m.x, Y: y}, o); err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	var all [][]float64
	for _, p := range append(m.l.Params(), head.Params()...) {
		all = append(all, ops.Float64s(p.Value))
	}
	return digest(all...)
}

// digest is the FNV hash of the bits of some numbers.
func digest(all ...[]float64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, v := range all {
		for _, c := range v {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(c))
			h.Write(b[:])
		}
	}
	return h.Sum64()
}
