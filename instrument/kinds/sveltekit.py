"""SvelteKit: built by Vite, static with its static adapter."""

from __future__ import annotations

from instrument.configtext import block, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import beside, configured, laid_out, needs, runs, setting, source_folders
from instrument.kinds.evidence import Kind, Layout


def layout(folder: AppFolder, built_by: str) -> Layout:
    """adapter-static writes build; every other build can be looked at with `vite preview`."""
    configs = [name for name in (folder.config("svelte.config"), folder.config("vite.config")) if name]
    code = "\n".join(folder.code(name) for name in configs)
    static = "@sveltejs/adapter-static" in code
    pages = string(code, "pages").removeprefix("./").rstrip("/") or "build"
    fallback = string(code, "fallback")
    return Layout(
        outputs=(pages,) if static else (".svelte-kit/output/client",),
        proof=(fallback if fallback.endswith(".html") else "index.html") if static else "_app/version.json",
        server="" if static else "vite preview",
        base=string(block(code, "paths"), "base"),
        config=next(iter(configs), ""),
        public_folder=folder.has("static"),
        source_folders=source_folders(folder, "src"),
        flavour="svelte",
        clues=setting(
            folder, next(iter(configs), ""), "@sveltejs/adapter-static, so files are made", when=static
        ),
        way="served",
        way_reason="Svelte's compiler makes the scripts, and its source maps lead back to the components",
    )


SVELTEKIT = Kind(
    name="sveltekit",
    tool="vite build",
    command=runs("vite", "build"),
    clues=(
        needs("@sveltejs/kit"),
        beside("@sveltejs/kit", configured("svelte.config")),  # plain Svelte has one too
        laid_out("where SvelteKit keeps its pages", "src/routes"),
        laid_out("the page that SvelteKit fills", "src/app.html"),
    ),
    layout=layout,
    admits=lambda folder, _: bool(
        folder.any_need("@sveltejs/kit") and folder.has("src/routes", "src/app.html")
    ),
)
