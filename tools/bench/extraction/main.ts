/**
 * What extraction makes of documentation: blocks of code kept with their exact text, as an independent parser (commonmark.js)
 * counts them; blocks and pages left out on purpose, with the reasons; passages without a defect (`extract/quality.ts`); faults of
 * what is served, as simple patterns see them; whether 1 and 4 threads give the same bytes; time a page. Run it with
 * `npm run bench:extraction`; docs/internals/measuring.md says what the figures mean.
 *
 *   NAME …           packages of npm; without any, those that figures are kept of
 *   --folder PATH    a folder with documentation, such as a checkout, instead of packages; may be given several times
 *   --examples N     prints N examples of each fault
 */
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { extensions } from "../../../extract/formats.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { collectLibrary } from "./collect.ts";
import type { CollectedLibrary } from "./collect.ts";
import { faultsOf } from "./faults.ts";
import { emptyFigures, figuresOf, merge } from "./figures.ts";
import { collectPackage, packages } from "./packages.ts";
import { printBlocks, printFaults } from "./report.ts";
import type { Measured } from "./report.ts";
import { printTimes } from "./times.ts";

const { values, positionals } = parseArgs({
  options: { folder: { type: "string", multiple: true, default: [] }, examples: { type: "string", default: "0" } },
  allowPositionals: true,
});
const usual = { folders: [], excludeFolders: null, excludeFiles: null };
const total = emptyFigures();
const measured: Measured[] = [];
const all: CollectedLibrary["pages"][number][] = [];
for await (const library of collectAll()) {
  if (library.pages.length === 0) {
    console.log(`${library.name} holds no pages.`);
    continue;
  }
  const figures = figuresOf(library);
  merge(total, figures);
  measured.push({ name: library.name, figures, faults: faultsOf(library) });
  all.push(...library.pages);
  for (const note of library.manifest.notes ?? []) console.log(`${library.name}: ${note}`);
}
printBlocks(measured, total);
printFaults(measured, Number(values.examples));
if (values.folder.length === 0) await printTimes(all);

async function* collectAll(): AsyncGenerator<CollectedLibrary> {
  for (const path of values.folder) {
    const folder = await realpath(path);
    yield await collectLibrary(basename(folder), folder, { extensions, selection: usual });
  }
  if (values.folder.length > 0) return;
  await using scratch = await temporaryFolder();
  for (const name of positionals.length > 0 ? positionals : packages) yield await collectPackage(name, scratch.path);
}
