#!/bin/sh
# Executes the notebooks of this folder without a browser, with a kernel built from this checkout. Writes the executed ones and their HTML to
# a folder and exits with 1 when a cell fails.
#
#	examples/notebooks/run.sh [FOLDER]     default: examples/notebooks/executed
set -eu
say() { printf 'run.sh: %s\n' "$*" >&2; }

case ${1:-} in
-*)
	say "usage: examples/notebooks/run.sh [FOLDER]"
	exit 2
	;;
esac
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/executed}
mkdir -p "$out"
out=$(cd "$out" && pwd)

if ! jupyter nbconvert --version >/dev/null 2>&1; then
	say "there is no jupyter nbconvert (Debian: apt-get install jupyter-nbconvert python3-nbclient)"
	exit 1
fi
JUPYTER_PATH=$(mktemp -d) # before the user's own kernels
export JUPYTER_PATH
trap 'rm -rf "$JUPYTER_PATH"' EXIT
go -C "$here/gokernel" run . -dir "$JUPYTER_PATH"

# The kernel names no lexer, and nbconvert would take Go for Python.
lexer='s/"pygments_lexer": ""/"pygments_lexer": "go"/'
failed=
for notebook in "$here"/[0-9]*.ipynb; do
	name=$(basename "$notebook")
	rm -f "$out/$name" "$out/${name%.ipynb}.html" # those of an earlier run
	if jupyter nbconvert --log-level=ERROR --to notebook --execute --ExecutePreprocessor.kernel_name=bochner \
		--ExecutePreprocessor.timeout=300 --output-dir "$JUPYTER_PATH" "$notebook" &&
		sed "$lexer" "$JUPYTER_PATH/$name" >"$out/$name" &&
		jupyter nbconvert --log-level=ERROR --to html --output-dir "$out" "$out/$name"; then
		echo "$out/$name"
	else
		failed="$failed $name"
	fi
done
if [ -n "$failed" ]; then
	say "failed:$failed"
	exit 1
fi
