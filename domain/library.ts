import { Failure } from "./failures.ts";
import type { SourceSpec } from "./source.ts";

/** The longest library ID taken, version included, in characters. */
const maxLibraryIdLength = 500;

/** First segments that belong to sources other than repositories. */
const reservedOwners: readonly string[] = [
  "websites",
  "llmstxt",
  "packages",
  "npm",
  "docs",
  "openapi",
  "confluence",
  "notion",
];

/** A library ID as written by a caller, taken apart. `version` is "" for the default one. */
export interface ParsedLibraryId {
  /** As written, NFC-normalised, with its leading slash. */
  readonly id: string;
  readonly version: string;
}

/** Which library of which owner: the ID folded for comparing, and the teamspace, "" for a public library. */
export interface LibraryKey {
  readonly teamspace: string;
  readonly id: string;
}

const shapes =
  "Use /owner/name, or /source/name as in /websites/example_com, with an optional /version or @version behind it.";

/**
 * Takes a library ID apart. The ID is two segments (three after `/npm/@scope`); the next `/` or `@` begins the version,
 * which may itself hold slashes, dots and `@`.
 * @throws Failure invalid_library_id
 */
export function parseLibraryId(text: string): ParsedLibraryId {
  const normal = text.trim().normalize("NFC");
  if (normal.length > maxLibraryIdLength) throw invalid(`A library ID has at most ${maxLibraryIdLength} characters.`);
  const path = (normal.startsWith("/") ? normal : `/${normal}`).replace(/^\/packages\//i, "/npm/");
  const match = /^(\/npm\/@[^/@]+\/[^/@]+|\/[^/@]+\/[^/@]+)(?:[/@](.*))?$/isu.exec(path);
  const [, id = "", version = ""] = match ?? [];
  // A version may be a range, such as `>=3 <5 || ^6`.
  if (!match || unsafe(id) || unsafe(version.replace(/[ <>^|]/g, "")))
    throw invalid(`"${shorten(normal)}" is not a library ID.`);
  return { id, version: version.replace(/\/+$/, "") };
}

/** The form that two IDs are compared by: case-folded. Versions keep their case. */
export function foldId(id: string): string {
  return id.normalize("NFC").toLowerCase();
}

/** The ID with its version, as shown to people. */
export function showLibrary(id: string, version: string): string {
  return version === "" ? id : `${id}@${version}`;
}

/**
 * The ID that a repository gets from its URL alone: owner and name, nested groups joined with `-`, the host as owner
 * where the path has one segment.
 * @throws Failure validation_error when the URL names no repository or its owner is a reserved name
 */
export function deriveRepositoryId(url: URL): string {
  const segments = url.pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => slugSegment(decodeSegment(segment)));
  // Bitbucket keeps a wiki in a repository below its repository: it is named as on other hosts.
  if (segments.at(-1) === "wiki" && segments.at(-2)?.endsWith(".git") === true)
    segments.splice(-2, 2, `${segments.at(-2)?.slice(0, -".git".length) ?? ""}.wiki`);
  const last = segments.pop()?.replace(/\.git$/i, "");
  if (last === undefined || last === "") {
    throw new Failure(
      "validation_error",
      "docsRepoUrl names no repository. Give its address, such as https://git.example.com/owner/name.",
    );
  }
  const owner = segments.length === 0 ? url.hostname.replace(/[[\]]/g, "").replaceAll(":", "-") : segments.join("-");
  if (reservedOwners.includes(owner.toLowerCase())) {
    throw new Failure(
      "validation_error",
      `The owner "${owner}" is a reserved name. Choose an ID of your own with the field libraryName, such as /my-${owner}/${last}.`,
    );
  }
  return parseLibraryId(`/${owner}/${last}`).id;
}

/** What of a library decides what another address means for it. */
interface Movable {
  readonly id: string;
  readonly source: SourceSpec;
  /** The ID that waits for an administrator. */
  readonly pendingRename: { readonly id: string } | null;
  /** Those that administrators refused. */
  readonly refusedRenames: readonly string[];
}

/**
 * What it means for a library that its repository was found at another address than the known one: where it is now, and
 * its ID if that came from the address and becomes another; null: nothing. Only the host itself can rename what it has:
 * another host that answers for it is a mirror, and is never handed the credentials.
 */
export function movedRepository(
  { id, source, pendingRename, refusedRenames }: Movable,
  location: string,
): { readonly from: string; readonly to: string; readonly id: string | null } | null {
  if (source.kind !== "git" || !URL.canParse(location)) return null;
  const [known, found] = [new URL(source.url), new URL(location)];
  const bare = ({ pathname }: URL): string => pathname.replace(/\/+$/, "").replace(/\.git$/i, "");
  const secured = known.protocol === "http:" && found.protocol === "https:";
  if (found.host !== known.host || (found.protocol !== known.protocol && !secured)) return null;
  if (bare(found) === bare(known) && !secured) return null;
  found.pathname = `${bare(found)}${/\.git$/i.exec(known.pathname)?.[0] ?? ""}`;
  found.search = found.hash = found.username = found.password = "";
  // The address may have given an ID that an administrator has not accepted.
  const given = [id, ...(pendingRename ? [pendingRename.id] : []), ...refusedRenames].map(foldId);
  const derived = given.includes(foldId(derivedId(known) ?? ""));
  return { from: source.url, to: found.href, id: derived ? derivedId(found) : null };
}

/** The ID that an address gives; null where it gives none. */
function derivedId(url: URL): string | null {
  try {
    return deriveRepositoryId(url);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** The ID of a folder or an upload: `/docs/<slug>`. */
export function deriveDocsId(title: string): string {
  const slug = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  if (slug === "")
    throw new Failure(
      "validation_error",
      'The title has no letters or digits to make an ID of. Give a title, such as "Our handbook".',
    );
  return parseLibraryId(`/docs/${slug}`).id;
}

/**
 * The ID that a submission chose for itself in `libraryName`, held to the shape of its kind.
 * @throws Failure invalid_library_id or validation_error
 */
export function chosenId(text: string, shape: "repository" | "docs"): string {
  const { id, version } = parseLibraryId(text);
  const owner = foldId(id).split("/")[1] ?? "";
  if (version !== "") throw new Failure("validation_error", "libraryName takes an ID without a version.");
  if (shape === "docs" && owner !== "docs")
    throw new Failure("validation_error", "libraryName of this source has the shape /docs/name.");
  if (shape === "repository" && reservedOwners.includes(owner)) {
    throw new Failure(
      "validation_error",
      `libraryName of a repository has the shape /owner/name, and "${owner}" is a reserved owner.`,
    );
  }
  return id;
}

function slugSegment(segment: string): string {
  return segment.normalize("NFC").replace(/[^\p{L}\p{N}._~-]+/gu, "-");
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new Failure("validation_error", "docsRepoUrl has a path that is not valid percent-encoding.", { cause });
  }
}

function unsafe(text: string): boolean {
  return /[\s\p{Cc}<>"\\^`{|}]/u.test(text) || text.split("/").some((segment) => segment === "." || segment === "..");
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function invalid(reason: string): Failure {
  return new Failure("invalid_library_id", `${reason} ${shapes}`);
}
