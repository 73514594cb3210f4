import type { BlobStore, Screen } from "../domain/ports.ts";
import { readPassage, codesOf, type Finding, type FoundPassage, type Passage } from "../domain/passage.ts";
import { releaseKeyOf, toPageLines, toLine, type PageLines } from "../extract/passage-lines.ts";
import { screenText } from "../extract/screen/index.ts";
import { manifestOf, readPartLines } from "./parts.ts";

/** Timeout of judging one text, in milliseconds. */
const judgeTimeout = 10_000;

/**
 * The passages of a generation with findings, in order. Only parts with findings are read.
 * @throws Failure generation_damaged, format_unknown
 */
export async function readFindings(blobs: BlobStore, generation: string): Promise<readonly FoundPassage[]> {
  const { parts } = await manifestOf(blobs, generation);
  const passages: FoundPassage[] = [];
  for (const part of parts) {
    if (part.findings === undefined) continue;
    for (const line of await readPartLines(blobs, part)) {
      // Most lines have no findings, and need not be parsed.
      if (!line.includes('"findings":[')) continue;
      const passage = readPassage(line);
      if (passage.findings !== undefined) passages.push({ passage, releaseKey: releaseKeyOf(passage) });
    }
  }
  return passages;
}

/**
 * Adds the classifier's findings to the passages of a page, which have no flags yet; undefined if it is unreachable and fails open.
 * @throws Failure service_unavailable if it is unreachable and fails closed
 */
export async function judgeLines(
  screen: Screen,
  { lines, fingerprints }: PageLines,
  signal: AbortSignal,
): Promise<PageLines | undefined> {
  if (lines.length === 0) return { lines, fingerprints };
  const passages = new TextDecoder().decode(lines).split("\n").slice(0, -1).map(readPassage);
  const verdicts = await screen.judge(
    passages.map((passage) => ({ id: passage.id, text: readableText(passage) })),
    signal,
  );
  if (verdicts === undefined) return undefined;
  if (verdicts.size === 0) return { lines, fingerprints };
  return toPageLines(
    passages.map((passage) => {
      const more = verdicts.get(passage.id);
      return toLine(more ? { ...passage, findings: [...new Set([...(passage.findings ?? []), ...more])] } : passage);
    }),
  );
}

/** Findings of the built-in screen and the classifier in a text. @throws Failure service_unavailable as `Screen` does */
export async function findingsOf(screen: Screen | undefined, text: string): Promise<readonly Finding[]> {
  const found = screenText(text);
  if (found.length > 0 || screen === undefined) return found;
  const verdicts = await screen.judge([{ id: "0", text }], AbortSignal.timeout(judgeTimeout));
  return verdicts?.get("0") ?? [];
}

/** The note about pages that the classifier has not judged. */
export function unjudgedNotes(pages: number): readonly string[] {
  if (pages === 0) return [];
  return [
    `The classifier was unreachable for ${pages} ${pages === 1 ? "page" : "pages"}; the next refresh asks it again.`,
  ];
}

/** Everything in a passage that an agent may read, with an empty line between two parts. */
function readableText(passage: Passage): string {
  const { title, breadcrumb, blocks, page, source } = passage;
  const names = codesOf(passage).flatMap(({ file = "", label = "", marks = [] }) => [file, label, ...marks]);
  const texts = blocks.flatMap((block) =>
    block.type === "prose"
      ? [block.markdown]
      : [block.title, block.description, ...block.codes.map(({ code }) => code)],
  );
  const parts = [source.path ?? page.url, page.title, ...breadcrumb, title, ...names, ...texts];
  return [...new Set(parts)].filter((part) => part.trim() !== "").join("\n\n");
}
