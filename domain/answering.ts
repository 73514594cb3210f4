import { visibleTeamspaces } from "./access.ts";
import type { Caller } from "./access.ts";
import { authorize, libraryNotFound, may } from "./authorizing.ts";
import { isVersion } from "./requested-packages.ts";
import { choosePassages } from "./choosing.ts";
import { Failure, failures } from "./failures.ts";
import { kindOf } from "./kinds/index.ts";
import { foldId, parseLibraryId, showLibrary } from "./library.ts";
import type {
  Candidates,
  Catalog,
  ExplainedOrder,
  GenerationRecord,
  LibraryIndex,
  LibraryRecord,
  LibraryView,
  LiveGeneration,
  Ranker,
  PassageIndex,
  Question,
  VersionRecord,
} from "./ports.ts";
import { judgingTeamspace } from "./policies.ts";
import type { Policies, TeamspaceAccess } from "./policies.ts";
import { leftOutHint } from "./refs.ts";
import { retryText } from "./scheduling.ts";
import type { ContentKind, Passage } from "./passage.ts";
import { notInIndex } from "./rebuilding.ts";
import type { SourceRef } from "./source.ts";
import type { Upstream } from "./upstream.ts";
import { isSameVersion, matchVersions } from "./version-match.ts";
import type { VersionName } from "./version-match.ts";
import { nearestNames } from "./versions.ts";

/** The ports that answering needs. */
export interface AnsweringPorts {
  readonly catalog: Catalog;
  readonly policies: Policies;
  readonly passages: PassageIndex;
  readonly libraries: LibraryIndex;
  readonly ranker: Ranker;
  /** Another server that has public libraries; absent: none. */
  readonly upstream?: Upstream;
  /** The canonical name of a language, such as `typescript` for `ts`; "" for what cannot be a language. */
  readonly toLanguage: (name: string) => string;
  /** Starts indexing a version that exists at the source; see submitting.ts. */
  readonly indexVersion: (library: LibraryRecord, ref: SourceRef) => Promise<void>;
  /** Has a live generation that the index lacks loaded again, in the background. */
  readonly restore: (generation: LiveGeneration) => Promise<void>;
}

/** A library version with a live generation, which a question is asked of. */
export interface Located {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly generation: GenerationRecord;
  /** The policy that has permitted the library, and the rules that go with its answers. */
  readonly access: TeamspaceAccess;
  /** The version as the caller wrote it; it may be a range. */
  readonly asked: string;
}

/** A question with the bounds of its answer. */
export interface ContextRequest {
  readonly query: string;
  /** Budget for the whole answer, in tokens. */
  readonly tokens: number;
  /** Maximum number of passages. */
  readonly limit: number;
  readonly kind?: ContentKind;
  readonly language?: string;
}

/** Maximum number of candidates that a question takes from the index. */
const candidateLimit = 100;

/**
 * Finds the generation that answers for a library ID, or throws why there is none: the whole decision of a read
 * (docs/internals/answering.md).
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

/** The answer to a question. */
export interface Answer {
  /** The best first. */
  readonly passages: readonly Passage[];
  /** No passage has a word of the question: the passages introduce the library. */
  readonly isIntroduction: boolean;
  /** Rare words of the question, as written, that no passage of the library has; empty for an introduction. */
  readonly missing: readonly string[];
}

/** An answer, and what it was chosen from. */
export interface RankedAnswer extends Answer {
  readonly question: Question;
  readonly candidates: Candidates;
}

/**
 * The answer to a question: the best passages that fit the budget approximately; rendering cuts them to it exactly.
 * @throws Failure index_rebuilding with its progress, where the index lacks the generation: it is then loaded again
 */
export async function answerQuestion(
  ports: AnsweringPorts,
  located: Located,
  request: ContextRequest,
): Promise<RankedAnswer> {
  try {
    const found = await bestPassages(ports, located, request, request.query);
    if (found.passages.length > 0) return { ...found, isIntroduction: false };
    const other = await bestPassages(ports, located, { ...request, limit: introductionCandidates }, introduction);
    return { ...other, passages: introductionOf(other.passages), isIntroduction: true, missing: [] };
  } catch (error) {
    if (!(error instanceof Failure && error.code === "index_rebuilding")) throw error;
    throw await notInIndex(ports, located, error);
  }
}

/** An answer, and why it has its order. */
export interface ExplainedAnswer extends Answer {
  readonly order: ExplainedOrder;
  /** The best passages that are not in the answer, in their order. */
  readonly next: readonly Passage[];
}

/** Maximum number of passages that are shown beyond the answer. */
const nextLimit = 10;

/** The answer of `answerQuestion` with the ranker's own figures. @throws Failure as that does */
export async function explainAnswer(
  ports: AnsweringPorts,
  located: Located,
  request: ContextRequest,
): Promise<ExplainedAnswer> {
  const { question, candidates, ...answer } = await answerQuestion(ports, located, request);
  const order = ports.ranker.explain(question, candidates, candidateLimit);
  const chosen = new Set(answer.passages.map(({ id }) => id));
  const others = order.passages.map(({ candidate }) => candidate.id).filter((id) => !chosen.has(id));
  return { ...answer, order, next: await candidates.read(others.slice(0, nextLimit)) };
}

/** The query that finds introductions, and how many of the passages found are considered. */
const introduction = "introduction overview quickstart getting started installation usage readme";
const introductionCandidates = 50;

/** Titles of pages and sections that introduce a library; these words in the text alone introduce nothing. */
const introduces =
  /\b(?:introduction|introducing|overview|quick[\s_-]?starts?|get(?:ting)?[\s_-]started|first[\s_-]steps|installation|usage|read[\s_-]?me|what is|why)\b/i;

/** Maximum number of passages of an introduction. */
const introductionLimit = 3;

/** The first passage whose page or section is called an introduction, then other passages of its page. */
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
): Promise<Omit<RankedAnswer, "isIntroduction">> {
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

/** The library has another ID now, unless that one is hidden from the caller. `version` as the caller wrote it. */
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
 * The version meant by a name that no version of the library has exactly: the newest match among the indexed versions and
 * the refs of the source. One that is not indexed yet gets indexed for a caller who may submit; other callers, and all of
 * them while indexing is impossible or has failed, read the newest indexed match. A package without a match answers with its nearest version.
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
  // Nothing is known of its versions until it is read for the first time.
  if (known.length === 0 && standard && !standard.live) return standard;
  const names = matchVersions(wanted, known, library.id);
  const [newest] = names;
  const nearest = nearestIndexed(library, wanted, indexed);
  if (newest === undefined && nearest) return nearest;
  if (newest === undefined) {
    throw unknownVersion(library, wanted, known, await libraries.refsLeftOut(library.uid));
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
      // Reads go on while the engine is unavailable, or all versions are in use.
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

/** The indexed version of a package that is nearest to the wanted one: its answers name the version that they come from. */
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

/** Every name that a version can be asked for by: the refs of the source, and indexed versions that the source has lost. */
function namesOf(refs: readonly SourceRef[], indexed: readonly VersionRecord[]): readonly VersionName[] {
  const present = new Set(refs.map(({ name }) => name));
  const lost = indexed.filter(({ version }) => version !== "" && !present.has(version));
  // Nothing is known of a lost ref; it is taken for a tag.
  return [...refs, ...lost.map(({ version: name }) => ({ name, kind: "tag" }) as const)];
}

function notReadable(library: LibraryRecord, { version, openRun, lastRun, retryAt }: VersionRecord): Failure {
  // An open run that has a failure is suspended.
  const failure = openRun ? openRun.failure : lastRun?.failure;
  if (!failure) return notFinalized(library.id, version);
  const { code, message } = failure;
  const what = code === "internal_error" ? `Indexing of ${showLibrary(library.id, version)} failed. ` : "";
  return new Failure(code, `${what}${message}${retryText(retryAt)}`);
}

function notFinalized(id: string, version: string): Failure {
  return new Failure(
    "library_not_finalized",
    `${showLibrary(id, version)} is being indexed and not finished yet. Try again in a moment.`,
    { retryAfter: 2 },
  );
}

function unknownVersion(
  library: LibraryRecord,
  version: string,
  known: readonly VersionName[],
  leftOut: number,
): Failure {
  const names = nearestNames(version, known, 8, library.id);
  const hint =
    names.length === 0 ? `Use ${library.id} without a version.` : `Nearest known versions: ${names.join(", ")}.`;
  const message = `Version "${version}" of ${library.id} is not known. ${hint}${leftOutHint(leftOut)}`;
  return new Failure("tag_not_found", message);
}
