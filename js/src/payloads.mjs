// Inline scripts that a framework writes into its pages: data and runtime, no code of the user's.

const PAYLOADS = [
  // Next.js: flight data, the request's id, scripts that wait.
  /^\s*\(?self\.__next_[a-z]\b/,
  /^\s*\(globalThis\["TURBOPACK"\]\s*\|\|[^]{0,80}?\.push\(\s*\{\s*"?otherChunks\b/,
  // React: what its server sends after the page to put late parts in place.
  /^\s*(?:\$R[A-Z]=|\$R[A-Z]\(|requestAnimationFrame\(function\(\)\{\$RT=)/,
  // Vite: the hook of React's hot reload.
  /^\s*import\b[^;]*["'][^"']*\/@react-refresh["'];?[^;]*injectIntoGlobalHook\(window\)/,
  /^\s*!?\(?function\s*\(\)\s*\{\s*const \w+\s*=\s*document\.createElement\(["']link["']\)\.relList/,
  // Astro: the islands' own element and what starts them.
  /^[^]{0,200}self\.Astro\b|customElements\.(?:get|define)\(["']astro-island["']/,
  // Nuxt, SvelteKit, Remix, TanStack: the state that the server hands over.
  /^\s*window\.__(?:NUXT__|remixContext|remixManifest|TSR_)[\w.]*\s*[=.]/,
  /^\s*if\s*\(!window\.__NUXT_DEVTOOLS_TIME_METRIC__\)|^\s*window\.__astro_dev_toolbar__\s*=/,
  /^\s*\{?\s*__sveltekit_\w+\s*=/,
];

/** Whether an inline script is a framework's own. */
export const isPayload = (code) => PAYLOADS.some((pattern) => pattern.test(code));
