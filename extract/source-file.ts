import type { Document } from "./blocks.ts";
import { languageOfFile } from "./language.ts";

/** Most of a file that is shown: whole lines, in number and in characters. */
const maxLines = 300;
const maxLength = 15_000;

/** What names a language of documents, or of data that no reader looks up: such files are read as pages, or not at all. */
const documents = new Set(["", "markdown", "mdx", "rst", "html", "text", "csv", "svg", "xml", "latex", "jsonl"]);

/** Whether the name of a file, or its address, says that it is code or configuration. */
export function isSourceFile(address: string): boolean {
  return !documents.has(languageOfFile(nameOf(address)));
}

/** Reads a file of code: one example, from its first line on. A warning says where it was cut. `address` has its name. */
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

/** The last part of an address or path, readable; of a file of an archive, whose path is the fragment, of that. */
function nameOf(address: string): string {
  const url = URL.parse(address);
  const path = url?.hash.startsWith("#/") === true ? url.hash : (url?.pathname ?? address);
  const last = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch (error) {
    // A percent sign that is one.
    if (error instanceof URIError) return last;
    throw error;
  }
}
