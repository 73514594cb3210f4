import { createHash } from "node:crypto";
import type { Manifest, ManifestPage } from "../domain/generation.ts";

/** What goes into the content hash besides passages. */
export interface BesidesPassages extends Pick<Manifest, "claims" | "licences" | "repository"> {
  readonly settings?: Manifest["settings"] | undefined;
  /** As `failingPages` has them. */
  readonly failing?: readonly string[];
  readonly released?: readonly string[] | undefined;
  readonly held?: string | undefined;
}

/**
 * The content hash of a generation: over its passages, the library's own settings, the names that its package manifests claim, the
 * licences and the repository that they state, failing pages that keep passages, what is held back in quarantine, and what is released
 * from it. A change of any of these alone is a change too.
 */
export function hashContent(
  passages: string,
  { settings, claims = [], licences = [], repository, failing = [], released = [], held }: BesidesPassages,
): string {
  const named = claims.length + licences.length + failing.length + released.length;
  if (settings === undefined && repository === undefined && held === undefined && named === 0) return passages;
  const { title, description, rules, versions } = settings ?? {};
  const offered = versions?.map(({ ref, kind, title: name }) => [ref, kind, name]);
  const said = [
    title,
    description,
    rules,
    offered,
    ...(failing.length > 0 ? [failing.toSorted()] : []),
    ...(released.length > 0 ? [{ released }] : []),
    ...(claims.length > 0 ? [{ claims: claims.map(({ name, manifest }) => [name, manifest]) }] : []),
    ...(licences.length > 0 ? [{ licences }] : []),
    ...(held === undefined ? [] : [{ held }]),
    ...(repository ? [{ repository: [repository.url, repository.isConfirmed] }] : []),
  ];
  return createHash("sha256").update(passages).update(JSON.stringify(said)).digest("hex");
}

/** Failing pages that keep passages, for `hashContent`: otherwise a further failure would be no change, and not be counted. */
export function failingPages(pages: Iterable<Pick<ManifestPage, "path" | "failures">>): readonly string[] {
  return Array.from(pages).flatMap(({ path, failures }) => (failures === undefined ? [] : [`${path} ${failures}`]));
}
