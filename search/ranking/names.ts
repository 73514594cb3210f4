import { foldId } from "../../domain/library.ts";
import type { LibraryEntry } from "../../domain/ports.ts";
import { oneSpelling } from "./terms.ts";

const folded = /^[a-z0-9]*$/;

/** The form in which names are compared: letters, digits, + and # only, so that Next.js, next-js and NEXT JS are equal, as .NET and dotnet. */
export function foldName(text: string): string {
  if (folded.test(text)) return text;
  return written(text).replace(/[^\p{L}\p{M}\p{N}+#]/gu, "");
}

/** The folded words of a name. */
export function nameWords(text: string): readonly string[] {
  return written(text).match(nameWord) ?? [];
}

function written(text: string): string {
  return oneSpelling(text).toLowerCase().replace(dotNet, "dotnet");
}

const dotNet = /(?<![\p{L}\p{N}])\.net(?![\p{L}\p{N}])/gu;

const nameWord = /[\p{L}\p{M}\p{N}+#]+/gu;

/** The folded names of a library. */
export interface LibraryNames {
  /** Its title, with and without a final "docs" and the like; the last part of its ID; its claimed names. */
  readonly own: readonly string[];
  /**
   * Names that it shares with others: its claimed names without their scope, its title without a leading owner, and its owner's
   * name if that contains its own, such as `gohugo` for `/gohugoio/hugo`.
   */
  readonly shared: readonly string[];
  /** The first part of its ID; not the scopes of claimed names. */
  readonly owners: readonly string[];
}

const documentation = /(?:documentation|docs|website)$/u;
/** Suffixes that owners add to the name of their product, as in gohugoio. */
const ofOwner = /(?<=.{3})(?:io|hq|js|org|dev|labs?|inc|team|project|community|foundation|framework|lang)$/u;
/** Minimum length of a name that counts as part of an owner's. */
const minOwnName = 3;

export function namesOf({ id, title, aliases }: Pick<LibraryEntry, "id" | "title" | "aliases">): LibraryNames {
  const owner = foldName(id.split("/")[1] ?? "");
  const whole = foldName(title);
  const given = distinct([whole, whole.replace(documentation, ""), foldName(lastOf(id))]);
  const own = distinct([...given, ...aliases.map(({ name }) => foldName(name))]);
  const [first, ...others] = nameWords(title);
  const withoutOwner = first !== undefined && owner === first ? others.join("") : "";
  const isNamesake = given.some((name) => name.length >= minOwnName && owner.includes(name));
  const shared = distinct([
    withoutOwner,
    ...(isNamesake ? [owner, owner.replace(ofOwner, "")] : []),
    ...aliases.map(({ name }) => foldName(partOfClaim(name))),
  ]);
  return { own, shared: shared.filter((name) => !own.includes(name)), owners: distinct([owner]) };
}

/** A claimed name without scope, vendor, group or the address of its owner. */
export function partOfClaim(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf(":")) + 1);
}

/** The text after the last slash. */
export function lastOf(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}

/** The distinct texts, without empty ones. */
export function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}

/** The folded IDs that a text may be, with and without a possible version at its end. */
export function idsOf(text: string): readonly string[] {
  const id = foldId(text.replace(/^[/@]*/, "/"));
  // A version comes after the owner and at least one character of a name.
  const name = id.indexOf("/", 1);
  const ends = [...id.matchAll(/[/@]/g)].map(({ index }) => index).filter((end) => name > 0 && end > name + 1);
  return [id, ...ends.map((end) => id.slice(0, end))].filter((candidate) => candidate.lastIndexOf("/") > 0);
}

/** The name without a final `js`, `dev` or `docs`; undefined: it has none. */
export function shortName(name: string): string | undefined {
  return /^(.{2,}?)(?:js|dev|docs)$/u.exec(name)?.[1];
}

/** The trigrams of a name with marks at both ends, for the search for misspelt names. */
export function trigramsOf(name: string): readonly string[] {
  const padded = Array.from(`_${name}_`);
  return [...new Set(padded.slice(2).map((_, at) => padded.slice(at, at + 3).join("")))];
}

/** Maximum number of typing errors of a name: more for longer ones, and one more if the beginning of a long one is right. */
export function toleratedErrors(name: string, meant: string): number {
  if (name.length < 4) return 0;
  if (name.length < 8) return 1;
  return name.slice(0, sureBeginning) === meant.slice(0, sureBeginning) ? 3 : 2;
}

const sureBeginning = 6;

const letters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789");
/** Maximum length of a name whose typing errors are enumerated. */
const maxTypedLength = 16;

/** All names that become this one by one typing error in Latin letters and digits; none for short and long names. */
export function oneErrorFrom(name: string): readonly string[] {
  const characters = Array.from(name);
  if (toleratedErrors(name, name) === 0 || characters.length > maxTypedLength) return [];
  const names = new Set<string>();
  for (let at = 0; at <= characters.length; at++) {
    const before = characters.slice(0, at).join("");
    const [here = "", next = ""] = characters.slice(at, at + 2);
    const after = characters.slice(at + 1).join("");
    names.add(before + after).add(before + next + here + characters.slice(at + 2).join(""));
    for (const letter of letters) names.add(before + letter + here + after).add(before + letter + after);
  }
  names.delete(name);
  return [...names];
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two texts; Infinity if more than `most`. Takes
 * time in proportion to length times `most`.
 */
export function errorsBetween(a: string, b: string, most: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > most) return Infinity;
  const far = most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [i];
    let least = Math.min(i, far);
    // Further from the diagonal there are more than `most` errors.
    const to = Math.min(b.length, i + most);
    for (let j = Math.max(1, i - most); j <= to; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, (last[j - 1] ?? far) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? far) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return Infinity;
    [beforeLast, last] = [last, row];
  }
  const errors = last[b.length] ?? far;
  return errors > most ? Infinity : errors;
}
