import type { DeclaredFields, DeclaredLibrary, Declaration, LibraryRecord } from "./ports.ts";
import type { SourceRef } from "./source.ts";

/** A library as an entry of a manifest declares it. */
export interface Entry {
  /** Line of the manifest, from 1. */
  readonly line: number;
  readonly id: string;
  /** Owner; "" for a public library. */
  readonly teamspace: string;
  /** Address, path or name of its source. */
  readonly location: string;
  /** All options of its source, the credential, and the settings that the entry names. */
  readonly fields: DeclaredFields;
  /** Further branches and tags, besides the default version. */
  readonly versions: readonly string[];
}

/** The library that has the ID of an entry. */
export interface Present {
  readonly library: LibraryRecord;
  readonly location: string;
  /** All its fields. */
  readonly fields: DeclaredFields;
  readonly versions: readonly string[];
  readonly declaration: Declaration | undefined;
}

/** A field with the values of the manifest and of the library. */
export interface Difference {
  readonly field: string;
  readonly declared: unknown;
  readonly present: unknown;
}

/** What applying a manifest does with a library. */
export interface Step<Declared extends Entry = Entry> {
  readonly id: string;
  readonly teamspace: string;
  /**
   * `keep`: nothing. `forget`: the manifest declares it no longer, and did not add it. `unlisted`: the same as `remove`, which was not
   * requested.
   */
  readonly action: "add" | "change" | "keep" | "remove" | "forget" | "unlisted";
  /** The ID belongs to a library of another source. */
  readonly isOther?: true;
  /** Another manifest that declares the library. */
  readonly declaredBy?: string;
  /** Absent with `remove`, `forget` and `unlisted`. */
  readonly entry?: Declared;
  /** Absent with `add`. */
  readonly library?: LibraryRecord;
  /** The fields to change. */
  readonly changes: readonly Difference[];
  /** Versions to add. */
  readonly versions: readonly string[];
  /** Fields that a person changed since the manifest was applied: they stay. */
  readonly drift: readonly Difference[];
  /** What is declared when the step is done. */
  readonly declaration?: Declaration;
}

/** A manifest to apply. */
export interface Applying<Declared extends Entry> {
  readonly name: string;
  /** The teamspace that applies it. */
  readonly teamspace: string;
  readonly entries: readonly Declared[];
  /** Whether libraries that it made and does not declare any more are removed. */
  readonly prune: boolean;
  /** Whether fields that a person changed get the values of the manifest. */
  readonly overwrite: boolean;
}

/**
 * The steps that make the libraries as a manifest declares them: entries in their order, then libraries that it declares no longer.
 * `find` gets the library of an entry; `declared` are those that the manifest has declared before.
 */
export async function planManifest<Declared extends Entry>(
  manifest: Applying<Declared>,
  find: (entry: Declared) => Promise<Present | undefined>,
  declared: readonly DeclaredLibrary[],
): Promise<readonly Step<Declared>[]> {
  const steps: Step<Declared>[] = [];
  const listed = new Set<string>();
  for (const entry of manifest.entries) {
    const present = await find(entry);
    if (present) listed.add(present.library.uid);
    steps.push(present ? stepOf(manifest, entry, present) : addition(manifest, entry));
  }
  for (const { library, declaration } of declared.filter(({ library: { uid } }) => !listed.has(uid))) {
    const action = !declaration.made ? "forget" : manifest.prune ? "remove" : "unlisted";
    const { id, teamspace } = library;
    steps.push({ id, teamspace, action, library, changes: [], versions: [], drift: [] });
  }
  return steps;
}

function addition<Declared extends Entry>({ name, teamspace }: Applying<Declared>, entry: Declared): Step<Declared> {
  const { id, location, fields, versions } = entry;
  const declaration = { manifest: name, teamspace, made: true, location, fields, waiting: versions };
  return { id, teamspace: entry.teamspace, action: "add", entry, changes: [], versions, drift: [], declaration };
}

function stepOf<Declared extends Entry>(
  { name, teamspace, overwrite }: Applying<Declared>,
  entry: Declared,
  present: Present,
): Step<Declared> {
  const { library, fields, declaration: before } = present;
  const isOwn = before?.manifest === name && before.teamspace === teamspace;
  const last = isOwn ? before.fields : {};
  const changes: Difference[] = [];
  const drift: Difference[] = [];
  for (const field of new Set([...Object.keys(entry.fields), ...Object.keys(last)])) {
    const named = Object.hasOwn(entry.fields, field);
    const difference = { field, declared: entry.fields[field] ?? null, present: fields[field] ?? null };
    if (isSame(difference.declared, difference.present)) continue;
    const isAsApplied = Object.hasOwn(last, field) && isSame(last[field], difference.present);
    const isUnchanged = Object.hasOwn(last, field) && isSame(last[field], entry.fields[field]);
    // A field that is not named any more is reset only if nobody changed it meanwhile.
    if (!named && !isAsApplied) continue;
    if (named && isUnchanged && !overwrite) drift.push(difference);
    else changes.push(difference);
  }
  const missing = entry.versions.filter((version) => !present.versions.includes(version));
  const versions = missing.filter((version) => !(before?.waiting ?? []).includes(version));
  const { id, teamspace: owner } = library;
  const made = before?.made ?? false;
  const { location, fields: declared } = entry;
  const declaration = { manifest: name, teamspace, made, location, fields: declared, waiting: missing };
  const isNew = before === undefined || !isSame(before, declaration);
  const action = changes.length > 0 || versions.length > 0 || isNew ? "change" : "keep";
  // The host may have renamed the source since it was declared.
  const isOther = location !== present.location && location !== before?.location;
  return {
    id,
    teamspace: owner,
    action,
    entry,
    library,
    changes,
    versions,
    drift,
    declaration,
    ...(isOther && { isOther }),
    ...(before && !isOwn && !overwrite && { declaredBy: before.manifest }),
  };
}

/** Whether two values are the same, an absent or empty one as null. */
export function isSame(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other);
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(plain).join()}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return `{${members
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${plain(member)}`)
    .join()}}`;
}

/** Share of the libraries of a manifest that are removed at most without a confirmation. */
const maxRemoved = 0.1;

/** Whether the steps remove more libraries than a manifest may remove without confirmation. */
export function needsConfirmation(steps: readonly Step[], declared: readonly DeclaredLibrary[]): boolean {
  const removed = steps.filter(({ action }) => action === "remove").length;
  return removed > maxRemoved * declared.filter(({ declaration }) => declaration.made).length;
}

/** The refs of a library that its declaration waits for, and those that the source does not have. */
export function waitingRefs(
  { waiting }: Declaration,
  refs: readonly SourceRef[],
): { readonly known: readonly SourceRef[]; readonly unknown: readonly string[] } {
  const byName = new Map(refs.map((ref) => [ref.name, ref]));
  return {
    known: waiting.flatMap((name) => byName.get(name) ?? []),
    unknown: waiting.filter((name) => !byName.has(name)),
  };
}
