import { failures, type FailureRecord } from "../domain/failures.ts";
import { maxShownTitle, type PageOutcome } from "../domain/generation.ts";
import { findingTexts, type Finding } from "../domain/passage.ts";
import { readablePath, screenText } from "./screen/index.ts";

/** Maximum length of a sentence about a source, in characters; longer ones are truncated. */
const maxLength = 4000;

/**
 * A sentence about a source, safe to show. It quotes names, paths and errors of the source: if these may be a prompt injection, a
 * sentence with the finding replaces it.
 */
export function screenedSentence(sentence: string): string {
  const findings = findingsIn(sentence);
  if (findings.length > 0) return `What the source says of this is not shown: it ${explain(findings)}.`;
  return sentence.length > maxLength ? `${sentence.slice(0, maxLength)}…` : sentence;
}

/** A failure with its message screened. */
export function screenedFailure({ code, message }: FailureRecord): FailureRecord {
  const findings = findingsIn(message);
  if (findings.length === 0) return { code, message: screenedSentence(message) };
  return { code, message: `${failures[code].when} What the source says of it is not shown: it ${explain(findings)}.` };
}

/** The first line of an internal error without paths on the server, which are only for its log. */
export function withoutPaths(reason: string): string {
  const [line = ""] = reason.slice(0, maxLength).split("\n");
  return line.replace(/(?:file:\/\/|(?<![\w.:/]))\/[^\s'"`]+/g, "…").slice(0, 300);
}

/** Findings in the shown part of a page's title, and in its path or address; undefined without any. */
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

/** True for a text that tries to command its reader's agents. `forAgents`: it is meant to advise agents. */
export function isCommanding(text: string, forAgents = false): boolean {
  return screenText(text, { addressed: forAgents }).length > 0;
}

/** Screens a sentence without its quotation marks: a quoted order in our own sentence must not look harmless. */
function findingsIn(sentence: string): readonly Finding[] {
  const text = sentence.slice(0, maxLength);
  return screenText(text.replace(/["'`“”«»]+/g, " "));
}
