import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "./measure.ts";

const modules = join(import.meta.dirname, "..", "..", "node_modules");

/**
 * Sections of real documentation, with prose, links, tables and code: the READMEs of the installed packages, split at their headings.
 */
const sections = ((): readonly string[] => {
  const readmes = globSync("{*,@*/*}/README.md", { cwd: modules }).toSorted();
  return readmes
    .map((name) => readFileSync(join(modules, name), "utf8"))
    .flatMap((text) => text.split(/^(?=#{1,3} )/m))
    .filter((section) => /^#{1,3} \S/.test(section) && section.length > 300 && section.length < 6000)
    .filter((section) => (section.match(/^```/gm)?.length ?? 0) % 2 === 0)
    .map((section) => section.replace(/^#+ /, "## "));
})();

const word = /\b[a-z]{4,}\b/g;
const vocabulary = sections.flatMap((section) => section.match(word) ?? []);

/** Writes different pages that read like real documentation. */
export interface Writer {
  page(title: string, characters: number): string;
  question(words: number): string;
  code(characters: number): string;
}

/** Creates a writer whose pages depend on the seed alone. */
export function createWriter(seed: number): Writer {
  const random = seededRandom(seed);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? "";
  // About a third of the words are replaced, so that no two sections are alike.
  const vary = (text: string): string => text.replace(word, (same) => (random() < 0.3 ? pick(vocabulary) : same));
  const words = (count: number): string => Array.from({ length: count }, () => pick(vocabulary)).join(" ");
  return {
    page(title, characters) {
      let text = `# ${title}\n\n`;
      while (text.length < characters) text += `${vary(pick(sections)).trimEnd()}\n\n`;
      return text;
    },
    question: (count) => `how do I ${words(count)}`,
    code(characters) {
      let text = "";
      while (text.length < characters)
        text += `export const ${words(2).replace(" ", "_")} = ${Math.floor(random() * 1e9)}; // ${words(6)}\n`;
      return text;
    },
  };
}

/** Files of a repository: documents of about 10,000 characters below `docs/`, and code without documentation. */
export function repositoryFiles(
  seed: number,
  { documents, sources }: { documents: number; sources: number },
): Record<string, string> {
  const writer = createWriter(seed);
  const files: Record<string, string> = {};
  for (let index = 0; index < documents; index += 1) {
    files[`docs/part-${Math.floor(index / 50)}/page-${index}.md`] = writer.page(
      `Page ${index} ${writer.question(3)}`,
      9_000,
    );
  }
  for (let index = 0; index < sources; index += 1)
    files[`src/module-${Math.floor(index / 50)}/file-${index}.ts`] = writer.code(8_000);
  return files;
}
