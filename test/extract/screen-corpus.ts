import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { extract, passagesOf } from "./extract.ts";

/** A page of the corpus: where it hides its attack, or its subject. */
export interface Case {
  readonly about: string;
  readonly path: string;
  readonly page: string;
}

/** The two halves of a corpus: signs are tuned on `tune` only; `aside` measures them. */
export const halves = ["tune", "aside"] as const;

/** A text in invisible characters, from a code point on. */
function invisible(text: string, from: number): string {
  return Array.from(text, (char) => String.fromCodePoint(from + char.charCodeAt(0))).join("");
}

function escaped(text: string, mark: string, digits: number): string {
  return Array.from(text, (char) => mark + char.charCodeAt(0).toString(16).padStart(digits, "0")).join("");
}

/** Encodings of a text, by their names in the cases, as in `{hex:…}`. */
const encodings: ReadonlyMap<string, (plain: string) => string> = new Map([
  ["b64", (plain) => Buffer.from(plain).toString("base64")],
  ["hex", (plain) => Buffer.from(plain).toString("hex")],
  ["pct", (plain) => escaped(plain, "%", 2)],
  ["esc", (plain) => escaped(plain, String.raw`\u`, 4)],
  ["xesc", (plain) => escaped(plain, String.raw`\x`, 2)],
  ["tags", (plain) => invisible(plain, 0xe0000)],
  ["selectors", (plain) => invisible(plain, 0xe00f0)],
]);

/** The cases of a file: `=== about | path`, then the page; `\u{…}` and encodings such as `{hex:…}` are expanded. */
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

/** The cases of a file in one half, which a hash of the page decides. */
export function halfOf(name: string, half: (typeof halves)[number]): readonly Case[] {
  return casesOf(name).filter(({ page }) => isAside(page) === (half === "aside"));
}

/** Whether a text belongs to the half that is set aside: the first byte of its SHA-256 is odd. */
function isAside(text: string): boolean {
  return (createHash("sha256").update(text).digest()[0] ?? 0) % 2 === 1;
}

/** How many of a page's passages are served and quarantined, and why. */
export function screened({ path, page }: Case) {
  const passages = passagesOf(extract(path, page));
  const held = passages.filter(({ findings }) => findings !== undefined);
  return {
    served: passages.length - held.length,
    held: held.length,
    findings: [...new Set(held.flatMap(({ findings = [] }) => findings))],
  };
}
