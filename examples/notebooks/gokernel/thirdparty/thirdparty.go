// Package thirdparty makes packages importable in notebooks. Its other files, one for each package of
// kernel/imports.go, are written by the installer, outside this folder; the name is the one that gomacro gives them.
package thirdparty

import "github.com/cosmos72/gomacro/imports"

// Package is what such a file fills in.
type Package = imports.Package

// Packages is gomacro's own table, in which an entry makes a package importable.
var Packages = imports.Packages
