import { failures } from "../domain/failures.ts";
import type { FailureRecord } from "../domain/failures.ts";
import { maxShownTitle } from "../domain/generation.ts";
import type { PageOutcome } from "../domain/generation.ts";
import { findingTexts } from "../domain/passage.ts";
import type { Finding } from "../domain/passage.ts";
import { readablePath, screenText } from "./screen/index.ts";

/** Maximum length of a sentence about a source, in characters; the rest is cut off. */
const maxLength = 4000;

/**
 * A sentence about a source, safe to show to anybody. Names, paths and errors in it are quoted from the source: where they read like an
 * order to the reader's agent, the sentence is replaced by one that names the finding.
 */
export function screenedSentence(sentence: string): string {
  const findings = findingsIn(sentence);
  if (findings.length > 0) return `What the source says of this is not shown: it ${explain(findings)}.`;
  return sentence.length > maxLength ? `${sentence.slice(0, maxLength)}…` : sentence;
}

/** A failure whose message is screened as a sentence is. */
export function screenedFailure({ code, message }: FailureRecord): FailureRecord {
  const findings = findingsIn(message);
  if (findings.length === 0) return { code, message: screenedSentence(message) };
  return { code, message: `${failures[code].when} What the source says of it is not shown: it ${explain(findings)}.` };
}

/** The first line of an internal error without paths of the server's disk, which belong in its log only. */
export function withoutPaths(reason: string): string {
  const [line = ""] = reason.slice(0, maxLength).split("\n");
  return line.replace(/(?:file:\/\/|(?<![\w.:/]))\/[^\s'"`]+/g, "…").slice(0, 300);
}

/** What the screen finds in a page's title, as far as it is shown, and in its path or address; undefined without findings. */
export function findingsOfPlace({
  path,
  title: written = "",
}: Pick<PageOutcome, "path" | "title">): PageOutcome["findings"] {
  const title = screenText(written.slice(0, maxShownTitle));
  const place = screenText(readablePath(path));
  if (title.length === 0 && place.length === 0) return undefined;
  return { ...(title.length > 0 && { title }), ...(place.length > 0 && { path: place }) };
}

/** Findings as the end of a sentence. */
export function explain(findings: readonly Finding[]): string {
  return findings.map((finding) => findingTexts[finding]).join(", and ");
}

/** True for a text that tries to command the agents that read it. `forAgents`: it is advice to them by its nature. */
export function isCommanding(text: string, forAgents = false): boolean {
  return screenText(text, { addressed: forAgents }).length > 0;
}

/** Quotation marks are dropped: our own words around a quotation must not make an order in it look harmless. */
function findingsIn(sentence: string): readonly Finding[] {
  const text = sentence.slice(0, maxLength);
  return screenText(text.replace(/["'`“”«»]+/g, " "));
}
