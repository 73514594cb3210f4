import { readFileSync } from "node:fs";
import { join } from "node:path";
import { foldId } from "../../domain/library.ts";
import type { LibraryEntry } from "../../domain/ports.ts";

/** A search as somebody writes it, and the libraries of which one has to come first. */
export interface LibraryCase {
  /** What the case is about: the heading above it. */
  readonly about: string;
  readonly name: string;
  readonly query: string;
  readonly expected: readonly string[];
  /** True for a search that is known to find something else first. */
  readonly missing: boolean;
}

/** Well-known libraries of library-catalogue.txt: ID, title, passages, trust, aliases and description a line. */
export function libraryCatalogue(): readonly LibraryEntry[] {
  return rowsOf("library-catalogue.txt").map(
    ([id = "", title = "", snippets, trust, aliases = "", description = ""]) => ({
      uid: id,
      key: { teamspace: "", id: foldId(id) },
      id,
      title,
      description,
      aliases: aliases
        .split(", ")
        .filter((alias) => alias !== "")
        .map((alias) => ({ name: alias, manifest: "package.json" })),
      source: `https://git.example.com${id}`,
      branch: "main",
      versions: [],
      totalSnippets: Number(snippets),
      totalTokens: 100 * Number(snippets),
      trust: trust === "" ? null : Number(trust),
      updatedAt: 1_700_000_000_000,
    }),
  );
}

/** The searches of library-cases.txt: name, query, what may come first, and "missing" where it does not, under headings. */
export function libraryCases(): readonly LibraryCase[] {
  let about = "";
  return rowsOf("library-cases.txt").flatMap(([name = "", query = "", expected = "", missing]) => {
    if (name.startsWith("# ")) {
      about = name.slice(2);
      return [];
    }
    return [{ about, name, query, expected: expected.split(", "), missing: missing === "missing" }];
  });
}

function rowsOf(file: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(import.meta.dirname, file), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => line.split(" | "));
}
