import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ApiAnswer } from "../answers.ts";

const resolve = createRequire(import.meta.url).resolve;
const own = (name: string): string => join(import.meta.dirname, "static", name);

/** The files that pages load, by name in addresses, with media type and location. */
const files = {
  "style.css": { type: "text/css; charset=utf-8", place: () => own("style.css") },
  "lectern.js": { type: "text/javascript; charset=utf-8", place: () => own("lectern.js") },
  "api-docs.js": { type: "text/javascript; charset=utf-8", place: () => own("api-docs.js") },
  "icon.svg": { type: "image/svg+xml", place: () => own("icon.svg") },
  "htmx.js": { type: "text/javascript; charset=utf-8", place: () => resolve("htmx.org/dist/htmx.min.js") },
  "sse.js": { type: "text/javascript; charset=utf-8", place: () => resolve("htmx-ext-sse/dist/sse.min.js") },
  "reading.css": { type: "text/css; charset=utf-8", place: () => own("reading.css") },
  "highlight-code.js": { type: "text/javascript; charset=utf-8", place: () => own("highlight-code.js") },
  "highlighter.js": { type: "text/javascript; charset=utf-8", place: () => own("highlighter.js") },
  "highlight.js": {
    type: "text/javascript; charset=utf-8",
    place: () => resolve("@highlightjs/cdn-assets/highlight.min.js"),
  },
  "plots.js": { type: "text/javascript; charset=utf-8", place: () => own("plots.js") },
  "uplot.js": { type: "text/javascript; charset=utf-8", place: () => resolve("uplot/dist/uPlot.iife.min.js") },
  "uplot.css": { type: "text/css; charset=utf-8", place: () => resolve("uplot/dist/uPlot.min.css") },
  // The files of swagger-ui-dist, without its dependency that reports installations.
  "swagger-ui.js": {
    type: "text/javascript; charset=utf-8",
    place: () => resolve("@fastify/swagger-ui/static/swagger-ui-bundle.js"),
  },
  "swagger-ui.css": {
    type: "text/css; charset=utf-8",
    place: () => resolve("@fastify/swagger-ui/static/swagger-ui.css"),
  },
} as const satisfies Record<string, { type: string; place: () => string }>;

export type AssetName = keyof typeof files;

const loaded = new Map<AssetName, { readonly bytes: Uint8Array; readonly hash: string }>();

function load(name: AssetName): { readonly bytes: Uint8Array; readonly hash: string } {
  const before = loaded.get(name);
  if (before) return before;
  const bytes = readFileSync(files[name].place());
  const asset = { bytes, hash: createHash("sha256").update(bytes).digest("base64url").slice(0, 12) };
  loaded.set(name, asset);
  return asset;
}

/** Path of a file, with a hash of its content, so that browsers can cache it for ever. */
export function asset(name: AssetName): string {
  return `/-/assets/${load(name).hash}/${name}`;
}

/** The response with a file; undefined: unknown name. With an outdated hash it is not cached. */
export function answerAsset(hash: string, name: string): ApiAnswer | undefined {
  if (!isAsset(name)) return undefined;
  const { bytes, hash: current } = load(name);
  const kept = hash === current ? "public, max-age=31536000, immutable" : "no-store";
  return { status: 200, headers: { "Content-Type": files[name].type, "Cache-Control": kept }, body: bytes };
}

function isAsset(name: string): name is AssetName {
  return Object.hasOwn(files, name);
}
