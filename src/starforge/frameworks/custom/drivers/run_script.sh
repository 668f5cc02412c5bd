#!/usr/bin/env bash
# Starts the user's script: run_script.sh SCRIPT [ARGUMENT...], in the experiment's folder.
# `python` and `python3` mean STARFORGE_PYTHON. They are wrappers, not links: a link to the
# interpreter of a virtual environment would lose the environment.
set -euo pipefail

script=$1
shift

zh=0
case "${SF_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}}" in zh*) zh=1 ;; esac
fail() { # english chinese
  if [ "$zh" = 1 ]; then printf '错误：%s\n' "$2" >&2; else printf 'error: %s\n' "$1" >&2; fi
  exit 1
}

python=$(command -v -- "$STARFORGE_PYTHON") ||
  fail "the interpreter $STARFORGE_PYTHON does not exist (parameter python)" \
       "解释器 $STARFORGE_PYTHON 不存在（参数 python）"
[ -f "$script" ] || fail "the script $script does not exist" "脚本 $script 不存在"

shims=$STARFORGE_ATTEMPT_DIR/bin
mkdir -p "$shims"
for name in python python3; do
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$shims/$name"
  chmod 755 "$shims/$name"
done
export PATH="$shims:$PATH"

case $script in
  *.py) exec "$python" "$script" "$@" ;;
  *) exec bash "$script" "$@" ;;
esac
