//go:build !race

package ops_test

// raceEnabled: the LispMachine of Gorgonia races with itself where an op fails.
const raceEnabled = false
