"""What a page looks like, measured in the browser: too wide, cut off, faint, untranslated."""

from __future__ import annotations

import re
from typing import Any

WIDER = """() => {
  const scrolls = (one) => {
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') return true;
    return false;
  };
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const found = [...document.body.querySelectorAll('*')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 1 && box.right > innerWidth + 1 && box.left < innerWidth
      && seen(one) && !scrolls(one);
  });
  if (document.documentElement.scrollWidth > innerWidth) found.push(document.documentElement);
  return found.map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`);
}"""
"""Elements that reach over the right edge of the window, but for what scrolls inside."""

CUT = """() => {
  const code = 'pre, code, textarea, input, .sf-mono, [role=log]';
  const found = [...document.querySelectorAll('#content *')].filter((one) => {
    if (one.closest(code) || !one.textContent.trim() || !one.checkVisibility()) return false;
    const style = getComputedStyle(one);
    if (style.overflowX === 'visible' || one.clientWidth < 8) return false;
    return one.scrollWidth > one.clientWidth + 1 && style.textOverflow !== 'ellipsis'
      && style.webkitLineClamp === 'none';
  });
  return found.map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`);
}"""
"""Elements whose content does not fit and is cut, without dots that say so."""

FAINT = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (one) => {
    for (let up = one; up; up = up.parentElement) {
      const color = numbers(getComputedStyle(up).backgroundColor);
      if (color.length === 3 || color[3] > 0.99) return color;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('[placeholder]:not([placeholder=""])')]
    .filter((one) => one.checkVisibility() && !one.disabled)
    .map((one) => {
      const ink = light(numbers(getComputedStyle(one, '::placeholder').color));
      const paper = light(ground(one));
      const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
      return [one.placeholder, contrast];
    })
    .filter(([, contrast]) => contrast < 4.5)
    .map(([text, contrast]) => `${text}: ${contrast.toFixed(2)}`);
}"""
"""Placeholders with less contrast than WCAG AA asks of texts; axe does not look at them."""

TEXTS = """() => {
  const skipped = 'code, pre, kbd, .sf-mono, script, style, textarea, a[target=_blank]';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (text && !parent.closest(skipped) && parent.checkVisibility()) found.add(text);
  }
  for (const one of document.querySelectorAll('[aria-label], [title], [placeholder]'))
    for (const name of ['aria-label', 'title', 'placeholder'])
      if (one.getAttribute(name) && !one.matches(skipped)) found.add(one.getAttribute(name));
  return [...found];
}"""
"""All that is read on a page, code and the titles of papers aside."""


def wider_than_window(page: Any) -> list[str]:
    """What reaches over the window's edge, so that the page scrolls sideways or is cut."""
    found: list[str] = page.evaluate(WIDER)
    return found


def cut_off(page: Any) -> list[str]:
    """What does not fit into its place and is cut without saying so."""
    found: list[str] = page.evaluate(CUT)
    return found


def faint_placeholders(page: Any) -> list[str]:
    """Placeholders that are too faint to be read, each with its contrast."""
    found: list[str] = page.evaluate(FAINT)
    return found


WORD = re.compile(r"(?<![\w./@:=-])[a-z][a-z']{2,}(?![\w/@:=.-]*[\w/])")
HAN = re.compile(r"[\u4e00-\u9fff]")
PHRASE = re.compile(r"(?:\b[A-Za-z']+ ){2}[a-z']{3,}")


def untranslated(page: Any, known: set[str]) -> list[str]:
    """English on a Chinese page: words without a Chinese character, or three and more in a row.

    A Chinese sentence may hold a single English word, as texts of the field do; ``known`` are
    names that are the same in every language.
    """
    texts: list[str] = page.evaluate(TEXTS)
    alone = [one for one in texts if not HAN.search(one) and set(WORD.findall(one)) - known]
    return alone + [one for one in texts if HAN.search(one) and PHRASE.search(one)]
