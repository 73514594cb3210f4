import { failures } from "../domain/failures.ts";
import type { FailureRecord } from "../domain/failures.ts";
import { maxShownTitle } from "../domain/generation.ts";
import type { PageOutcome } from "../domain/generation.ts";
import { findingTexts } from "../domain/passage.ts";
import type { Finding } from "../domain/passage.ts";
import { screenText } from "./screen/index.ts";

/** Longest sentence about a source, in characters; what is beyond is cut off. */
const maxLength = 4000;

/**
 * A sentence about a source, as anybody may read it. Names, paths and errors that it quotes are the source's: where they read like an
 * order to the reader's agent, the finding is told in its place, and never the text.
 */
export function told(sentence: string): string {
  const findings = findingsIn(sentence);
  if (findings.length > 0) return `What the source says of this is not shown: it ${explain(findings)}.`;
  return sentence.length > maxLength ? `${sentence.slice(0, maxLength)}…` : sentence;
}

/** A failure whose sentence is for anybody to read, as in `told`. */
export function toldFailure({ code, message }: FailureRecord): FailureRecord {
  const findings = findingsIn(message);
  if (findings.length === 0) return { code, message: told(message) };
  return { code, message: `${failures[code].when} What the source says of it is not shown: it ${explain(findings)}.` };
}

/** The first line of an error of the server's own, without the paths of its disk, which are for its log. */
export function withoutPaths(reason: string): string {
  const [line = ""] = reason.slice(0, maxLength).split("\n");
  return line.replace(/(?:file:\/\/|(?<![\w.:/]))\/[^\s'"`]+/g, "…").slice(0, 300);
}

/** What the screen finds in the title of a page, as far as it is shown, and in its path or address; undefined where it finds nothing. */
export function findingsOfPlace({
  path,
  title: said = "",
}: Pick<PageOutcome, "path" | "title">): PageOutcome["findings"] {
  const title = screenText(said.slice(0, maxShownTitle));
  const place = screenText(readable(path));
  if (title.length === 0 && place.length === 0) return undefined;
  return { ...(title.length > 0 && { title }), ...(place.length > 0 && { path: place }) };
}

/** A path or an address as people read it. */
function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** Findings as the end of a sentence. */
export function explain(findings: readonly Finding[]): string {
  return findings.map((finding) => findingTexts[finding]).join(", and ");
}

/** Our own words around a quotation, and its marks, make no order of it less one. */
function findingsIn(sentence: string): readonly Finding[] {
  const text = sentence.slice(0, maxLength);
  return screenText(text.replace(/["'`“”«»]+/g, " "));
}
