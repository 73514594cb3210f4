import { visibleTeamspaces } from "./access.ts";
import type { Caller } from "./access.ts";
import { authorize, libraryNotFound, may } from "./authorizing.ts";
import { isVersion } from "./asked-packages.ts";
import { choosePassages } from "./choosing.ts";
import { Failure, failures } from "./failures.ts";
import { kindOf } from "./kinds/index.ts";
import { foldId, parseLibraryId, showLibrary } from "./library.ts";
import type {
  Candidates,
  ExplainedOrder,
  GenerationRecord,
  LibraryIndex,
  LibraryRecord,
  LibraryView,
  Ranker,
  PassageIndex,
  Question,
  VersionRecord,
} from "./ports.ts";
import type { Catalog } from "./ports.ts";
import { judgingTeamspace } from "./policies.ts";
import type { Policies, TeamspaceAccess } from "./policies.ts";
import { leftOutHint } from "./refs.ts";
import type { ContentKind, Passage } from "./passage.ts";
import { notInIndex } from "./rebuilding.ts";
import type { SourceRef } from "./source.ts";
import type { Upstream } from "./upstream.ts";
import { isSameVersion, matchVersions } from "./version-match.ts";
import type { VersionName } from "./version-match.ts";
import { nearestNames } from "./versions.ts";

/** What answering needs of the world. */
export interface AnsweringPorts {
  readonly catalog: Catalog;
  readonly policies: Policies;
  readonly passages: PassageIndex;
  readonly libraries: LibraryIndex;
  readonly ranker: Ranker;
  /** Where else public libraries are; absent: nowhere. */
  readonly upstream?: Upstream;
  /** The name that code of a language is kept under, such as `typescript` for `ts`; "" for what cannot be a language. */
  readonly toLanguage: (name: string) => string;
  /** Starts indexing a version that exists at the source; see submitting.ts. */
  readonly indexVersion: (library: LibraryRecord, ref: SourceRef) => Promise<void>;
}

/** A library version that can be read: what a question is asked of. */
export interface Located {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly generation: GenerationRecord;
  /** What has judged the library, and the rules that go with its answers. */
  readonly access: TeamspaceAccess;
  /** The version as the caller wrote it, which may be a range. */
  readonly asked: string;
}

/** What a reader asks for beyond the question. */
export interface ContextRequest {
  readonly query: string;
  /** Budget for the whole answer, in tokens. */
  readonly tokens: number;
  /** Passages at most. */
  readonly limit: number;
  readonly kind?: ContentKind;
  readonly language?: string;
}

/** Candidates that one question takes from the index. */
const candidateLimit = 100;

/**
 * Finds the generation that answers for a library ID, or says why there is none. This is the whole decision of a read
 * (docs/internals/answering.md): the first case that fits throws.
 */
export async function locateLibrary(ports: AnsweringPorts, caller: Caller, libraryId: string): Promise<Located> {
  const { id, version } = parseLibraryId(libraryId);
  const view = await ports.catalog.libraries.find(
    visibleTeamspaces(caller),
    foldId(id),
    version,
    judgingTeamspace(caller),
  );
  if (!view) throw libraryNotFound(id);
  const { library } = view;
  authorize(caller, "library.read", library);
  if (library.redirect !== null) throw redirected(library, version, caller);
  const access = await ports.policies.of(caller, view.accessRevision);
  access.require(library, view.version?.live?.createdAt ?? null);
  const found = view.version ?? (await chooseVersion(ports, caller, view, version));
  if (!found.live) throw notReadable(library, found);
  if (found !== view.version) access.require(library, found.live.createdAt);
  return { library, version: found.version, generation: found.live, access, asked: version };
}

/** What answers a question. */
export interface Answer {
  /** The best first. */
  readonly passages: readonly Passage[];
  /** The library has none of the question's words: the passages are what it says of itself. */
  readonly isIntroduction: boolean;
  /** Rare words of the question that no passage of the library has, as they are written; none of an introduction. */
  readonly missing: readonly string[];
}

/**
 * The answer to a question: the best passages that the budget has room for, about. Whoever renders them fits them in.
 * @throws Failure index_rebuilding, which says how far the index is, where it does not have the generation now
 */
export async function answerQuestion(
  ports: AnsweringPorts,
  located: Located,
  request: ContextRequest,
): Promise<Answer> {
  const { passages, missing, isIntroduction } = await lookUp(ports, located, request);
  return { passages, missing, isIntroduction };
}

/** An answer, and why it has its order. */
export interface ExplainedAnswer extends Answer {
  readonly order: ExplainedOrder;
  /** The best that are not in the answer, in their order. */
  readonly next: readonly Passage[];
}

/** So many passages are told of beyond the answer. */
const nextLimit = 10;

/** What `answerQuestion` answers, and the ranker's own figures for it. @throws Failure as that does */
export async function explainAnswer(
  ports: AnsweringPorts,
  located: Located,
  request: ContextRequest,
): Promise<ExplainedAnswer> {
  const { question, candidates, ...answer } = await lookUp(ports, located, request);
  const order = ports.ranker.explain(question, candidates, candidateLimit);
  const chosen = new Set(answer.passages.map(({ id }) => id));
  const others = order.passages.map(({ candidate }) => candidate.id).filter((id) => !chosen.has(id));
  return { ...answer, order, next: await candidates.read(others.slice(0, nextLimit)) };
}

/** An answer, and what it was chosen from. */
interface LookedUp extends Answer {
  readonly question: Question;
  readonly candidates: Candidates;
}

async function lookUp(ports: AnsweringPorts, located: Located, request: ContextRequest): Promise<LookedUp> {
  try {
    const found = await bestPassages(ports, located, request, request.query);
    if (found.passages.length > 0) return { ...found, isIntroduction: false };
    const other = await bestPassages(ports, located, { ...request, limit: lookedAt }, introduction);
    return { ...other, passages: introductionOf(other.passages), isIntroduction: true, missing: [] };
  } catch (error) {
    if (!(error instanceof Failure && error.code === "index_rebuilding")) throw error;
    throw await notInIndex(ports.catalog, located, error);
  }
}

/** The query that finds introductions, and the number of its passages that are considered. */
const introduction = "introduction overview quickstart getting started installation usage readme";
const lookedAt = 50;

/** What pages and sections are called that introduce a library; a page that only has these words somewhere introduces nothing. */
const introduces =
  /\b(?:introduction|introducing|overview|quick[\s_-]?starts?|get(?:ting)?[\s_-]started|first[\s_-]steps|installation|usage|read[\s_-]?me|what is|why)\b/i;

/** Passages of an introduction at most. */
const introductionLimit = 3;

/** The first that its page or section is called an introduction of, with what else there is of this page. */
function introductionOf(passages: readonly Passage[]): readonly Passage[] {
  const first = passages.find(({ page, breadcrumb }) =>
    [page.title, page.url.slice(page.url.lastIndexOf("/") + 1), ...breadcrumb].some((name) => introduces.test(name)),
  );
  if (first === undefined) return [];
  const others = passages.filter((one) => one !== first && one.page.url === first.page.url);
  return [first, ...others].slice(0, introductionLimit);
}

async function bestPassages(
  ports: AnsweringPorts,
  { library, generation }: Located,
  { tokens, limit, kind, language }: ContextRequest,
  query: string,
): Promise<Omit<LookedUp, "isIntroduction">> {
  const question = ports.ranker.analyseQuestion(query, library);
  const candidates = await ports.passages.candidates(generation.id, question, {
    limit: candidateLimit,
    ...(kind && { kind }),
    ...(language !== undefined && { language: ports.toLanguage(language) || language }),
  });
  const ranked = ports.ranker.rank(question, candidates, candidateLimit).map(({ candidate }) => candidate);
  const passages = await choosePassages(candidates, ranked, { tokens, limit });
  return { passages, missing: ports.ranker.missing(query, question, candidates), question, candidates };
}

/** The library has another ID now, unless that is hidden from the caller. `version` as the caller wrote it. */
export function redirected(
  { id, redirect, teamspace }: Pick<LibraryRecord, "id" | "redirect" | "teamspace">,
  version: string,
  caller?: Caller,
): Failure {
  if (caller && !may(caller, "library.read", { id: redirect ?? id, teamspace })) return libraryNotFound(id);
  const message = `${id} moved to ${redirect ?? id}. Use the new library ID.`;
  return new Failure("library_redirected", message, { redirectUrl: showLibrary(redirect ?? id, version) });
}

/**
 * The version that a name stands for which none of the library's versions has: the newest that fits, of those that are
 * indexed and those that the source has. One that is not indexed yet is indexed for a caller who may submit; others, and
 * everybody while that is not possible or has failed, read the newest that is. Of a package the nearest one is read where none fits.
 */
async function chooseVersion(
  ports: AnsweringPorts,
  caller: Caller,
  { library }: LibraryView,
  wanted: string,
): Promise<VersionRecord> {
  const { libraries } = ports.catalog;
  const [indexed, refs] = await Promise.all([libraries.versionsOf(library.uid), libraries.refs(library.uid)]);
  const standard = indexed.find(({ version }) => version === "");
  if (standard && (wanted === standard.ref || wanted === standard.live?.ref)) return standard;
  const known = namesOf(refs, indexed);
  const names = matchVersions(wanted, known, library.id);
  const [newest] = names;
  const nearest = nearestIndexed(library, wanted, indexed);
  if (newest === undefined && nearest) return nearest;
  if (newest === undefined) {
    const names = known.map(({ name }) => name);
    throw unknownVersion(library, wanted, names, await libraries.refsLeftOut(library.uid));
  }
  const find = (name: string): VersionRecord | undefined =>
    indexed.find(({ version }) => version === name) ?? (name === standard?.live?.ref ? standard : undefined);
  const meant = find(newest);
  const readable = meant?.live ? meant : names.map(find).find((version) => version?.live);
  const maySubmit = may(caller, "library.refresh", library);
  const hasFailed = meant !== undefined && notReadable(library, meant).code !== "library_not_finalized";
  if (readable && (!maySubmit || hasFailed || isSameVersion(newest, readable.version))) return readable;
  if (meant) return hasFailed && nearest ? nearest : meant;
  const ref = refs.find(({ name }) => name === newest);
  if (ref && maySubmit) {
    try {
      await ports.indexVersion(library, ref);
    } catch (error) {
      // Reads go on while the engine is away, or all versions are in use.
      const instead = readable ?? nearest;
      if (instead && error instanceof Failure && failures[error.code].retryable) return instead;
      throw error;
    }
    throw notFinalized(library.id, ref.name);
  }
  if (nearest) return nearest;
  const message = `Version "${newest}" of ${library.id} exists but is not indexed. Ask for it with a key that has the scope "submit", and it will be indexed.`;
  throw new Failure("tag_not_found", message);
}

/** The indexed version of a package that is nearest to one which is not: its answers name the version that they come from. */
function nearestIndexed(
  library: LibraryRecord,
  wanted: string,
  indexed: readonly VersionRecord[],
): VersionRecord | undefined {
  if (kindOf(library.source).namesVersion !== true || !isVersion(wanted)) return undefined;
  const byName = new Map(indexed.flatMap((one) => (one.live ? [[one.live.ref ?? one.version, one] as const] : [])));
  const [nearest] = nearestNames(wanted, [...byName.keys()], 1, library.id);
  return nearest === undefined ? undefined : byName.get(nearest);
}

/** Every name that a version may be asked by: the source's, and those that only the library still has. */
function namesOf(refs: readonly SourceRef[], indexed: readonly VersionRecord[]): readonly VersionName[] {
  const present = new Set(refs.map(({ name }) => name));
  const lost = indexed.filter(({ version }) => version !== "" && !present.has(version));
  // A version whose ref is gone was a tag, for all that is known.
  return [...refs, ...lost.map(({ version: name }) => ({ name, kind: "tag" }) as const)];
}

function notReadable(library: LibraryRecord, { version, openRun, lastRun }: VersionRecord): Failure {
  // An open run that has a failure is suspended.
  const failure = openRun ? openRun.failure : lastRun?.failure;
  if (!failure) return notFinalized(library.id, version);
  const { code, message } = failure;
  return new Failure(code, message);
}

function notFinalized(id: string, version: string): Failure {
  return new Failure(
    "library_not_finalized",
    `${showLibrary(id, version)} is being indexed and not finished yet. Try again in a moment.`,
    { retryAfter: 2 },
  );
}

function unknownVersion(library: LibraryRecord, version: string, known: readonly string[], leftOut: number): Failure {
  const names = nearestNames(version, known, 8, library.id);
  const hint =
    names.length === 0 ? `Use ${library.id} without a version.` : `Nearest known versions: ${names.join(", ")}.`;
  const message = `Version "${version}" of ${library.id} is not known. ${hint}${leftOutHint(leftOut)}`;
  return new Failure("tag_not_found", message);
}
