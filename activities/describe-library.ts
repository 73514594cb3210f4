import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Manifest } from "../domain/generation.ts";
import type { ClaimedName, SourceSettings } from "../domain/source.ts";
import type { Finished } from "../extract/finish.ts";
import { screenText } from "../extract/screen/index.ts";
import { explain } from "../extract/screened-texts.ts";

/** A library with the title and description to use if its source has none. */
export interface Named {
  readonly spec: SourceSpec;
  readonly title: string;
  readonly description: string;
}

/**
 * Title and description of a library: of several candidates the first without injected instructions; `notes` name the rejected ones. The
 * README of the library's own folder wins over the settings file at the root, which is shared by all folders.
 */
export function describeLibrary(
  { spec, title, description }: Named,
  readme: Pick<Finished, "title" | "description" | "hasOwnReadme"> & { readonly package?: ClaimedName | undefined },
  settings: SourceSettings = {},
): Pick<Manifest, "title" | "description" | "notes"> {
  const own = readme.hasOwnReadme ? {} : settings;
  const notes: string[] = [];
  const first = (what: string, candidates: readonly (string | undefined)[]): string | undefined =>
    candidates.map((text = "") => oneLine(text)).find((text) => text !== "" && isHarmless(what, text, notes));
  const titles =
    kindOf(spec).keepsTitle === true ? [own.title] : [own.title, readme.title, packageTitle(spec, readme.package)];
  const chosen = {
    title: first("title", titles) ?? oneLine(title),
    description: first("description", [own.description, readme.description]) ?? oneLine(description),
  };
  return notes.length > 0 ? { ...chosen, notes } : chosen;
}

/** The name of the library's package, if its manifest is in the library's own folder; without the owner's address that some registries add. */
function packageTitle(spec: SourceSpec, claim: ClaimedName | undefined): string | undefined {
  if (claim === undefined) return undefined;
  const folder = kindOf(spec).ownFolder?.(spec) ?? "";
  const isOwn = claim.manifest.slice(0, Math.max(0, claim.manifest.lastIndexOf("/"))) === folder;
  if (!isOwn) return undefined;
  return claim.name.startsWith("@")
    ? claim.name
    : claim.name.slice(Math.max(claim.name.lastIndexOf("/"), claim.name.lastIndexOf(":")) + 1);
}

function isHarmless(what: string, text: string, notes: string[]): boolean {
  const findings = screenText(text);
  if (findings.length > 0) notes.push(`The ${what} that the source gives is not used: it ${explain(findings)}.`);
  return findings.length === 0;
}
