// createImportFile has no body here; the compiler accepts that in a package with an assembly file.
