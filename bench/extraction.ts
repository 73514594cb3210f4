/**
 * What extraction makes of the Markdown that comes with npm packages, fetched with `npm pack`: blocks of code kept with their
 * exact text, as an independent parser (commonmark.js) counts them; blocks left out on purpose, with the reasons; blocks
 * whose language is known; passages without a defect (`extract/quality.ts`); whether 1 and 4 threads give the same bytes;
 * time a page. Run it with `npm run bench:extraction`, with names of packages behind `--` for others.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { flagLines } from "../activities/page-lines.ts";
import { parseOnThread } from "../activities/parse-page.ts";
import { mediaTypeOf } from "../extract/formats.ts";
import type { ParsedPage, ParseInput } from "../activities/parse-page.ts";
import { createThreadPool } from "../activities/thread-pool.ts";
import { readPassage } from "../domain/passage-lines.ts";
import { createFolding } from "../activities/folding.ts";
import { codesOf, isServed } from "../domain/passage.ts";
import type { Passage } from "../domain/passage.ts";
import { createFinisher } from "../extract/finish.ts";
import { extractPage } from "../extract/index.ts";
import type { PageResult } from "../extract/page.ts";
import { defectsOf } from "../extract/quality.ts";
import { toLines } from "../extract/passage-lines.ts";
import { gitSpec } from "../test/support/git-spec.ts";
import { temporaryFolder } from "../test/support/lectern-process.ts";
import { comparable, referenceBlocks } from "./extraction-blocks.ts";
import { median, printTable } from "./measure.ts";

/** Packages that ship their documentation as Markdown or MDX. */
const packages: readonly string[] = [
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
];

const run = promisify(execFile);
const revision = "0";
const site = "https://git.example.com/bench/extraction";
const spec = gitSpec(site);

/** How often each thing was counted. */
type Counts = Map<string, number>;

/** What the pages of a package come to. */
interface Figures {
  /** `elsewhere`: served with the same text from another page or section, which has the same heading. */
  readonly sums: Counts;
  readonly dropped: Counts;
  readonly defects: Counts;
}

const named = process.argv.slice(2);
await using folder = await temporaryFolder();
const total = emptyFigures();
const rows: string[][] = [];
const all: ParseInput[] = [];
for (const name of named.length > 0 ? named : packages) {
  const pages = await fetchPages(name, join(folder.path, name.replace(/\W+/g, "-")));
  if (pages.length === 0) {
    console.log(`${name} holds no Markdown.`);
    continue;
  }
  const figures = await measure(pages);
  rows.push(toRow(name, figures));
  merge(total, figures);
  all.push(...pages);
}
printTable(
  [
    "package",
    "pages",
    "code blocks",
    "kept exactly",
    "served elsewhere",
    "left out",
    "language known",
    "passages",
    "without defect",
  ],
  [...rows, toRow("all", total)],
);
console.log(`\nLeft out: ${listed(total.dropped)}`);
console.log(`Defects: ${listed(total.defects)}`);
await printTimes(all);

/** The Markdown of a package, in the order of its paths. */
async function fetchPages(name: string, target: string): Promise<ParseInput[]> {
  await mkdir(target, { recursive: true });
  const { stdout } = await run("npm", ["pack", name, "--silent", "--ignore-scripts", "--pack-destination", target]);
  const archive = stdout.trim().split("\n").at(-1) ?? "";
  await run("tar", ["-xzf", join(target, archive), "-C", target]);
  const paths = globSync("**/*.{md,mdx}", { cwd: join(target, "package") }).toSorted();
  return Promise.all(
    paths
      .filter((path) => !/(?:^|\/)(?:node_modules\/|(?:license|changelog|code_of_conduct)\.md$)/i.test(path))
      .map(async (path) => {
        const bytes = await readFile(join(target, "package", path));
        return { path, mediaType: mediaTypeOf(path), url: `${site}/${name}/${path}`, bytes, spec, revision };
      }),
  );
}

function emptyFigures(): Figures {
  return { sums: new Map(), dropped: new Map(), defects: new Map() };
}

/** Extracts in the order of the pages, as indexing does, and looks at everything that would be served. */
async function measure(pages: readonly ParseInput[]): Promise<Figures> {
  const figures = emptyFigures();
  const pool = createThreadPool({ maxThreads: 2 });
  const finisher = createFinisher();
  const taken: { readonly page: ParseInput; readonly result: PageResult; readonly lines: Uint8Array }[] = [];
  try {
    for (const page of pages)
      taken.push({ page, result: extractPage(page), lines: take(finisher, await parseOnThread(pool, page)) });
  } finally {
    await pool.close();
  }
  const { language: majority, folds } = finisher.finish();
  const fold = createFolding(folds);
  const served: Passage[] = [];
  const missing: { readonly key: string; readonly reason: string }[] = [];
  for (const { page, result, lines } of taken) {
    const passages = passagesIn(fold(Buffer.from(lines)));
    served.push(...passages.filter(isServed));
    add(figures.sums, "pages");
    missing.push(...countBlocks(page, result, passages, figures));
  }
  const texts = new Set(served.flatMap(codesOf).map(({ code }) => comparable(code)));
  for (const { key, reason } of missing) {
    if (reason === "duplicate" && texts.has(key)) add(figures.sums, "elsewhere");
    else add(figures.dropped, reason);
  }
  for (const passage of served) {
    const defects = defectsOf(passage, majority);
    add(figures.sums, "passages");
    if (defects.length === 0) add(figures.sums, "sound");
    for (const defect of defects) add(figures.defects, defect);
    for (const { language } of codesOf(passage)) {
      add(figures.sums, "languages");
      if ((language || majority) !== "") add(figures.sums, "known");
    }
  }
  return figures;
}

/** Has the finisher take a page; its lines. */
function take(finisher: ReturnType<typeof createFinisher>, parsed: ParsedPage): Uint8Array {
  if (parsed.outcome === "skipped") return new Uint8Array();
  return flagLines(parsed.lines, finisher.take(parsed.summary, parsed.marks));
}

function passagesIn(lines: Uint8Array): Passage[] {
  return new TextDecoder().decode(lines).split("\n").slice(0, -1).map(readPassage);
}

/** Compares an independent parser's blocks with what is served, and finds the reason where one is missing. */
function* countBlocks(
  page: ParseInput,
  result: PageResult,
  passages: readonly Passage[],
  figures: Figures,
): Generator<{ readonly key: string; readonly reason: string }> {
  const served = new Map<string, number>();
  const flagged = new Map<string, string>();
  for (const passage of passages) {
    const { flags } = passage;
    for (const { code } of codesOf(passage)) {
      const key = comparable(code);
      if (flags === undefined) served.set(key, (served.get(key) ?? 0) + 1);
      else flagged.set(key, flags[0] ?? "");
    }
  }
  const prose = passages
    .filter(isServed)
    .flatMap(({ blocks }) => blocks.map((block) => (block.type === "prose" ? comparable(block.markdown) : "")))
    .join("\n");
  for (const { code, lines } of referenceBlocks(page)) {
    add(figures.sums, "blocks");
    const key = comparable(code);
    const left = served.get(key) ?? 0;
    if (left > 0) served.set(key, left - 1);
    if (left > 0 || prose.includes(key)) add(figures.sums, "kept");
    else yield { key, reason: flagged.get(key) ?? reasonFor(result, lines) ?? "LOST" };
  }
}

function reasonFor(result: PageResult, [first, last]: readonly [number, number]): string | undefined {
  if (result.outcome === "skipped") return result.code;
  return result.leftOut.find(({ lines }) => lines[0] <= last && lines[1] >= first)?.reason;
}

function toRow(name: string, { sums, dropped }: Figures): string[] {
  const sum = (of: string): number => sums.get(of) ?? 0;
  const left = [...dropped.values()].reduce((all, count) => all + count, 0);
  return [
    name,
    String(sum("pages")),
    String(sum("blocks")),
    share(sum("kept"), sum("blocks")),
    share(sum("elsewhere"), sum("blocks")),
    share(left, sum("blocks")),
    share(sum("known"), sum("languages")),
    String(sum("passages")),
    share(sum("sound"), sum("passages")),
  ];
}

/** CPU time a page of extraction and of the whole way to lines in this thread; wall time, and equality, with 1 and 4 threads. */
async function printTimes(pages: readonly ParseInput[]): Promise<void> {
  const extraction: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < 6; round++) {
    const start = process.cpuUsage().user;
    const results = pages.map((page) => extractPage(page));
    const middle = process.cpuUsage().user;
    for (const [index, page] of pages.entries()) {
      const result = results[index];
      if (result !== undefined) toLines(page, result, { spec, revision });
    }
    if (round === 0) continue;
    extraction.push((middle - start) / 1000 / pages.length);
    whole.push((process.cpuUsage().user - start) / 1000 / pages.length);
  }
  console.log(
    `\nCPU a page: ${median(extraction).toFixed(3)} ms of extraction, ${median(whole).toFixed(3)} ms to written lines`,
  );
  const hashes: string[] = [];
  for (const threads of [1, 4]) {
    const pool = createThreadPool({ maxThreads: threads });
    try {
      await Promise.all(pages.map((page) => parseOnThread(pool, page)));
      const start = performance.now();
      const parsed = await Promise.all(pages.map((page) => parseOnThread(pool, page)));
      const milliseconds = (performance.now() - start) / pages.length;
      const finisher = createFinisher();
      const hash = createHash("sha256");
      for (const page of parsed) hash.update(take(finisher, page));
      hashes.push(hash.update(finisher.finish().contentHash).digest("hex"));
      console.log(`${threads} thread${threads === 1 ? "" : "s"}: ${milliseconds.toFixed(3)} ms a page`);
    } finally {
      await pool.close();
    }
  }
  console.log(
    hashes[0] === hashes[1] ? "The same bytes with 1 and 4 threads." : "DIFFERENT bytes with 1 and 4 threads.",
  );
}

function add(counts: Counts, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function merge(into: Figures, from: Figures): void {
  for (const part of ["sums", "dropped", "defects"] as const)
    for (const [name, count] of from[part]) add(into[part], name, count);
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((part / whole) * 100).toFixed(2)} %`;
}

function listed(counts: ReadonlyMap<string, number>): string {
  const names = [...counts].toSorted(([, one], [, two]) => two - one).map(([name, count]) => `${name} ${count}`);
  return names.length === 0 ? "none" : names.join(", ");
}
