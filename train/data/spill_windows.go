package data

import (
	"os"
	"syscall"
)

// createSpill makes a file in dir that the system removes with its last handle, however the program ends.
func createSpill(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "bochner-rows-*.tmp")
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	// FILE_ATTRIBUTE_TEMPORARY and FILE_FLAG_DELETE_ON_CLOSE of CreateFileW
	const temporary, deleteOnClose = 0x100, 0x04000000
	name, err := syscall.UTF16PtrFromString(f.Name())
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_EXISTING, temporary|deleteOnClose, 0)
	if err != nil {
		os.Remove(f.Name())
		return nil, err
	}
	return os.NewFile(uintptr(h), f.Name()), nil
}
