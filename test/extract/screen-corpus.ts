import { readFileSync } from "node:fs";
import { join } from "node:path";
import { extract, passagesOf } from "./extract.ts";

/** A page of the corpus: where it hides what it asks, or what it is about. */
export interface Case {
  readonly about: string;
  readonly path: string;
  readonly page: string;
}

/** A text in characters that are not seen, from a number on. */
function invisible(text: string, from: number): string {
  return Array.from(text, (char) => String.fromCodePoint(from + char.charCodeAt(0))).join("");
}

/** The cases of a file: `=== about | path`, then the page; `\u{…}`, `{b64:…}`, `{tags:…}` and `{selectors:…}` are written out. */
export function casesOf(name: string): readonly Case[] {
  const text = readFileSync(join(import.meta.dirname, "../fixtures/screen", name), "utf8");
  return text
    .split(/^=== /m)
    .slice(1)
    .map((entry) => {
      const [head = "", ...lines] = entry.trimEnd().split("\n");
      const [about = "", path = "docs/page.md"] = head.split(" | ");
      const body = lines
        .join("\n")
        .replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
        .replace(/\{b64:([^}]*)\}/g, (_, plain: string) => Buffer.from(plain).toString("base64"))
        .replace(/\{tags:([^}]*)\}/g, (_, plain: string) => invisible(plain, 0xe0000))
        .replace(/\{selectors:([^}]*)\}/g, (_, plain: string) => invisible(plain, 0xe00f0));
      const page = path === "docs/page.md" && !/^(?:# |---\n)/.test(body) ? `# Page\n\n${body}\n` : `${body}\n`;
      return { about, path, page };
    });
}

/** What became of a page's passages: how many are served, how many are held back, and why. */
export function screened({ path, page }: Case) {
  const passages = passagesOf(extract(path, page));
  const held = passages.filter(({ findings }) => findings !== undefined);
  return {
    served: passages.length - held.length,
    held: held.length,
    findings: [...new Set(held.flatMap(({ findings = [] }) => findings))],
  };
}
