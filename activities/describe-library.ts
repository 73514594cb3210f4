import { kindOf } from "../domain/kinds/index.ts";
import type { SourceSpec } from "../domain/kinds/index.ts";
import { oneLine } from "../domain/one-line.ts";
import { findingTexts } from "../domain/passage.ts";
import type { Manifest } from "../domain/generation.ts";
import type { Finding } from "../domain/passage.ts";
import type { LibrarySettings } from "../domain/source.ts";
import type { Finished } from "../extract/finish.ts";
import { screenText } from "../extract/screen/index.ts";

/** What a library is called where nothing else is known of it. */
export interface Named {
  readonly spec: SourceSpec;
  readonly title: string;
  readonly description: string;
}

/**
 * Title and description of a library, each the first that does not read like an order to the reader's agent; `notes` say which
 * ones do. The README of its own folder comes before what the file at the root says of all.
 */
export function describeLibrary(
  { spec, title, description }: Named,
  readme: Pick<Finished, "title" | "description" | "hasOwnReadme">,
  said: LibrarySettings = {},
): Pick<Manifest, "title" | "description" | "notes"> {
  const own = readme.hasOwnReadme ? {} : said;
  const notes: string[] = [];
  const first = (what: string, candidates: readonly (string | undefined)[]): string | undefined =>
    candidates.map((text = "") => oneLine(text)).find((text) => text !== "" && isHarmless(what, text, notes));
  const titles = kindOf(spec).keepsTitle ? [own.title] : [own.title, readme.title];
  const chosen = {
    title: first("title", titles) ?? oneLine(title),
    description: first("description", [own.description, readme.description]) ?? oneLine(description),
  };
  return notes.length > 0 ? { ...chosen, notes } : chosen;
}

function isHarmless(what: string, text: string, notes: string[]): boolean {
  const findings = screenText(text);
  if (findings.length > 0) notes.push(`The ${what} "${text.slice(0, 200)}" is not used: it ${explain(findings)}.`);
  return findings.length === 0;
}

/** Findings as the end of a sentence. */
function explain(findings: readonly Finding[]): string {
  return findings.map((finding) => findingTexts[finding]).join(", and ");
}
