"""Every code a result can carry stands on the page that lists them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_every_notice_code_is_documented() -> None:
    page = (ROOT / "docs" / "files.md").read_text()
    sources = (ROOT / "src" / "bacon").rglob("*.py")
    # Findings of `bacon check` are sentences for people; programs read the roles beside them.
    texts = [path.read_text() for path in sources if path.parent.name != "inspection"]
    codes = {code for text in texts for code in re.findall(r'Notice\(\s*"([a-z_]+)"', text)}
    assert len(codes) > 20
    assert not {code for code in codes if f"`{code}`" not in page}
