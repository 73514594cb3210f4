import { visibleTeamspaces, type Caller } from "./access.ts";
import { authorize, libraryNotFound, may } from "./authorizing.ts";
import { isVersion } from "./requested-packages.ts";
import { chooseWithin } from "./choosing.ts";
import { Failure, failures, isFailure } from "./failures.ts";
import { kindOf } from "./kinds/index.ts";
import { foldId, parseLibraryId, showLibrary } from "./library.ts";
import type {
  Candidate,
  Candidates,
  Catalog,
  Embedder,
  ExplainedOrder,
  GenerationRecord,
  LibraryIndex,
  LibraryRecord,
  LibraryView,
  LiveGeneration,
  PageStore,
  Ranker,
  PassageIndex,
  Question,
  VersionRecord,
} from "./ports.ts";
import { judgingTeamspace, type Policies, type TeamspaceAccess } from "./policies.ts";
import { leftOutHint } from "./refs.ts";
import { retryText } from "./scheduling.ts";
import type { ContentKind, Passage } from "./passage.ts";
import { reloadGeneration } from "./rebuilding.ts";
import type { SourceRef } from "./source.ts";
import type { Upstream } from "./upstream.ts";
import { isSameVersion, matchVersions, type VersionName } from "./version-match.ts";
import { nearestNames } from "./versions.ts";

/** The ports that answering needs. */
export interface AnsweringPorts {
  readonly catalog: Catalog;
  readonly policies: Policies;
  readonly passages: PassageIndex;
  readonly pages: PageStore;
  readonly libraries: LibraryIndex;
  readonly ranker: Ranker;
  /** Absent: only the ranker's table tells meanings. */
  readonly embedder?: Embedder;
  /** Another server that has public libraries; absent: none. */
  readonly upstream?: Upstream;
  /** The canonical name of a language, such as `typescript` for `ts`; "" if it cannot be a language. */
  readonly toLanguage: (name: string) => string;
  /** Starts indexing a version that exists at the source; see refreshing-versions.ts. */
  readonly indexVersion: (library: LibraryRecord, ref: SourceRef) => Promise<void>;
  /** Reloads a live generation that the index lacks, in the background. */
  readonly restore: (generation: LiveGeneration) => Promise<void>;
}

/** The library version that a question is asked of. It has a live generation. */
export interface Located {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly generation: GenerationRecord;
  /** The policy that permitted the library, and the rules that go with its answers. */
  readonly access: TeamspaceAccess;
  /** What the caller's teamspace notes on the library; absent: nothing. */
  readonly teamNote?: string;
  /** The version as the caller wrote it; it may be a range. */
  readonly asked: string;
}

/** The library version that answers, as plain data that a thread can be given. */
export type Answerer = Omit<Located, "access">;

/** The ports that an answer is computed with, once its library is located. */
export type ComputingPorts = Pick<AnsweringPorts, "passages" | "ranker" | "embedder" | "toLanguage">;

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

/** Maximum number of candidates that a question takes from the index; of an API description more, as its operations have many alike. */
const candidateLimit = 100;
const descriptionLimit = 300;

/** Finds the generation that answers for a library ID. @throws Failure if none may be read (docs/internals/answering.md) */
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
  const record = view.version ?? (await chooseVersion(ports, caller, view, version));
  if (!record.live) throw notReadable(library, record);
  if (record !== view.version) access.require(library, record.live.createdAt);
  const { teamNote } = view;
  // Callers without a key are judged by the policy of `default`, but are none of its team.
  const own = caller.teamspace !== null && teamNote !== undefined && { teamNote };
  return { library, version: record.version, generation: record.live, access, asked: version, ...own };
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

/** An answer with the candidates it was chosen from. */
export interface RankedAnswer extends Answer {
  readonly question: Question;
  readonly candidates: Candidates;
  /** The candidates in order, the best first. */
  readonly ranked: readonly { readonly candidate: Candidate }[];
}

/**
 * The answer to a question: the best passages that fit the budget approximately. Rendering cuts them exactly.
 * @throws Failure index_rebuilding if the index lacks the generation
 */
export async function answerQuestion(
  ports: ComputingPorts,
  located: Answerer,
  request: ContextRequest,
): Promise<RankedAnswer> {
  const best = await bestPassages(ports, located, request, request.query);
  if (best.passages.length > 0) return { ...best, isIntroduction: false };
  const intro = await bestPassages(ports, located, { ...request, limit: introductionCandidates }, introduction);
  return { ...intro, passages: introductionOf(intro.passages), isIntroduction: true, missing: [] };
}

/** The result of a read. If the index lacks the generation, it is reloaded. @throws Failure index_rebuilding with the progress of that */
export async function orReload<T>(ports: AnsweringPorts, located: Answerer, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isFailure(error, "index_rebuilding")) throw error;
    throw await reloadGeneration(ports, located, error);
  }
}

/** An answer with the reasons for its order. */
export interface ExplainedAnswer extends RankedAnswer {
  readonly order: ExplainedOrder;
  /** The next best passages, in order. */
  readonly next: readonly Passage[];
}

/** Maximum number of passages shown beyond the answer. */
const nextLimit = 10;

/** The answer of `answerQuestion` with the ranker's figures. @throws Failure as `answerQuestion` */
export async function explainAnswer(
  ports: AnsweringPorts,
  located: Answerer,
  request: ContextRequest,
): Promise<ExplainedAnswer> {
  const answer = await orReload(ports, located, () => answerQuestion(ports, located, request));
  const { question, candidates } = answer;
  const order = ports.ranker.explain(question, candidates, { limit: candidateLimit, tokens: request.tokens });
  const chosen = new Set(answer.passages.map(({ id }) => id));
  const others = order.passages.map(({ candidate }) => candidate.id).filter((id) => !chosen.has(id));
  return { ...answer, order, next: await candidates.read(others.slice(0, nextLimit)) };
}

/** The query for introductions, and the maximum number of passages considered. */
const introduction = "introduction overview quickstart getting started installation usage readme";
const introductionCandidates = 50;

/** Titles of pages and sections that introduce a library; these words in the text alone introduce nothing. */
const introduces =
  /\b(?:introduction|introducing|overview|quick[\s_-]?starts?|get(?:ting)?[\s_-]started|first[\s_-]steps|installation|usage|read[\s_-]?me|what is|why)\b/i;

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

/** The question with its embedding, if the candidates have those of the same model and it is there in time. */
async function withEmbedding(
  { embedder, ranker }: Pick<AnsweringPorts, "embedder" | "ranker">,
  query: string,
  question: Question,
  { model, candidates }: Candidates,
): Promise<Question> {
  if (embedder === undefined || model !== embedder.model || candidates.length < 2) return question;
  const embedding = await embedder.ofQuestion(query);
  return embedding === undefined ? question : ranker.withEmbedding(question, model, embedding);
}

async function bestPassages(
  ports: ComputingPorts,
  { library, generation }: Answerer,
  { tokens, limit, kind, language }: ContextRequest,
  query: string,
): Promise<Omit<RankedAnswer, "isIntroduction">> {
  const analysed = ports.ranker.analyseQuestion(query, library);
  const candidates = await ports.passages.candidates(generation.id, analysed, {
    limit: library.source.kind === "openapi" ? descriptionLimit : candidateLimit,
    ...(kind && { kind }),
    ...(language !== undefined && { language: ports.toLanguage(language) || language }),
  });
  const question = await withEmbedding(ports, query, analysed, candidates);
  const ranked = ports.ranker.rank(question, candidates, { limit: candidateLimit, tokens });
  const chosen = chooseWithin(
    ranked.map(({ candidate }) => candidate),
    { tokens, limit },
  );
  const passages = await candidates.read(chosen.map(({ id }) => id));
  return { passages, missing: ports.ranker.missing(query, question, candidates), question, candidates, ranked };
}

/** The failure for a moved library: library_not_found if the caller may not see the new ID. `version` is as written. */
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
 * The version for a name that is not exactly an indexed version: the newest match among indexed versions and refs. If that
 * is not indexed yet, a caller who may submit gets it indexed; other callers, and everybody while indexing is impossible or
 * failed, read the newest indexed match. A package without a match answers with its nearest version.
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
  // Its versions are unknown until it is first read.
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
  const record = find(newest);
  const readable = record?.live ? record : names.map(find).find((version) => version?.live);
  const maySubmit = may(caller, "library.refresh", library);
  const hasFailed = record !== undefined && notReadable(library, record).code !== "library_not_finalized";
  if (readable && (!maySubmit || hasFailed || isSameVersion(newest, readable.version))) return readable;
  if (record) return hasFailed && nearest ? nearest : record;
  const ref = refs.find(({ name }) => name === newest);
  if (ref && maySubmit) {
    try {
      await ports.indexVersion(library, ref);
    } catch (error) {
      // Reads must work while the engine is unavailable, or all versions are in use.
      const fallback = readable ?? nearest;
      if (fallback && error instanceof Failure && failures[error.code].retryable) return fallback;
      throw error;
    }
    throw notFinalized(library.id, ref.name);
  }
  if (nearest) return nearest;
  const message = `Version "${newest}" of ${library.id} exists but is not indexed. Ask for it with a key that has the scope "submit", and it will be indexed.`;
  throw new Failure("tag_not_found", message);
}

/** The indexed version nearest to the wanted one; only of packages, as their answers name their version. */
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

/** All names that a version can be requested by: refs of the source, and indexed versions whose ref is gone. */
function namesOf(refs: readonly SourceRef[], indexed: readonly VersionRecord[]): readonly VersionName[] {
  const present = new Set(refs.map(({ name }) => name));
  const lost = indexed.filter(({ version }) => version !== "" && !present.has(version));
  // Whether a lost ref was a branch is unknown: it counts as a tag.
  return [...refs, ...lost.map(({ version: name }) => ({ name, kind: "tag" }) as const)];
}

function notReadable(library: LibraryRecord, { version, openRun, lastRun, retryAt }: VersionRecord): Failure {
  // An open run that has a failure is suspended.
  const failure = openRun ? openRun.failure : lastRun?.failure;
  if (!failure) return notFinalized(library.id, version);
  const { code, message } = failure;
  const prefix = code === "internal_error" ? `Indexing of ${showLibrary(library.id, version)} failed. ` : "";
  return new Failure(code, `${prefix}${message}${retryText(retryAt)}`);
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
