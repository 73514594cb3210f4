import { unescape } from "node:querystring";
import { Parser } from "htmlparser2";

/** A file that an index of Python packages has. */
export interface IndexedFile {
  readonly filename: string;
  readonly url: string;
  /** SHA-256 in hex; "" where the index tells none. */
  readonly sha256: string;
  readonly size: number;
  readonly yanked: boolean;
}

/** An answer of an index, and where it came from. */
export interface IndexAnswer {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly url: string;
}

/** The files of a project: as JSON (PEP 691) or as HTML (PEP 503); null for what is neither. Runs on a thread. */
export function readProject({ bytes, mediaType, url }: IndexAnswer): readonly IndexedFile[] | null {
  const text = new TextDecoder().decode(bytes);
  return /json/.test(mediaType) ? readJson(text, url) : readHtml(text, url);
}

function readJson(text: string, base: string): readonly IndexedFile[] | null {
  const files = filesOf(text);
  if (files === null) return null;
  return files.flatMap((one) => {
    const { filename, url, hashes, size, yanked } = (one ?? {}) as Readonly<Record<string, unknown>>;
    const address = typeof url === "string" ? URL.parse(url, base) : null;
    if (typeof filename !== "string" || address === null) return [];
    const { sha256 } = (hashes ?? {}) as Readonly<Record<string, unknown>>;
    return [
      {
        filename,
        url: address.href,
        sha256: typeof sha256 === "string" ? sha256.toLowerCase() : "",
        size: typeof size === "number" ? size : 0,
        yanked: yanked === true || typeof yanked === "string",
      },
    ];
  });
}

function filesOf(text: string): readonly unknown[] | null {
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    return Array.isArray(files) ? files : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function readHtml(text: string, base: string): readonly IndexedFile[] | null {
  const files: IndexedFile[] = [];
  const parser = new Parser({
    onopentag(name, { href, ...attributes }) {
      const url = name === "a" && href !== undefined ? URL.parse(href, base) : null;
      if (url === null) return;
      const [, sha256 = ""] = /^#sha256=([\da-f]{64})$/i.exec(url.hash) ?? [];
      url.hash = "";
      // Unlike decodeURIComponent it throws at nothing.
      const filename = unescape(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
      files.push({ filename, url: url.href, sha256, size: 0, yanked: "data-yanked" in attributes });
    },
  });
  parser.end(text);
  return /<a\b|<html/i.test(text) ? files : null;
}
