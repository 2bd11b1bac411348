package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckMatrixFile(t *testing.T) {
	for path, good := range map[string]bool{"": true, "a.npy": true, "b/a.csv": true, "a.txt": false, "npy": false, "a.npy.gz": false, "a.NPY": false} {
		var usage *UsageError
		if err := CheckMatrixFile("out", path); (err == nil) != good || err != nil && (!errors.As(err, &usage) || !strings.Contains(err.Error(), "want a name that ends in .npy or .csv")) {
			t.Errorf("CheckMatrixFile(%q): %v", path, err)
		}
	}
}
