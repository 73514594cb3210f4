import { unescape } from "node:querystring";
import { Parser } from "htmlparser2";
import { jsonOf, objectOf } from "../../extract/json.ts";
import { arrayOf } from "../lib/fetch/json.ts";
import { tooMany, type MetadataAnswer } from "./registry.ts";

/** A file in an index of Python packages. */
export interface IndexedFile {
  readonly filename: string;
  readonly url: string;
  /** SHA-256 in hex; "" if the index has none. */
  readonly sha256: string;
  readonly size: number;
  readonly yanked: boolean;
}

/** Maximum number of files of a project, and length of the name and address of one, in characters. */
const maxFiles = 100_000;
const maxName = 300;
const maxAddress = 2000;
/** Length of a SHA-256 in hex. */
const maxDigest = 64;

/**
 * The files of a project, from JSON (PEP 691) or HTML (PEP 503); null for anything else. Runs on a thread.
 * @throws Failure library_too_large
 */
export function readProject({ bytes, mediaType, url }: MetadataAnswer): readonly IndexedFile[] | null {
  const text = new TextDecoder().decode(bytes);
  const files = /json/.test(mediaType) ? readJson(text, url) : readHtml(text, url);
  if (files !== null && files.length > maxFiles) throw tooMany(`the ${maxFiles} files`);
  return (
    files &&
    files
      .filter(({ filename, url: address }) => filename.length <= maxName && address.length <= maxAddress)
      .map((file) => ({ ...file, sha256: file.sha256.slice(0, maxDigest) }))
  );
}

function readJson(text: string, base: string): readonly IndexedFile[] | null {
  const files = arrayOf(objectOf(jsonOf(text))["files"]);
  if (files === undefined) return null;
  return files.map(objectOf).flatMap(({ filename, url, hashes, size, yanked }) => {
    const address = typeof url === "string" ? URL.parse(url, base) : null;
    if (typeof filename !== "string" || address === null) return [];
    const { sha256 } = objectOf(hashes);
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

function readHtml(text: string, base: string): readonly IndexedFile[] | null {
  const files: IndexedFile[] = [];
  const parser = new Parser({
    onopentag(name, { href, ...attributes }) {
      const url = name === "a" && href !== undefined ? URL.parse(href, base) : null;
      if (url === null) return;
      const [, sha256 = ""] = /^#sha256=([\da-f]{64})$/i.exec(url.hash) ?? [];
      url.hash = "";
      // Unlike decodeURIComponent, this never throws.
      const filename = unescape(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
      files.push({ filename, url: url.href, sha256, size: 0, yanked: "data-yanked" in attributes });
    },
  });
  parser.end(text);
  return /<a\b|<html/i.test(text) ? files : null;
}
