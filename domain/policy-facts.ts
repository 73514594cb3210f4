import type { LibraryRecord } from "./catalog.ts";
import { kindOf } from "./kinds/index.ts";
import type { SourceSpec, SourceType } from "./kinds/index.ts";
import { foldId } from "./library.ts";
import type { Licences } from "./licences.ts";
import { isVerified, trustOf } from "./trust.ts";
import type { Reputation } from "./trust.ts";

/** The facts that policies judge a library by. Null: unknown. */
export interface LibraryFacts {
  readonly id: string;
  readonly isPublic: boolean;
  /** Every source type that has to be enabled. */
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
  /** When the live generation was made, in milliseconds since 1970; null: there is none; undefined: unknown. */
  readonly servedAt: number | null | undefined;
}

/** A library, as far as its facts follow from it. */
export interface JudgedLibrary extends Pick<
  LibraryRecord,
  "id" | "teamspace" | "source" | "trust" | "verified" | "licences"
> {
  readonly reputation?: Pick<Reputation, "score" | "stars">;
}

/** Facts that are unknown before a library is read; nothing measures those of its visitors yet. */
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

/** Source types by the first segment of an ID; every other ID is that of a repository or a package. */
const typesById: Readonly<Record<string, SourceType>> = {
  websites: "websites",
  llmstxt: "llmstxt",
  docs: "uploaded_files",
  confluence: "confluence",
  notion: "private_sources",
};

/** The facts of a library of the upstream: its ID. What the upstream says of its libraries is not trusted. */
export function upstreamFacts(id: string): LibraryFacts {
  const types = [typesById[foldId(id).split("/")[1] ?? ""] ?? "public_repos"] as const;
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

/** Private libraries are `private_sources`, private uploads also `uploaded_files`; only Confluence has its own type. */
function typesOf(source: SourceSpec, teamspace: string): readonly SourceType[] {
  const type = kindOf(source).sourceType(source);
  if (teamspace === "" || type === "confluence") return [type];
  return type === "uploaded_files" ? ["private_sources", type] : ["private_sources"];
}
