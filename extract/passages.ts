import type { CodeContent, Lines, ParagraphBlock, ProseBlock } from "./blocks.ts";
import { isLabel, toExamples } from "./examples.ts";
import type { ExtractedBlock, ExtractedExample, ExtractedPassage } from "./page.ts";
import type { Outline, Section } from "./sections.ts";
import type { PassageBlock } from "../domain/passage.ts";
import { cutAtWord } from "./sentences.ts";
import { splitProse } from "./split-prose.ts";
import { estimateTokens } from "../domain/tokens.ts";

/**
 * Sizes of passages, in estimated tokens: sections below `smallTokens` are joined with their neighbours, sections above `largeTokens` are
 * cut into parts of about `targetTokens`, and prose without code below `minTokens` is left out.
 */
const smallTokens = 120;
const targetTokens = 400;
const largeTokens = 600;
const minTokens = 8;
/** Longer prose is cut, in estimated tokens; code never is. */
const maxProseTokens = 600;
/** Maximum length of a title made of several headings, in characters. */
const maxTitleLength = 120;
/** Maximum number of headings in a title made of several. */
const maxNamed = 2;
/** Cost of a fence, in estimated tokens. */
const fenceTokens = 4;

/** Blocks that are never separated: code with its lead-in. */
interface Unit {
  readonly breadcrumb: readonly string[];
  readonly fragments: readonly (string | undefined)[];
  readonly blocks: readonly ExtractedBlock[];
  readonly lines: Lines;
  readonly tokens: number;
}

/** Consecutive units. */
interface Run {
  readonly units: Unit[];
  tokens: number;
}

/**
 * Divides a page into passages: one for each section, cut if long, joined with neighbours if short. Code is never cut, nor separated
 * from its lead-in. `language` decides a block's language.
 */
export function toPassages(
  { sections, footnotes }: Outline,
  language: (code: CodeContent) => string,
): readonly ExtractedPassage[] {
  return joinSections(sections, language)
    .flatMap(cut)
    .filter(({ units, tokens }) => tokens >= minTokens || units.some(hasCode))
    .map(({ units }) => toPassage(units, footnotes));
}

function hasCode({ blocks }: Unit): boolean {
  return blocks.some(({ type }) => type === "code");
}

/** The estimated tokens of code as it is served. */
function tokensOfExample({ codes }: Pick<ExtractedExample, "codes">): number {
  return codes.reduce((sum, { code, file = "", marks = [] }) => {
    const annotations = [file, ...marks].filter((text) => text !== "").join(" ");
    return sum + estimateTokens(code) + (annotations === "" ? 0 : estimateTokens(annotations)) + fenceTokens;
  }, 0);
}

/** The estimated tokens of a passage as it is served. */
export function tokensOf(blocks: readonly (ExtractedBlock | PassageBlock)[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.type === "prose" ? estimateTokens(block.markdown) + 1 : tokensOfExample(block)),
    0,
  );
}

function joinSections(sections: readonly Section[], language: (code: CodeContent) => string): Run[] {
  const runs: Run[] = [];
  let run: Run = { units: [], tokens: 0 };
  for (const section of sections) {
    const units = [...unitsOf(section, language)];
    if (units.length === 0) continue;
    const last = runs.at(-1);
    if (run.units.length > 0 && last !== undefined && last.tokens + run.tokens <= largeTokens) {
      // A small run joins the one before it if that has more headings in common.
      if (shared(last, run) > shared(run, { units })) {
        add(last, run.units);
        run = { units: [], tokens: 0 };
      }
    }
    add(run, units);
    if (run.tokens < smallTokens) continue;
    runs.push(run);
    run = { units: [], tokens: 0 };
  }
  const last = runs.at(-1);
  if (run.units.length === 0) return runs;
  // Too little for a passage of its own is cut off with more of what is before it.
  const fits = last !== undefined && (run.tokens < minTokens || last.tokens + run.tokens <= largeTokens);
  if (fits && shared(last, run) > 0) add(last, run.units);
  else runs.push(run);
  return runs;
}

function add(run: Run, units: readonly Unit[]): void {
  for (const unit of units) {
    run.units.push(unit);
    run.tokens += unit.tokens;
  }
}

/** The number of headings that two neighbours have in common. */
function shared(one: Pick<Run, "units">, two: Pick<Run, "units">): number {
  return common(one.units.at(-1)?.breadcrumb ?? [], two.units[0]?.breadcrumb ?? []);
}

function common(one: readonly string[], two: readonly string[]): number {
  const differs = one.findIndex((heading, index) => two[index] !== heading);
  return differs < 0 ? one.length : differs;
}

/** Cuts a long run between units into parts of about the same size. */
function cut(run: Run): Run[] {
  if (run.tokens <= largeTokens) return [run];
  const target = run.tokens / Math.ceil(run.tokens / targetTokens);
  const parts: Run[] = [];
  let part: Run = { units: [], tokens: 0 };
  for (const unit of run.units) {
    const full = part.tokens + unit.tokens > largeTokens || part.tokens + unit.tokens / 2 > target;
    if (full && part.tokens >= minTokens) {
      parts.push(part);
      part = { units: [], tokens: 0 };
    }
    add(part, [unit]);
  }
  const last = parts.at(-1);
  const isSmall = last !== undefined && part.tokens < smallTokens && last.tokens + part.tokens <= largeTokens;
  if (last !== undefined && (isSmall || part.tokens < minTokens)) add(last, part.units);
  else parts.push(part);
  return parts;
}

/** A block of a section as it is served. */
interface Piece {
  readonly block: ExtractedBlock;
  readonly lines: Lines;
  readonly tokens: number;
  /** It introduces the next piece. */
  readonly leads: boolean;
}

function* unitsOf(section: Section, language: (code: CodeContent) => string): Generator<Unit> {
  const { heading, breadcrumb, fragments } = section;
  const pieces = [...piecesOf(section, language)];
  // The heading is written into the passage if the section is joined with others.
  let tokens = heading === null ? 0 : estimateTokens(heading.text) + 2;
  let open: Piece[] = [];
  for (const [at, piece] of pieces.entries()) {
    open.push(piece);
    const next = pieces[at + 1];
    tokens += piece.tokens;
    if (next !== undefined && piece.block.type === "prose") {
      // A long series of lead-ins is cut like other prose.
      if (next.block.type === "code" || (piece.leads && tokens < maxProseTokens)) continue;
    }
    yield {
      breadcrumb,
      fragments,
      blocks: open.map(({ block }) => block),
      lines: [Math.min(...open.map(({ lines }) => lines[0])), Math.max(...open.map(({ lines }) => lines[1]))],
      tokens,
    };
    tokens = 0;
    open = [];
  }
}

function* piecesOf(section: Section, language: (code: CodeContent) => string): Generator<Piece> {
  const { examples, within } = toExamples(section, language);
  for (const block of section.blocks) {
    const example = examples.get(block);
    if (example !== undefined)
      yield { block: example, lines: example.lines, tokens: tokensOfExample(example), leads: false };
    else if (block.type !== "code" && block.markdown !== "" && !within.has(block)) yield* prosePieces(block);
  }
}

function* prosePieces(block: ParagraphBlock | ProseBlock): Generator<Piece> {
  const parts =
    estimateTokens(block.markdown) <= maxProseTokens ? [block.markdown] : splitProse(block.markdown, maxProseTokens);
  for (const [at, markdown] of parts.entries()) {
    // One more for the blank line after it.
    const tokens = estimateTokens(markdown) + 1;
    const leads = at === parts.length - 1 && (isLead(markdown) || (block.type === "paragraph" && isLabel(block)));
    yield { block: { type: "prose", markdown }, lines: block.lines, tokens, leads };
  }
}

/** True for prose that ends in a colon, whatever its markup. */
function isLead(markdown: string): boolean {
  return /[:：][*_)\]]{0,3}$/.test(markdown.slice(-5));
}

function toPassage(units: readonly Unit[], footnotes: Outline["footnotes"]): ExtractedPassage {
  const [first] = units;
  const depth = units.reduce(
    (least, { breadcrumb }) => Math.min(least, common(first?.breadcrumb ?? [], breadcrumb)),
    first?.breadcrumb.length ?? 0,
  );
  const breadcrumb = first?.breadcrumb.slice(0, depth) ?? [];
  const fragment = fragmentOf(first?.fragments ?? [], depth);
  const blocks: ExtractedBlock[] = [];
  const names: string[] = [];
  let above: readonly string[] = breadcrumb;
  for (const unit of units) {
    if (unit.breadcrumb !== above) {
      // After a part, such as a step, the heading of the section is repeated to show that the part has ended.
      const goesBack =
        unit.breadcrumb.length < above.length && common(unit.breadcrumb, above) === unit.breadcrumb.length;
      const same = common(unit.breadcrumb, above) - (goesBack ? 1 : 0);
      for (const [index, heading] of unit.breadcrumb.entries()) {
        if (index < (goesBack ? same : Math.max(same, depth))) continue;
        addProse(blocks, `${"#".repeat(Math.max(4, Math.min(index - depth + 4, 6)))} ${heading}`);
        if (index === depth && !goesBack) names.push(heading);
      }
      above = unit.breadcrumb;
    }
    for (const block of unit.blocks) {
      if (block.type === "prose") addProse(blocks, block.markdown);
      else blocks.push(block);
    }
  }
  addFootnotes(blocks, footnotes);
  return {
    title: titleOf(breadcrumb.at(-1) ?? "", names),
    breadcrumb,
    blocks,
    ...(fragment !== undefined && { fragment }),
    lines: [Math.min(...units.map(({ lines }) => lines[0])), Math.max(...units.map(({ lines }) => lines[1]))],
  };
}

/**
 * The fragment of a passage: that of the first heading within it, else of the nearest heading above it. `places` are the fragments of its
 * first unit's headings, of which the first `depth` are above the whole passage.
 */
function fragmentOf(places: readonly (string | undefined)[], depth: number): string | undefined {
  if (places.at(-1) === undefined || (depth > 1 && places[depth - 1] === undefined)) return undefined;
  const isFragment = (one: string | undefined): boolean => one !== "" && one !== undefined;
  return places.slice(depth).find(isFragment) ?? places.slice(0, depth).findLast(isFragment) ?? "";
}

/** Adds prose, joined with prose before it, so that blocks of prose and code alternate. */
function addProse(blocks: ExtractedBlock[], markdown: string): void {
  const last = blocks.at(-1);
  if (last?.type === "prose")
    blocks[blocks.length - 1] = { type: "prose", markdown: `${last.markdown}\n\n${markdown}` };
  else blocks.push({ type: "prose", markdown });
}

/** Adds the footnotes that the prose refers to. */
function addFootnotes(blocks: ExtractedBlock[], footnotes: Outline["footnotes"]): void {
  if (footnotes.size === 0) return;
  const named = new Set(blocks.flatMap((block) => (block.type === "prose" ? footnotesIn(block.markdown) : [])));
  const notes = [...named].flatMap((name) => (footnotes.has(name) ? [`[^${name}]: ${footnotes.get(name) ?? ""}`] : []));
  if (notes.length > 0) addProse(blocks, notes.slice(0, 20).join("\n\n"));
}

/** The heading above the whole passage, followed by the headings within it if they are few. */
function titleOf(heading: string, names: readonly string[]): string {
  const title = [heading, names.join(", ")].filter((part) => part !== "").join(": ");
  if (heading !== "" && (names.length > maxNamed || title.length > maxTitleLength)) return heading;
  return cutAtWord(title, maxTitleLength);
}

const mark = /\[\^([^\]\s[]{1,100})\]/g;

/** Labels of the footnotes that a text refers to, without duplicates. */
function footnotesIn(markdown: string): readonly string[] {
  if (!markdown.includes("[^")) return [];
  return [...new Set([...markdown.matchAll(mark)].map(([, name = ""]) => name))];
}
