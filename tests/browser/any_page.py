"""What holds of every page that terse writes: its words can be read, and what it shows is but text."""

from __future__ import annotations

from tests.browser.chromium import Page

HOSTILE = """</svg></pre></div><script>document.title = "run"</script>\
<img src=x onerror="document.title='run'">"""
"""A name, or a value of a result, that tries to become part of the page."""

CONTRAST = """(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let worst = [99, ""];
  for (const each of document.querySelectorAll("body *")) {
    if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!each.checkVisibility()) continue;
    let behind = each;
    while (behind && parts(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const pair = [getComputedStyle(each).color, getComputedStyle(behind || document.body).backgroundColor];
    const [a, b] = pair.map((colour) => light(parts(colour)));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, each.className + ": " + pair];
  }
  return worst;
})()"""
"""The least contrast of any words with what is behind them, and where that is."""


def check_nothing_ran(page: Page, title: str, *, scripts: int) -> None:
    """The page has its own scripts alone, no image, loaded nothing, and nobody changed its title."""
    assert page.ask("document.title") == title
    assert page.ask("document.scripts.length") == scripts
    assert page.ask("document.images.length") == 0
    assert page.ask("performance.getEntriesByType('resource').length") == 0


def check_read_on_a_phone(page: Page) -> None:
    """Nothing sticks out of a phone, words are large enough, and stand out from what is behind them."""
    assert page.ask("document.documentElement.scrollWidth") <= 390
    assert (
        page.ask(
            "Math.min(...[...document.querySelectorAll('svg text')]"
            ".map((text) => parseFloat(getComputedStyle(text).fontSize)"
            " * text.ownerSVGElement.getScreenCTM().a))"
        )
        >= 9.5
    )
    ratio, where = page.ask(CONTRAST)
    assert ratio >= 4.5, where
