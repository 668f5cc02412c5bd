#!/usr/bin/env bash
# The job runs this file in the folder of the experiment. Do here whatever it takes to start
# training: activate an environment, start torchrun, run several steps one after another.
# `python` is the interpreter of the parameter `python` (StarForge's own when it is empty).
# The exit code of this script decides whether the job has succeeded.
set -euo pipefail

exec python train.py "$@"
