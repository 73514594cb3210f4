import type { Caller } from "./access.ts";
import { authorize } from "./authorizing.ts";
import { credentialFor, openCredential, ownerOf } from "./credentials.ts";
import type { CredentialPorts } from "./credentials.ts";
import { kindOf } from "./kinds/index.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { Policies } from "./policies.ts";
import type { Finding, Passage } from "./passage.ts";
import type { PageOutcome } from "./generation.ts";
import type { Submission } from "./submitting.ts";

/** What becomes of a page. Of pages that are not in the sample only `path` and `url` are known: they would be read. */
export type PreviewPage = Pick<
  PageOutcome,
  "path" | "url" | "code" | "reason" | "title" | "from" | "notes" | "findings"
> & {
  readonly outcome: "read" | "skipped" | "failed";
  /** Passages; only of pages in the sample. */
  readonly snippets?: number;
};

/** A passage that indexing would hold back: where it stands, and why. */
export interface HeldPassage {
  /** Where it stands; "" where that reads like an order itself. */
  readonly url: string;
  readonly findings: readonly Finding[];
}

/** What submitting a source would index. What reads like an order to the reader's agent is in none of it. */
export interface Preview {
  /** "" where it is known only after reading. */
  readonly revision: string;
  readonly ref: string | null;
  /** Title and description as the source itself says them, as far as the sample tells; "" where it says none. */
  readonly title: string;
  readonly description: string;
  /** In the order in which they were found. */
  readonly pages: readonly PreviewPage[];
  /** Pages there are, as far as that is known. */
  readonly total: number;
  /** Addresses of pages that were found and not visited. */
  readonly waiting: readonly string[];
  /** What of the source is not read and why, and what is wrong with an API description, in sentences. */
  readonly notes: readonly string[];
  /** How often hosts have answered with which status; only of a website. */
  readonly answers?: Readonly<Record<string, number>>;
  /** The first passages of the first pages that would be served. */
  readonly sample: readonly Passage[];
  /** The passages of these pages that would not be. */
  readonly quarantined: readonly HeldPassage[];
  /** False where there was no time for all of the source. */
  readonly isWhole: boolean;
}

/** What a preview needs of the world. */
export interface PreviewingPorts extends CredentialPorts {
  readonly policies: Policies;
  /** Reads a source as a run does, as far as a preview goes; nothing is kept. @throws Failure */
  readonly previewOf: (source: SourceSpec, credential: object | null, signal: AbortSignal) => Promise<Preview>;
}

/**
 * What a submission would index, without indexing it: for those who may submit it.
 * @throws Failure of the source, access_denied for a source type that is disabled, and what `authorize` and `chooseCredential` throw
 */
export async function previewSource(
  ports: PreviewingPorts,
  caller: Caller,
  { source, id, ...submission }: Submission,
  signal: AbortSignal,
): Promise<Preview> {
  const teamspace = ownerOf(caller, { source, ...submission });
  authorize(caller, kindOf(source).onDisk === true ? "folder.submit" : "library.submit", { id, teamspace });
  (await ports.policies.of(caller)).requireSource({ id, teamspace, source });
  const chosen = await credentialFor(ports, caller, { source, teamspace }, submission.credential);
  const record = chosen && ("own" in chosen ? chosen.own : await ports.catalog.credentials.get(chosen.shared));
  return ports.previewOf(source, record ? openCredential(ports.secrets, record) : null, signal);
}
