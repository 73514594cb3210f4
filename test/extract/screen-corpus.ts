import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { extract, passagesOf } from "./extract.ts";

/** A page of the corpus: where it hides what it asks, or what it is about. */
export interface Case {
  readonly about: string;
  readonly path: string;
  readonly page: string;
}

/** The two halves of a corpus: signs are made by `tune` only, `aside` measures. */
export const halves = ["tune", "aside"] as const;

/** A text in characters that are not seen, from a number on. */
function invisible(text: string, from: number): string {
  return Array.from(text, (char) => String.fromCodePoint(from + char.charCodeAt(0))).join("");
}

function escaped(text: string, mark: string, digits: number): string {
  return Array.from(text, (char) => mark + char.charCodeAt(0).toString(16).padStart(digits, "0")).join("");
}

/** How a text may be written in other characters, by the name that a case gives it, as in `{hex:…}`. */
const encodings: ReadonlyMap<string, (plain: string) => string> = new Map([
  ["b64", (plain) => Buffer.from(plain).toString("base64")],
  ["hex", (plain) => Buffer.from(plain).toString("hex")],
  ["pct", (plain) => escaped(plain, "%", 2)],
  ["esc", (plain) => escaped(plain, String.raw`\u`, 4)],
  ["xesc", (plain) => escaped(plain, String.raw`\x`, 2)],
  ["tags", (plain) => invisible(plain, 0xe0000)],
  ["selectors", (plain) => invisible(plain, 0xe00f0)],
]);

/** The cases of a file: `=== about | path`, then the page; `\u{…}` and what is to be encoded, as in `{hex:…}`, are written out. */
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
        .replace(/\{(\w+):([^}]*)\}/g, (all, way: string, plain: string) => encodings.get(way)?.(plain) ?? all);
      const page = path === "docs/page.md" && !/^(?:# |---\n)/.test(body) ? `# Page\n\n${body}\n` : `${body}\n`;
      return { about, path, page };
    });
}

/** The cases of a file that are in a half: a hash decides which one a page is in. */
export function halfOf(name: string, half: (typeof halves)[number]): readonly Case[] {
  return casesOf(name).filter(({ page }) => isAside(page) === (half === "aside"));
}

/** Whether a text belongs to the half that is set aside: the first byte of its SHA-256 is odd. */
function isAside(text: string): boolean {
  return (createHash("sha256").update(text).digest()[0] ?? 0) % 2 === 1;
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
