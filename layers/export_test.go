package layers

import "slices"

// Unregister takes a map of Register out of the table again.
func Unregister(name string) {
	registered.Lock()
	defer registered.Unlock()
	registered.own = slices.DeleteFunc(registered.own, func(e *Entry) bool { return e.Name == name })
}
