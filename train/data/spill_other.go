//go:build !unix && !windows

package data

import (
	"errors"
	"os"
)

// createSpill has no file to make that would surely go with the program.
func createSpill(string) (*os.File, error) {
	return nil, errors.New("the system has no file that goes with the program")
}
