import { day } from "./days.ts";
import { kindOf, sourceTypeFacts, type SourceType, type SourceSpec } from "./kinds/index.ts";
import { idPrefixes, isIdPrefix } from "./kinds/kind.ts";
import { foldId } from "./library.ts";
import { foldLicence, type Licences } from "./source.ts";
import type { PolicySettings } from "./policy-settings.ts";
import type { LibraryRecord } from "./catalog.ts";
import { isVerified, trustOf, type Reputation } from "./trust.ts";

/** A compiled policy: the cost of a decision does not grow with its lists. */
export interface Policy {
  /** Whether it can exclude a library. */
  readonly restricts: boolean;
  /** Why a library is excluded, as the end of a sentence; undefined: it is allowed. `now` in milliseconds since 1970. */
  judge(facts: LibraryFacts, now: number): string | undefined;
  /** As `judge`, for a source before it is read: only its ID, host and type are known. */
  judgeSource(facts: Pick<LibraryFacts, "id" | "host" | "types">): string | undefined;
}

/** Compiles a policy. */
export function compilePolicy({ disabledTypes, mode, quality, select }: PolicySettings): Policy {
  const disabled = new Set(disabledTypes);
  const isSelect = mode === "select";
  const isQuality = mode === "quality";
  const isBlocked = matcherOf(isQuality ? quality.blockedLibraries : []);
  const isExcepted = matcherOf(isQuality ? quality.exceptedLibraries : []);
  const isSelected = matcherOf(select.allowedLibraries);
  const filters = isQuality ? filtersOf(quality) : [];
  const isBlocking = isQuality && quality.blockedLibraries.length > 0;
  const blocksHosts = isBlocking && quality.blockedLibraries.some((entry) => !entry.startsWith("/"));

  function judgeSource(facts: Pick<LibraryFacts, "id" | "host" | "types">): string | undefined {
    if (isExcepted(facts)) return undefined;
    const type = facts.types.find((one) => disabled.has(one));
    return type && `the source type ${type} is disabled`;
  }

  function mayBeBlocked({ host }: Pick<LibraryFacts, "host">): string | undefined {
    if (host !== undefined || !blocksHosts) return undefined;
    return "the host that it is read from is not known, and some hosts are blocked";
  }

  return {
    restricts: disabled.size > 0 || isSelect || isBlocking || filters.length > 0,
    judgeSource,
    judge(facts, now) {
      if (isExcepted(facts)) return undefined;
      const reason = judgeSource(facts) ?? (isBlocked(facts) ? "it is blocked" : undefined) ?? mayBeBlocked(facts);
      if (reason !== undefined || !facts.isPublic) return reason;
      if (isSelect) return isSelected(facts) ? undefined : "it is not among the allowed libraries";
      for (const filter of filters) {
        const found = filter(facts, now);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

type Filter = (facts: LibraryFacts, now: number) => string | undefined;

/** The filters for public libraries, which have to pass all of them. */
function filtersOf(quality: PolicySettings["quality"]): readonly Filter[] {
  const { requireVerified, minTrustScore, maxAgeDays, repoFilters, websiteFilters } = quality;
  const { minBacklinks, minReferringDomains, minOrganicTraffic } = websiteFilters;
  const licences = repoFilters.allowedLicenses;
  return [
    ...(requireVerified ? [verified] : []),
    ...atLeast("trust score", minTrustScore, ({ trust }) => trust),
    ...(maxAgeDays === null ? [] : [notOlder(maxAgeDays)]),
    ...of("public_repos", [
      ...atLeast("number of stars", repoFilters.minStars, ({ stars }) => stars),
      ...(licences.length === 0 ? [] : [licensed(licences)]),
    ]),
    ...of("websites", [
      ...atLeast("number of backlinks", minBacklinks, ({ backlinks }) => backlinks),
      ...atLeast("number of referring domains", minReferringDomains, ({ referringDomains }) => referringDomains),
      ...atLeast("organic traffic", minOrganicTraffic, ({ organicTraffic }) => organicTraffic),
    ]),
  ];
}

function verified({ verified: isVerified }: LibraryFacts): string | undefined {
  if (isVerified === null) return "whether it is verified is not known, and only verified libraries are allowed";
  return isVerified ? undefined : "it is not verified";
}

function atLeast(
  name: string,
  least: number | null,
  factOf: (facts: LibraryFacts) => number | null,
): readonly Filter[] {
  if (least === null) return [];
  return [
    (facts) => {
      const fact = factOf(facts);
      if (fact === null) return `its ${name} is not known, and ${least} at least is required`;
      return fact >= least ? undefined : `its ${name} is ${fact}, and ${least} at least is required`;
    },
  ];
}

function notOlder(days: number): Filter {
  return ({ servedAt }, now) => {
    if (servedAt === undefined) return `when it was read is not known, and ${days} days at most are allowed`;
    // Without a live generation there is nothing to read, and no age.
    if (servedAt === null || now - servedAt <= days * day) return undefined;
    const age = Math.floor((now - servedAt) / day);
    return `what is served of it was read ${age} days ago, and ${days} at most are allowed`;
  };
}

function licensed(allowed: readonly string[]): Filter {
  const folded = new Set(allowed.map(foldLicence));
  return ({ licences, servedAt }) => {
    if (servedAt === null) return undefined;
    if (licences === null || licences.length === 0) return "its licence is not known, and only some are allowed";
    const refused = licences.find((choices) => !choices.some((one) => folded.has(foldLicence(one))));
    return refused && `its licence is ${refused.join(" or ")}, which is not among the allowed ones`;
  };
}

/** Filters that judge libraries of one source type only. */
function of(type: SourceType, filters: readonly Filter[]): readonly Filter[] {
  return filters.map((filter) => (facts, now) => (facts.types.includes(type) ? filter(facts, now) : undefined));
}

/** Normalises an entry of a list; undefined unless it is `/org/repo`, `/org` or a domain. */
export function readEntry(text: string): string | undefined {
  const entry = text.trim().normalize("NFC");
  if (entry.startsWith("/")) return isPath(entry) ? entry : undefined;
  const url = URL.parse(`http://${entry.replace(/\.$/, "")}`);
  const isHost = url !== null && url.pathname === "/" && `${url.search}${url.hash}${url.username}${url.port}` === "";
  return isHost && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$|^localhost$/.test(url.hostname) ? url.hostname : undefined;
}

/** `/org`, `/org/repo`, or with the scopes of npm `/npm/@scope` and `/npm/@scope/name`. */
function isPath(entry: string): boolean {
  if (/[\s\p{Cc}<>"\\^`{|}*?#]/u.test(entry)) return false;
  const [, ...segments] = entry.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) return false;
  const [first = "", second = ""] = segments;
  const isScoped = first.toLowerCase() === "npm" && second.startsWith("@");
  return segments.length <= (isScoped ? 3 : 2) && (isScoped || !entry.includes("@"));
}

/** The form in which entries are compared. */
export function foldEntry(entry: string): string {
  return entry.startsWith("/") ? foldId(entry) : entry.toLowerCase();
}

/** Creates the test whether a library matches an entry of a list: by ID, a prefix of it, host, or parent domain. */
function matcherOf(entries: readonly string[]): (facts: Pick<LibraryFacts, "id" | "host">) => boolean {
  if (entries.length === 0) return () => false;
  const folded = new Set(entries.map(foldEntry));
  return ({ id, host }) => {
    const path = foldId(id);
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (folded.has(path.slice(0, end))) return true;
    for (let domain = host ?? ""; domain !== ""; domain = above(domain)) if (folded.has(domain)) return true;
    return false;
  };
}

/** The parent domain; "" for a top-level domain. */
function above(domain: string): string {
  const dot = domain.indexOf(".");
  return dot === -1 ? "" : domain.slice(dot + 1);
}

/** The facts that policies judge a library by. Null: unknown. */
interface LibraryFacts {
  readonly id: string;
  readonly isPublic: boolean;
  /** The source types that have to be enabled. */
  readonly types: readonly SourceType[];
  /** Host that it is read from, without a port; null: none; undefined: unknown. */
  readonly host: string | null | undefined;
  readonly verified: boolean | null;
  /** 0 to 10. */
  readonly trust: number | null;
  readonly stars: number | null;
  readonly licences: Licences | null;
  readonly backlinks: number | null;
  readonly referringDomains: number | null;
  readonly organicTraffic: number | null;
  /** Creation time of the live generation, in milliseconds since 1970; null without one, undefined if unknown. */
  readonly servedAt: number | null | undefined;
}

/** The members of a library that its facts are made of. */
export interface JudgedLibrary extends Pick<
  LibraryRecord,
  "id" | "teamspace" | "source" | "trust" | "verified" | "licences"
> {
  readonly reputation?: Pick<Reputation, "score" | "stars">;
}

/** Facts that are unknown before a library is read. Those about visitors are not measured at all. */
const unknown = {
  verified: null,
  trust: null,
  stars: null,
  licences: null,
  backlinks: null,
  referringDomains: null,
  organicTraffic: null,
} as const;

/** The facts of a library. */
export function factsOf(library: JudgedLibrary, servedAt: number | null): LibraryFacts {
  const { id, teamspace, source, licences = null, reputation } = library;
  return {
    ...unknown,
    ...sourceFacts({ id, teamspace, source }),
    isPublic: teamspace === "",
    trust: trustOf(library),
    licences,
    servedAt,
    verified: isVerified(library),
    stars: reputation?.stars ?? null,
  };
}

/** The facts of a library of the upstream: its ID, as nothing else that the upstream says is trusted. */
export function upstreamFacts(id: string): LibraryFacts {
  const prefix = foldId(id).split("/")[1] ?? "";
  const types = [isIdPrefix(prefix) ? idPrefixes[prefix] : "public_repos"] as const;
  return { ...unknown, id, isPublic: true, types, host: undefined, servedAt: undefined };
}

/** The facts of a source before it is read. */
export function sourceFacts({
  id,
  teamspace,
  source,
}: Pick<JudgedLibrary, "id" | "teamspace" | "source">): Pick<LibraryFacts, "id" | "types" | "host"> {
  const host = kindOf(source).host(source);
  return { id, types: typesOf(source, teamspace), host: host === null ? null : host.replace(/:\d+$/, "") };
}

function typesOf(source: SourceSpec, teamspace: string): readonly SourceType[] {
  const type = kindOf(source).sourceType(source);
  return teamspace === "" ? [type] : sourceTypeFacts[type].ofPrivate;
}
