"""Links that sign a browser in to the web console."""

from __future__ import annotations

import os
import sys
import webbrowser

from starforge.client.embedded import Target
from starforge.client.light import post_json


def sign_in_link(target: Target, path: str = "/login") -> str:
    """Return a link to a page of the console that signs in once, within minutes.

    The code stands behind ``#``, which browsers send to nobody.
    """
    made = post_json(target, "/session/code")
    return f"{target.url}{path}#code={made['code']}"


def has_browser() -> bool:
    """Say whether a browser with windows can be opened here.

    Without a display Python would start one in the terminal.
    """
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(url: str) -> bool:
    """Open a page; ``False`` when there is no browser."""
    try:
        return has_browser() and webbrowser.open(url)
    except webbrowser.Error:
        return False
