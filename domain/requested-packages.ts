import { parsePackage, registries, type RegistryName } from "./packages.ts";
import { isSameVersion, matchVersions, parseRange } from "./version-match.ts";
import { nearestNames, parseVersion } from "./versions.ts";

/** A package named in a question or a search. */
export interface RequestedPackage {
  /** Its possible registries, likeliest first; at least one. */
  readonly registries: readonly RegistryName[];
  /** The normalised name in one of these registries. */
  readonly nameIn: (registry: RegistryName) => string;
  /** A version, a tag or a range; null: none. */
  readonly version: string | null;
  /** It can only be a package: it has a version, a scope or a registry, or is a Go module. */
  readonly isSure: boolean;
}

/** Maximum length of a parsed text, in characters. */
const maxLength = 300;

/** Maximum number of words searched for a version. */
const maxWords = 60;

/** The registries of a name without one, in order. */
const general: readonly RegistryName[] = ["npm", "pypi", "crates"];

/** A requirement of pip: https://packaging.python.org/en/latest/specifications/dependency-specifiers/ */
const requirement = /^([a-z\d][\w.-]{0,100})(?:\[[^\]]{0,100}\])?\s{0,3}((?:===?|~=|!=|[<>]=?)[^;]{1,100})$/i;

/** `name@version`, with or without a scope. */
const withVersion = /^(@[^@/\s]{1,100}\/[^@/\s]{1,100}|[^@/\s]{1,100})@([^@]{1,100})$/;

/** A Go module, which begins with a host. */
const goModule = /^([\w-]{1,60}(?:\.[\w-]{1,60}){1,5}(?:\/[\w.~-]{1,100}){1,8})(?:@(v[^@]{1,100}|latest))?$/;

/**
 * Parses a package with its version: `zod@3.25.0`, `@scope/name@^1`, `requests==2.32.3`, `serde@1.0`, `github.com/owner/name@v1.2.0`,
 * optionally with its registry (`crates:serde@1.0`, `pkg:pypi/requests@2.32.3`, `/npm/zod@3`); or a name alone. Null for
 * anything else.
 */
export function parseRequestedPackage(text: string): RequestedPackage | null {
  const plain = text.trim();
  if (plain.length > maxLength) return null;
  const named = parsePackage(decoded(plain.replace(/^\/(?=(?:npm|pypi|crates)\/)/i, "")));
  if (named && !(named.registry === "pypi" && requirement.test(named.name)))
    return toPackage([named.registry], named.name, named.version, true);
  const [, required, conditions = ""] = requirement.exec(named?.name ?? plain) ?? [];
  if (required !== undefined) {
    const range = conditions.replace(/\s/g, "");
    return toPackage(["pypi"], required, range.replace(/^===?(?=[^,]+$)/, ""), true);
  }
  const [, path, tag = null] = goModule.exec(plain) ?? [];
  if (path !== undefined) return toPackage(["go"], path, tag, true);
  const [, name = plain, version = null] = withVersion.exec(plain) ?? [];
  const isScoped = name.startsWith("@");
  return toPackage(isScoped ? ["npm"] : general, name, version?.trim() ?? null, isScoped || version !== null);
}

/** The version of a package in a question, as in `validate with zod@3.25.0`; null: none. */
export function requestedVersion({ registries: names, nameIn }: RequestedPackage, question: string): string | null {
  for (const word of question.split(/\s+/, maxWords)) {
    if (!/[@=<>]/.test(word)) continue;
    const other = parseRequestedPackage(word.replace(/^["'`(]{1,3}|["'`)?.,;:!]{1,3}$/g, ""));
    if (other === null || other.version === null) continue;
    if (other.registries.some((one) => names.includes(one) && other.nameIn(one) === nameIn(one))) return other.version;
  }
  return null;
}

/** The version that answers for a requested one. */
export interface AnsweringVersion {
  readonly version: string;
  /** It is the requested version, or in the requested range; else it is the nearest one. */
  readonly isAsked: boolean;
}

/** The version that answers for the requested one; undefined: none does. */
export function answeringVersion(
  asked: string,
  versions: readonly string[],
  libraryId: string,
): AnsweringVersion | undefined {
  const same = versions.find((version) => isSameVersion(asked, version));
  if (same !== undefined) return { version: same, isAsked: true };
  const tags = versions.map((name) => ({ name, kind: "tag" }) as const);
  const match = matchVersions(asked, tags, libraryId).find((name) => name !== "");
  if (match !== undefined) return { version: match, isAsked: true };
  const [nearest] = isVersion(asked) ? nearestNames(asked, versions, 1, libraryId) : [];
  return nearest === undefined ? undefined : { version: nearest, isAsked: false };
}

/** Whether a text is a version or a range, which has nearest versions. */
export function isVersion(text: string): boolean {
  return parseVersion(text) !== null || parseRange(text) !== null;
}

/** The requested package; null if its name is invalid in all of the registries. */
function toPackage(
  among: readonly RegistryName[],
  name: string,
  version: string | null,
  isSure: boolean,
): RequestedPackage | null {
  const nameIn = (registry: RegistryName): string => registries[registry].normal(name);
  const possible = among.filter((registry) => registries[registry].rule.test(nameIn(registry)));
  if (possible.length === 0 || (version !== null && !/^[\w.+~^<>=*|,! -]{1,100}$/.test(version))) return null;
  return { registries: possible, nameIn, version, isSure };
}

/** Decodes the percent-encoded characters of names in a package URL. */
function decoded(text: string): string {
  return /^pkg:/i.test(text) ? text.replace(/%40/g, "@").replace(/%2f/gi, "/") : text;
}
