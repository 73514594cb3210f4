import { createHash, hash } from "node:crypto";
import type { Hash } from "node:crypto";
import type { SnippetLine } from "../domain/passage-lines.ts";

/** The content hash over lines of format 1. */
export interface SnippetsHash {
  /** Takes the next line, of the page at this path. */
  add(path: string, snippet: SnippetLine): void;
  /** The hash, hex. `language` is the manifest's. */
  finish(language: string): string;
}

/** Creates a hash; `order` is that of the source's kind. */
export function createSnippetsHash(order: "source" | "key"): SnippetsHash {
  const all = createHash("sha256");
  const pages = new Map<string, Hash>();
  return {
    add(path, snippet) {
      const into = order === "source" ? all : (pages.get(path) ?? createHash("sha256"));
      pages.set(path, into);
      into.update(digestOf(snippet));
      if (order === "source" && snippet.flags?.includes("duplicate") === true) into.update("duplicate");
    },
    finish(language) {
      if (order === "key") {
        const sorted = [...pages].toSorted(([one], [other]) => (one < other ? -1 : 1));
        for (const [path, page] of sorted) all.update(`${path}\0${page.digest("hex")}\n`);
      }
      return all.update(language).digest("hex");
    },
  };
}

function digestOf({
  kind,
  id,
  title,
  description,
  breadcrumb,
  codes,
  content,
  tokens,
  page,
  source,
}: SnippetLine): string {
  // Where included code stands counts, at which revision does not.
  const plain = codes.map(({ sources, ...code }) =>
    sources === undefined ? code : { ...code, sources: sources.map(({ path, lines }) => ({ path, lines })) },
  );
  // In this order.
  const served = JSON.stringify({ kind, id, title, description, breadcrumb, codes: plain, content, tokens });
  const parts = [served, page.title, source.path ?? source.url, ...(source.lines ?? []).map(String)];
  return hash("sha256", parts.join("\0"), "base64url").slice(0, 22);
}
