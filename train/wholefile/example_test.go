package wholefile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train/wholefile"
)

// The name holds nothing until the file is whole.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "wholefile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "numbers.txt")
	f, err := wholefile.Create(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := fmt.Fprintln(f, "1 2 3"); err != nil {
		f.Abort()
		fmt.Println(err)
		return
	}
	_, err = os.Stat(path)
	fmt.Println("there before Commit:", !errors.Is(err, os.ErrNotExist))
	if err := f.Commit(); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(path)
	fmt.Printf("%q %v\n", text, err)
	// Output:
	// there before Commit: false
	// "1 2 3\n" <nil>
}
