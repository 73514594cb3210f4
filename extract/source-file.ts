import type { Document } from "./blocks.ts";
import { languageOfFile } from "./language.ts";

/** Maximum size of an excerpt, in lines and in characters. */
const maxLines = 300;
const maxLength = 15_000;

/** Languages of documents, and of data that nobody looks up: their files are pages, or are not read. */
const documents = new Set(["", "markdown", "mdx", "rst", "html", "text", "csv", "svg", "xml", "latex", "jsonl"]);

/** Whether the name in an address is that of code or configuration. */
export function isSourceFile(address: string): boolean {
  return !documents.has(languageOfFile(nameOf(address)));
}

/** Reads the beginning of a source file as one example, with a warning if it is cut. `address` ends in its name. */
export function readSourceFile(source: string, address = ""): Document {
  const name = nameOf(address);
  const lines = source.split("\n");
  while (lines.length > 1 && lines.at(-1) === "") lines.pop();
  let [count, length] = [0, 0];
  for (const line of lines.slice(0, maxLines)) {
    length += line.length + 1;
    if (length > maxLength) break;
    count += 1;
  }
  const code = lines.slice(0, count).join("\n").replace(/\r$/, "");
  const isCut = count < lines.length;
  return {
    blocks: code.trim() === "" ? [] : [{ type: "code", language: "", code, file: name, lines: [1, count] }],
    title: name,
    description: "",
    footnotes: new Map(),
    leftOut: [],
    ...(isCut && { warnings: [`Only the first ${count} of its ${lines.length} lines are read.`] }),
  };
}

/** The file name in an address or path; for a file in an archive, that of the fragment. */
function nameOf(address: string): string {
  const url = URL.parse(address);
  const path = url?.hash.startsWith("#/") === true ? url.hash : (url?.pathname ?? address);
  const last = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch (error) {
    // The name has a literal percent sign.
    if (error instanceof URIError) return last;
    throw error;
  }
}
