import type { LibraryRecord } from "./catalog.ts";
import { kindOf } from "./kinds/index.ts";
import type { SourceSpec, SourceType } from "./kinds/index.ts";
import { foldId } from "./library.ts";
import type { Licences } from "./licences.ts";
import { isVerified, trustOf } from "./trust.ts";
import type { Reputation } from "./trust.ts";

/** What policies judge a library by. Null: not known. */
export interface LibraryFacts {
  readonly id: string;
  readonly isPublic: boolean;
  /** Every source type that has to be enabled. */
  readonly types: readonly SourceType[];
  /** Host that it is read from, without a port; null: none; undefined: not known. */
  readonly host: string | null | undefined;
  readonly verified: boolean | null;
  /** 0 to 10. */
  readonly trust: number | null;
  readonly stars: number | null;
  readonly licences: Licences | null;
  readonly backlinks: number | null;
  readonly referringDomains: number | null;
  readonly organicTraffic: number | null;
  /** When the generation was made that is served, in milliseconds since 1970; null: nothing is served; undefined: not known. */
  readonly servedAt: number | null | undefined;
}

/** What the facts of a library follow from. */
export interface JudgedLibrary extends Pick<
  LibraryRecord,
  "id" | "teamspace" | "source" | "trust" | "verified" | "licences"
> {
  readonly reputation?: Pick<Reputation, "score" | "stars">;
}

/** The facts of a library; what nobody measures yet is not known, and is to be filled in here. */
export function factsOf(library: JudgedLibrary, servedAt: number | null): LibraryFacts {
  const { id, teamspace, source, licences = null, reputation } = library;
  return {
    ...sourceFacts({ id, teamspace, source }),
    isPublic: teamspace === "",
    trust: trustOf(library),
    licences,
    servedAt,
    verified: isVerified(library),
    stars: reputation?.stars ?? null,
    backlinks: null,
    referringDomains: null,
    organicTraffic: null,
  };
}

/** The source types of IDs that begin with one; every other ID is a repository's, or a package's. */
const typesById: Readonly<Record<string, SourceType>> = {
  websites: "websites",
  llmstxt: "llmstxt",
  docs: "uploaded_files",
  confluence: "confluence",
  notion: "private_sources",
};

/** The facts of a library of the upstream: its ID. What an upstream says of its libraries is nothing that is known here. */
export function upstreamFacts(id: string): LibraryFacts {
  return {
    id,
    isPublic: true,
    types: [typesById[foldId(id).split("/")[1] ?? ""] ?? "public_repos"],
    host: undefined,
    verified: null,
    trust: null,
    stars: null,
    licences: null,
    backlinks: null,
    referringDomains: null,
    organicTraffic: null,
    servedAt: undefined,
  };
}

/** What is known of a source before it is read. */
export function sourceFacts({
  id,
  teamspace,
  source,
}: Pick<JudgedLibrary, "id" | "teamspace" | "source">): Pick<LibraryFacts, "id" | "types" | "host"> {
  const host = kindOf(source).host(source);
  return { id, types: typesOf(source, teamspace), host: host === null ? null : host.replace(/:\d+$/, "") };
}

/** A teamspace's own libraries are `private_sources`, uploads among them still `uploaded_files`; only Confluence has a type for itself. */
function typesOf(source: SourceSpec, teamspace: string): readonly SourceType[] {
  const type = kindOf(source).sourceType(source);
  if (teamspace === "" || type === "confluence") return [type];
  return type === "uploaded_files" ? ["private_sources", type] : ["private_sources"];
}
