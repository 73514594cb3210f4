/**
 * The outcome of extraction: blocks of code kept with their exact text, as counted by an independent parser (commonmark.js); blocks and
 * pages left out on purpose, with the reasons; passages without a defect (`extract/quality.ts`). Run it with `npm run bench:extraction`;
 * docs/internals/measuring.md says what the figures mean.
 *
 *   --folder PATH    a folder with documentation, such as a checkout, instead of packages; may be given several times
 */
import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { extensions } from "../../../extract/formats.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { printTable } from "../measure.ts";
import { unpackPackage } from "../packages.ts";
import { size } from "../size.ts";
import { collectLibrary, type CollectedLibrary } from "./collect.ts";
import { emptyFigures, figuresOf, merge, type Figures } from "./figures.ts";

/** Packages that ship their documentation as Markdown or MDX. The small form has an installed one, which npm packs without a network. */
const packages: readonly string[] = size({
  full: [
    "ai",
    "commander",
    "eslint-plugin-import",
    "eslint-plugin-jest",
    "eslint-plugin-testing-library",
    "fastify",
    "@mastra/core",
    "mathjs",
    "node-gyp",
    "npm",
    "pino",
    "undici",
    "workflow",
  ],
  small: [join(import.meta.dirname, "..", "..", "..", "node_modules", "pino")],
});

/** All Markdown of a package is documentation, in `dist` too, except the files that every package has; the parser reads no sources. */
const chosen = {
  extensions: [".md", ".mdx"],
  selection: {
    folders: [],
    excludeFolders: ["node_modules"],
    excludeFiles: ["license", "changelog", "code_of_conduct"].flatMap((name) =>
      [name, name.toUpperCase()].map((one) => `${one}.md`),
    ),
    generateDocs: false,
  },
};
const usual = { folders: [], excludeFolders: null, excludeFiles: null, generateDocs: false };

const { values } = parseArgs({ options: { folder: { type: "string", multiple: true, default: [] } } });
const total = emptyFigures();
const rows: string[][] = [];
for await (const library of collectAll()) {
  if (library.pages.length === 0) {
    console.log(`${library.name} has no pages.`);
    continue;
  }
  const figures = figuresOf(library);
  merge(total, figures);
  rows.push(toRow(library.name, figures));
  for (const note of library.manifest.notes ?? []) console.log(`${library.name}: ${note}`);
}
if (rows.length > 1) rows.push(toRow("all", total));
const head = ["library", "pages", "code blocks", "kept exactly", "of these included", "served elsewhere", "left out"];
printTable([...head, "language known", "passages", "without defect"], rows);
console.log(`\nBlocks left out: ${listed(total.dropped)}`);
if (total.lost.length > 0) console.log(`Lost at ${total.lost.slice(0, 20).join(", ")}`);
console.log(`Pages left out: ${listed(total.pages)}`);
console.log(`Defects: ${listed(total.defects)}`);

async function* collectAll(): AsyncGenerator<CollectedLibrary> {
  for (const path of values.folder) {
    const folder = await realpath(path);
    yield await collectLibrary(basename(folder), folder, { extensions, selection: usual });
  }
  if (values.folder.length > 0) return;
  await using scratch = await temporaryFolder();
  for (const name of packages) yield await collectLibrary(name, await unpackPackage(name, scratch.path), chosen);
}

function toRow(name: string, { sums, dropped }: Figures): string[] {
  const sum = (of: string): number => sums.get(of) ?? 0;
  const leftOut = [...dropped.values()].reduce((all, count) => all + count, 0);
  return [
    name,
    String(sum("pages")),
    String(sum("blocks")),
    share(sum("kept"), sum("blocks")),
    String(sum("included")),
    share(sum("elsewhere"), sum("blocks")),
    share(leftOut, sum("blocks")),
    share(sum("known"), sum("languages")),
    String(sum("passages")),
    share(sum("sound"), sum("passages")),
  ];
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((part / whole) * 100).toFixed(2)} %`;
}

function listed(counts: ReadonlyMap<string, number>): string {
  const names = [...counts].toSorted(([, one], [, two]) => two - one).map(([name, count]) => `${name} ${count}`);
  return names.length === 0 ? "none" : names.join(", ");
}
