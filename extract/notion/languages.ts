import { toLanguage } from "../language.ts";

/** Languages that Notion names differently from everybody else (its API reference, "Code"). */
const names: ReadonlyMap<string, string> = new Map([
  ["plain text", "text"],
  ["ascii art", "text"],
  ["visual basic", "vb"],
  ["vb.net", "vbnet"],
  ["java/c/c++/c#", ""],
  ["llvm ir", "llvm"],
  ["notion formula", "notion-formula"],
  ["markup", "html"],
  ["webassembly", "wasm"],
]);

/** The one name of a language by what Notion calls it; "" where that is not a language. */
export function languageOf(name: string): string {
  const lower = name.trim().toLowerCase();
  return names.get(lower) ?? toLanguage(lower);
}
