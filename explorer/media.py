"""Media types by file extension: the server's own table, since a machine's may call JavaScript text/plain."""

from __future__ import annotations

from pathlib import PurePosixPath

_TYPES = {
    # Pages and code
    "html": "text/html",
    "htm": "text/html",
    "shtml": "text/html",
    "xhtml": "application/xhtml+xml",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "cjs": "text/javascript",
    "jsx": "text/javascript",
    "ts": "text/javascript",
    "tsx": "text/javascript",
    "css": "text/css",
    "wasm": "application/wasm",
    # Data
    "json": "application/json",
    "map": "application/json",
    "jsonld": "application/ld+json",
    "geojson": "application/geo+json",
    "webmanifest": "application/manifest+json",
    "gltf": "model/gltf+json",
    "glb": "model/gltf-binary",
    "xml": "application/xml",
    "xsl": "application/xml",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "vtt": "text/vtt",
    "ics": "text/calendar",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "pdf": "application/pdf",
    "rtf": "application/rtf",
    "zip": "application/zip",
    "gz": "application/gzip",
    "br": "application/octet-stream",
    "tar": "application/x-tar",
    # Pictures
    "svg": "image/svg+xml",
    "png": "image/png",
    "apng": "image/apng",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "jfif": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "ico": "image/x-icon",
    "cur": "image/x-icon",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "ktx2": "image/ktx2",
    "hdr": "image/vnd.radiance",
    # Fonts
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "otf": "font/otf",
    "ttc": "font/collection",
    "eot": "application/vnd.ms-fontobject",
    # Sound and film
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "weba": "audio/webm",
    "mid": "audio/midi",
    "midi": "audio/midi",
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "webm": "video/webm",
    "ogv": "video/ogg",
    "mov": "video/quicktime",
    "m3u8": "application/vnd.apple.mpegurl",
    "mpd": "application/dash+xml",
}

UNKNOWN = "application/octet-stream"


def media_type(path: str) -> str:
    """The media type of a file by its last extension, `application/octet-stream` where that is unknown."""
    return _TYPES.get(PurePosixPath(path).suffix[1:].lower(), UNKNOWN)


def is_text(kind: str) -> bool:
    """Whether a browser decodes bodies of this type by a charset."""
    named = kind.endswith(("+xml", "+json", "/json", "/xml", "/yaml"))
    return named or kind.startswith("text/")
