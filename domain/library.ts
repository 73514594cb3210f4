import { Failure } from "./failures.ts";
import { isIdPrefix } from "./kinds/kind.ts";

/** Maximum length of a library ID, version included, in characters. */
const maxLibraryIdLength = 500;

/** Whether an ID begins with the prefix of a kind of source instead of an owner. */
export function hasReservedOwner(id: string): boolean {
  return isIdPrefix(foldId(id).split("/")[1] ?? "");
}

/** A parsed library ID. `version` is "" for the default one. */
export interface ParsedLibraryId {
  /** As written, NFC-normalised, with its leading slash. */
  readonly id: string;
  readonly version: string;
}

/** The key of a library: its folded ID, and its teamspace, "" for a public library. */
export interface LibraryKey {
  readonly teamspace: string;
  readonly id: string;
}

const shapes =
  "Use /owner/name, or /source/name as in /websites/example_com, followed by an optional /version or @version.";

/**
 * Parses a library ID. It has two segments (three after `/npm/@scope`); the next `/` or `@` begins the version,
 * which may itself hold slashes, dots and `@`.
 * @throws Failure invalid_library_id
 */
export function parseLibraryId(text: string): ParsedLibraryId {
  const normal = text.trim().normalize("NFC");
  if (normal.length > maxLibraryIdLength) throw invalid(`A library ID has at most ${maxLibraryIdLength} characters.`);
  const parsed = readId(normal);
  if (parsed) return parsed;
  throw invalid(`"${shorten(normal)}" is not a library ID.`);
}

/** Whether the ID with the version parses back to both, so that the version can be requested. */
export function canBeAsked(id: string, version: string): boolean {
  const shown = showLibrary(id, version);
  const parsed =
    shown.length <= maxLibraryIdLength && shown === shown.trim().normalize("NFC") ? readId(shown) : undefined;
  return parsed?.id === id && parsed.version === version;
}

function readId(normal: string): ParsedLibraryId | undefined {
  const written = normal.startsWith("/") ? normal : `/${normal}`;
  // `/packages/zod` is an npm package; a Go module has its host there, with a dot, and its path after `_`.
  const path = /^\/packages\/[^/@_.]+\.[^/@_]+_/i.test(written) ? written : written.replace(/^\/packages\//i, "/npm/");
  const match = /^(\/npm\/@[^/@]+\/[^/@]+|\/[^/@]+\/[^/@]+)(?:[/@](.*))?$/isu.exec(path);
  const [, id = "", version = ""] = match ?? [];
  // A version may be a range, such as `>=3 <5 || ^6`.
  if (!match || unsafe(id) || unsafe(version.replace(/[ <>^|]/g, ""))) return undefined;
  return { id, version: version.replace(/(?<!\/)\/+$/, "") };
}

/** The case-folded form in which IDs are compared. Versions keep their case. */
export function foldId(id: string): string {
  return id.normalize("NFC").toLowerCase();
}

/** The ID with its version, as shown to people. */
export function showLibrary(id: string, version: string): string {
  return version === "" ? id : `${id}@${version}`;
}

/**
 * The ID that derives from a repository's URL: owner and name, nested groups joined with `-`; the host is the owner of a path
 * with one segment.
 * @throws Failure validation_error if the URL names no repository, or its owner is a reserved name
 */
export function deriveRepositoryId(url: URL): string {
  const segments = url.pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => slugSegment(decodeSegment(segment)));
  // Bitbucket keeps a wiki at `<name>.git/wiki`: it is named as on other hosts.
  if (segments.at(-1) === "wiki" && segments.at(-2)?.endsWith(".git") === true)
    segments.splice(-2, 2, `${segments.at(-2)?.slice(0, -".git".length) ?? ""}.wiki`);
  const last = segments.pop()?.replace(/\.git$/i, "");
  if (last === undefined || last === "") {
    throw new Failure(
      "validation_error",
      "The address names no repository. Give one such as https://git.example.com/owner/name.",
    );
  }
  const owner = segments.length === 0 ? url.hostname.replace(/[[\]]/g, "").replaceAll(":", "-") : segments.join("-");
  if (isIdPrefix(owner.toLowerCase())) {
    throw new Failure(
      "validation_error",
      `The owner "${owner}" is a reserved name. Choose an ID of your own with the field libraryName, such as /my-${owner}/${last}.`,
    );
  }
  return parseLibraryId(`/${owner}/${last}`).id;
}

/** Host labels that only say that a site is documentation. */
const siteLabels = /^(?:www|docs?|documentation)\./;

/**
 * The ID that derives from a site's address: `/<prefix>/<host_path>`, dots and slashes as `_`, without `www.`, `docs.` and the
 * name of an llms.txt; with a port other than the default as `host-8080`.
 * @throws Failure invalid_library_id or validation_error if the address makes no ID
 */
export function deriveSiteId(prefix: string, url: URL): string {
  let host = url.hostname.replace(/[[\]]/g, "").replaceAll(":", "-");
  while (siteLabels.test(host) && host.split(".").length > 2) host = host.replace(siteLabels, "");
  const path = url.pathname
    .replace(/\/llms(?:-full|-small)?\.txt$/i, "")
    .replace(/^\/(?:docs?|documentation)(?=\/|$)/, "");
  const segments = path.split("/").filter((segment) => segment !== "");
  const site = url.port === "" ? host : `${host}-${url.port}`;
  const name = [site, ...segments.map((segment) => slugSegment(decodeSegment(segment)))].join("_").replaceAll(".", "_");
  return parseLibraryId(`/${prefix}/${name}`).id;
}

/** The ID of a folder or an upload: `/docs/<slug>`. */
export function deriveDocsId(title: string): string {
  return deriveTitleId("docs", title);
}

/** The ID of a source without an address, from its title: `/<prefix>/<slug>`. @throws Failure validation_error */
export function deriveTitleId(prefix: string, title: string): string {
  const slug = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._]+/gu, "-")
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, "");
  if (slug === "")
    throw new Failure(
      "validation_error",
      'The title has no letters or digits to make an ID of. Give a title, such as "Our handbook".',
    );
  return parseLibraryId(`/${prefix}/${slug}`).id;
}

/**
 * The ID chosen in `libraryName`, with the shape of the source's kind: `/<prefix>/name`, or `/owner/name` for null.
 * @throws Failure invalid_library_id or validation_error
 */
export function chosenId(text: string, prefix: string | null): string {
  const { id, version } = parseLibraryId(text);
  const owner = foldId(id).split("/")[1] ?? "";
  if (version !== "") throw new Failure("validation_error", "libraryName takes an ID without a version.");
  if (prefix !== null && owner !== prefix)
    throw new Failure("validation_error", `libraryName of this source has the shape /${prefix}/name.`);
  if (prefix === null && isIdPrefix(owner)) {
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
    throw new Failure("validation_error", "The address has a path that is not valid percent-encoding.", { cause });
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
