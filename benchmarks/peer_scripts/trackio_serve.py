"""Serve trackio's own dashboard and print the URL that may be written to."""

import sys
import time

import trackio

_, local, _, full = trackio.show(open_browser=False, block_thread=False)
print(full, flush=True)
while sys.stdin.read(1):
    time.sleep(0.1)
