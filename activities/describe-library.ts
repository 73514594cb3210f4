import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Manifest } from "../domain/generation.ts";
import type { ClaimedName, SourceSettings } from "../domain/source.ts";
import type { Finished } from "../extract/finish.ts";
import { screenText } from "../extract/screen/index.ts";
import { describing, letters } from "../extract/describing.ts";
import { explain } from "../extract/screened-texts.ts";

/** A library with the title and description to use if its source has none. */
export interface Named {
  readonly spec: SourceSpec;
  readonly title: string;
  readonly description: string;
}

/** What a README and the package manifests say of a library. */
type Stated = Pick<Finished, "title" | "description" | "hasOwnReadme"> & {
  readonly claims?: readonly ClaimedName[] | undefined;
};

/**
 * Title and description of a library: of several candidates the first without injected instructions; `notes` name the rejected ones. The
 * README of the library's own folder wins over the settings file at the root, which is shared by all folders. The description comes from
 * the settings, the package manifest, the README or the last generation, without sentences that describe nothing.
 */
export function describeLibrary(
  { spec, title, description }: Named,
  { claims = [], hasOwnReadme, ...readme }: Stated,
  settings: SourceSettings = {},
): Pick<Manifest, "title" | "description" | "notes"> {
  const own = hasOwnReadme ? {} : settings;
  const notes: string[] = [];
  const first = (what: string, candidates: readonly (string | undefined)[]): string | undefined =>
    candidates.map((text = "") => oneLine(text)).find((text) => text !== "" && isHarmless(what, text, notes));
  const folder = kindOf(spec).ownFolder?.(spec) ?? "";
  const inFolder = claims.filter(
    ({ manifest }) => manifest.slice(0, Math.max(0, manifest.lastIndexOf("/"))) === folder,
  );
  const titles =
    kindOf(spec).keepsTitle === true
      ? [own.title]
      : [own.title, readme.title, claims[0] && claims[0] === inFolder[0] ? shortName(claims[0]) : undefined];
  const chosenTitle = first("title", titles) ?? oneLine(title);
  const names = [chosenTitle, title].map(letters);
  const nameOf = (claim: ClaimedName): string => letters(shortName(claim).replace(/^.*\//, ""));
  const ofPackage = [
    ...inFolder.filter((claim) => names.some((name) => areAlike(name, nameOf(claim)))),
    ...claims.filter((claim) => names.includes(nameOf(claim))),
  ];
  const describe = (text = ""): string => describing(oneLine(text));
  const stated = (of: readonly ClaimedName[]): readonly string[] => of.map((claim) => describe(claim.description));
  const descriptions = [
    describe(own.description),
    ...stated(ofPackage),
    readme.description,
    ...stated(inFolder),
    describe(description),
  ].filter((text) => letters(text) !== letters(chosenTitle));
  const chosen = { title: chosenTitle, description: first("description", [...new Set(descriptions)]) ?? "" };
  return notes.length > 0 ? { ...chosen, notes } : chosen;
}

/** The name of a package without the owner's address that some registries add. */
function shortName({ name }: ClaimedName): string {
  return name.startsWith("@") ? name : name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf(":")) + 1);
}

/** Whether one of two names is the other, or a long part of it: `haystack` of `haystack-ai`. */
function areAlike(one: string, other: string): boolean {
  const [short = "", long = ""] = [one, other].toSorted((a, b) => a.length - b.length);
  return short === long || (short.length >= 4 && long.includes(short));
}

function isHarmless(what: string, text: string, notes: string[]): boolean {
  const findings = screenText(text);
  if (findings.length > 0) notes.push(`The ${what} that the source gives is not used: it ${explain(findings)}.`);
  return findings.length === 0;
}
