module github.com/bochner-go/bochner/.ci/tools

go 1.25.0

tool honnef.co/go/tools/cmd/staticcheck

require (
	golang.org/x/mod v0.31.0
	golang.org/x/tools v0.40.1-0.20260108161641-ca281cf95054
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/sync v0.19.0 // indirect
	honnef.co/go/tools v0.7.0 // indirect
)
