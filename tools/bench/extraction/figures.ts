import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codesOf, isServed, type CodeBlock, type Passage } from "../../../domain/passage.ts";
import type { PageResult } from "../../../extract/page.ts";
import { defectsOf } from "../../../extract/quality.ts";
import { comparable, hasInclude, referenceBlocks, type ReferenceBlock } from "./blocks.ts";
import type { CollectedLibrary, CollectedPage } from "./collect.ts";

/** Counts by name. */
export type Counts = Map<string, number>;

/** Sums over the pages of a library. */
export interface Figures {
  /**
   * `elsewhere`: blocks that are served with the same text from another page or section with the same heading. `included`: those kept
   * blocks whose lines are from other files.
   */
  readonly sums: Counts;
  /** Blocks left out by reason; those without one are `LOST`. */
  readonly dropped: Counts;
  readonly defects: Counts;
  /** Pages left out by reason. */
  readonly pages: Counts;
  /** Where blocks were lost. */
  readonly lost: string[];
}

export function emptyFigures(): Figures {
  return { sums: new Map(), dropped: new Map(), defects: new Map(), pages: new Map(), lost: [] };
}

function add(counts: Counts, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

export function merge(into: Figures, from: Figures): void {
  for (const part of ["sums", "dropped", "defects", "pages"] as const)
    for (const [name, count] of from[part]) add(into[part], name, count);
  into.lost.push(...from.lost);
}

interface Missing {
  readonly key: string;
  readonly reason: string;
  readonly where: string;
}

/** Compares the blocks that an independent parser finds in the pages of a library with the served ones. */
export function figuresOf(library: CollectedLibrary): Figures {
  const figures = emptyFigures();
  const missing: Missing[] = [];
  const served: Passage[] = [];
  for (const { outcome, code = "" } of library.manifest.pages) if (outcome !== "indexed") add(figures.pages, code);
  for (const page of library.pages) {
    served.push(...page.passages.filter(isServed));
    add(figures.sums, "pages");
    missing.push(...missingOf(page, library.folder, figures.sums));
  }
  const texts = new Set(served.flatMap(codesOf).map(({ code }) => comparable(code)));
  for (const { key, reason, where } of missing) {
    if (reason === "duplicate" && texts.has(key)) add(figures.sums, "elsewhere");
    else add(figures.dropped, reason);
    if (reason === "LOST") figures.lost.push(where);
  }
  for (const passage of served) countPassage(passage, library.manifest.language, figures);
  return figures;
}

function countPassage(passage: Passage, majority: string, { sums, defects }: Figures): void {
  const own = defectsOf(passage, majority);
  add(sums, "passages");
  if (own.length === 0) add(sums, "sound");
  for (const defect of own) add(defects, defect);
  for (const { language } of codesOf(passage)) {
    add(sums, "languages");
    if ((language || majority) !== "") add(sums, "known");
  }
}

/** The blocks of a page that are not served in their place, with the reason. */
function* missingOf({ input, result, passages }: CollectedPage, folder: string, sums: Counts): Generator<Missing> {
  const served = new Map<string, number>();
  const flagged = new Map<string, string>();
  for (const { flags, ...passage } of passages) {
    for (const { code } of codesOf(passage)) {
      const key = comparable(code);
      if (flags === undefined) served.set(key, (served.get(key) ?? 0) + 1);
      else flagged.set(key, flags[0] ?? "");
    }
  }
  const proseOf = (all: readonly Passage[]): string =>
    all
      .flatMap(({ blocks }) => blocks.map((block) => (block.type === "prose" ? comparable(block.markdown) : "")))
      .join("\n");
  const prose = proseOf(passages.filter(isServed));
  const others = passages.filter((passage) => !isServed(passage));
  for (const block of referenceBlocks(input)) {
    add(sums, "blocks");
    const key = comparable(block.code);
    const left = served.get(key) ?? 0;
    if (left > 0) served.set(key, left - 1);
    if (left > 0 || prose.includes(key) || isPartOfCode(block, passages)) add(sums, "kept");
    else if (hasInclude(block.code)) yield* missingInclude(block, passages, folder, { path: input.path, result }, sums);
    else
      yield {
        key,
        reason: flagged.get(key) ?? reasonInProse(others, key) ?? reasonFor(result, block.lines) ?? "LOST",
        where: `${input.path}:${block.lines[0]}`,
      };
  }
}

/** Whether indented code is part of a served block with these lines: commonmark.js does not know templates. */
function isPartOfCode({ code, info, lines: [first, last] }: ReferenceBlock, passages: readonly Passage[]): boolean {
  const plain = (text: string): string => comparable(text).replace(/^[ \t]+/gm, "");
  return (
    info === "" &&
    passages.filter(isServed).some(({ blocks }) =>
      blocks.some((block) => {
        if (block.type !== "code" || block.lines === undefined) return false;
        const isWithin = block.lines[0] < first && block.lines[1] > last;
        return isWithin && block.codes.some((one) => plain(one.code).includes(plain(code)));
      }),
    )
  );
}

/** A block with includes is kept if the code that is served from its place equals the named lines of the included files. */
function* missingInclude(
  { code, lines }: ReferenceBlock,
  passages: readonly Passage[],
  folder: string,
  page: { readonly path: string; readonly result: PageResult },
  sums: Counts,
): Generator<Missing> {
  const at = passages.flatMap(({ blocks, flags }) =>
    blocks.flatMap((block) => {
      if (block.type !== "code" || block.lines === undefined) return [];
      return block.lines[0] <= lines[1] && block.lines[1] >= lines[0] ? [{ block, flags }] : [];
    }),
  );
  const codes = at.flatMap(({ block, flags }) => block.codes.map((one) => ({ code: one, flags })));
  const whole = codes.filter((one) => isVerbatim(one.code, folder));
  const where = `${page.path}:${lines[0]}`;
  if (whole.some(({ flags }) => flags === undefined)) {
    add(sums, "kept");
    add(sums, "included");
  } else if (whole.length > 0)
    yield { key: comparable(whole[0]?.code.code ?? ""), reason: whole[0]?.flags?.[0] ?? "", where };
  else yield { key: code, reason: reasonFor(page.result, lines) ?? "LOST", where };
}

/** Whether included code equals the lines named with it, except for indentation. */
function isVerbatim({ code, sources = [] }: CodeBlock, folder: string): boolean {
  if (sources.length === 0) return false;
  const named = sources.flatMap(({ path, lines }) =>
    readFileSync(join(folder, path), "utf8")
      .split(/\r?\n/)
      .slice(lines[0] - 1, lines[1]),
  );
  const bare = (rows: readonly string[]): string =>
    rows
      .map((row) => row.trim())
      .join("\n")
      .trim();
  return bare(named) === bare(code.split(/\r?\n/));
}

/** The reason why prose with some code in it, such as a file tree, is not served. */
function reasonInProse(passages: readonly Passage[], key: string): string | undefined {
  return passages.find(({ blocks }) =>
    blocks.some((block) => block.type === "prose" && comparable(block.markdown).includes(key)),
  )?.flags?.[0];
}

function reasonFor(result: PageResult, [first, last]: readonly [number, number]): string | undefined {
  if (result.outcome === "skipped") return result.code;
  return result.leftOut.find(({ lines }) => lines[0] <= last && lines[1] >= first)?.reason;
}
