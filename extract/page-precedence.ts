import { parseFrontMatter } from "./markdown/front-matter.ts";

/** The facts that decide a page's precedence. */
export interface PrecedenceFacts {
  /** Its key: the path in a tree, or the address. */
  readonly path: string;
  /** Its text says that it was generated from another file. */
  readonly generated?: boolean;
}

/** Penalties for each reason to prefer another page. */
const generatedPage = 8;
const fragmentPage = 4;
const oldPage = 4;
const testPage = 3;
const draftPage = 3;
const versionedPage = 2;
/** Penalty for each folder above the page: less than a month between dated versions. */
const folderDepth = 0.00001;

const fragments = /^(?:_.+|partials?|fragments?|includes?|shared|common|reusables?|snippets?|boilerplates?)$/i;
const old = /^(?:legacy|old|deprecated|archived?|previous|versioned[-_]docs)$/i;
const tests = /^(?:tests?|__tests__|fixtures?|examples?)$/i;
const version = /^(?:version-)?v?(\d{1,4})(?:\.(?:\d{1,4}|x)){0,3}$/i;
/** `2025-06-18` or `2025-06`. */
const date = /^(20\d\d)-([01]\d)(?:-([0-3]\d))?$/;
const draft = /^(?:drafts?|unreleased)$/i;

/**
 * Ranks pages with the same text; the lowest number wins. Generated pages, fragments of other pages, and pages of old versions, drafts
 * and tests come last, newer versions before older ones.
 */
export function precedenceOf({ path, generated = false }: PrecedenceFacts): number {
  const folders = path.split("/").slice(0, -1);
  const name = path.slice(path.lastIndexOf("/") + 1);
  let precedence = (generated ? generatedPage : 0) + folderDepth * folders.length;
  if (name.startsWith("_") || folders.some((folder) => fragments.test(folder))) precedence += fragmentPage;
  if (folders.some((folder) => old.test(folder))) precedence += oldPage;
  if (folders.some((folder) => tests.test(folder))) precedence += testPage;
  if (folders.some((folder) => draft.test(folder))) precedence += draftPage;
  const age = folders.map(ageOf).find((one) => one !== undefined);
  return age === undefined ? precedence : precedence + versionedPage + age;
}

/** The age of a folder named after a version, from 0 to 1, by its major number or date; undefined for other folders. */
function ageOf(folder: string): number | undefined {
  const [, year, month, day = "1"] = date.exec(folder) ?? [];
  if (year !== undefined) return 1 - (Date.UTC(Number(year), Number(month) - 1, Number(day)) / 86_400_000) * 0.00002;
  const [, major] = version.exec(folder) ?? [];
  return major === undefined ? undefined : 1 / (1 + Number(major));
}

/** Maximum number of characters searched for a note that the page was generated. */
const headLength = 2000;
const generatedNote =
  /\bDO NOT (?:EDIT|MODIFY|CHANGE)\b|\bdo not (?:edit|modify) (?:this file|it|by hand|manually|directly)|\bautomatically generated\b|\bauto-?generated\b|\bgenerated (?:by|from|file)\b|@generated\b/i;

/** True for a page with a hidden note at its top that it was generated from another file. */
export function isGenerated(text: string): boolean {
  const head = text.slice(0, headLength);
  const at = head.search(generatedNote);
  if (at < 0) return false;
  const before = head.slice(0, at);
  const isOpen = (start: string, end: string): boolean => before.lastIndexOf(start) > before.lastIndexOf(end);
  return at < parseFrontMatter(text).end || isOpen("<!--", "-->") || isOpen("{/*", "*/}") || isOpen("[//]: #", "\n");
}
