import { readFileSync } from "node:fs";
import { join } from "node:path";
import { foldId } from "../../domain/library.ts";
import type { LibraryEntry } from "../../domain/ports.ts";

/** A user's search, and the libraries of which one has to come first. */
export interface LibraryCase {
  /** The heading above it. */
  readonly about: string;
  readonly name: string;
  readonly query: string;
  readonly expected: readonly string[];
  /** True for a search that is known to rank another library first. */
  readonly missing: boolean;
}

/** The libraries in library-catalogue.txt, one a line: ID, title, passages, trust, aliases, description. */
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

/** The searches in library-cases.txt, under headings: name, query, libraries that may come first, and "missing" if none does. */
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
