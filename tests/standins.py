"""A project whose Vite is a stand-in: built in a moment, without anything installed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

VITE = """#!/usr/bin/env node
const fs = require('node:fs');
fs.mkdirSync('dist', { recursive: true });
const page = fs.readFileSync('index.html', 'utf8');
fs.writeFileSync('dist/index.html', page.replace('type="module" src="/src/main.js"', 'src="app.js"'));
fs.writeFileSync('dist/app.js', '(() => {' + fs.readFileSync('src/main.js', 'utf8') + '})()');
console.log('built');
"""
PAGE = (
    '<!doctype html><html lang="en"><title>Shop</title><button id="add">Add</button><p id="out">0</p>'
    '<script type="module" src="/src/main.js"></script></html>'
)
MAIN = """const out = document.getElementById('out');
let count = 0;
function add() {
  count += 1;
  if (count > 2) throw new Error('too many');
  out.textContent = String(count);
}
document.getElementById('add').addEventListener('click', add);
"""


def vite_project(folder: Path, *, vite: str = VITE, files: Mapping[str, str] | None = None) -> Path:
    """Writes the project into a folder of that name and returns it."""
    root = folder / "shop"
    texts = {
        "package.json": json.dumps(
            {"name": "shop", "scripts": {"build": "vite build"}, "devDependencies": {"vite": "^8.0.0"}}
        ),
        "index.html": PAGE,
        "src/main.js": MAIN,
        "node_modules/vite/package.json": '{"name": "vite", "version": "8.0.0"}',
        "node_modules/.bin/vite": vite,
        **(files or {}),
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "node_modules/.bin/vite").chmod(0o755)
    return root
