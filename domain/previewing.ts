import type { Caller } from "./access.ts";
import { authorize } from "./authorizing.ts";
import { credentialFor, openCredential, ownerOf } from "./credentials.ts";
import { kindOf, type SourceSpec } from "./kinds/index.ts";
import type { Policies } from "./policies.ts";
import type { Finding, Passage } from "./passage.ts";
import type { PageOutcome } from "./generation.ts";
import type { CredentialPorts } from "./shared-credentials.ts";
import type { Submission } from "./submitting.ts";

/** The outcome of a page in a preview. Pages outside of the sample, which were not read, only have `path` and `url`. */
export type PreviewPage = Pick<
  PageOutcome,
  "path" | "url" | "code" | "reason" | "title" | "from" | "notes" | "dropped" | "findings"
> & {
  readonly outcome: "read" | "skipped" | "failed";
  /** Number of passages. */
  readonly snippets?: number;
};

/** A passage that indexing would quarantine. */
export interface HeldPassage {
  /** "" if the screen has findings in it. */
  readonly url: string;
  readonly findings: readonly Finding[];
}

/** What submitting a source would index, without text in which the screen has findings. */
export interface Preview {
  /** "": unknown before reading. */
  readonly revision: string;
  readonly ref: string | null;
  /** Title and description in the sample; "": none. */
  readonly title: string;
  readonly description: string;
  /** In the order in which they were found. */
  readonly pages: readonly PreviewPage[];
  /** Number of known pages. */
  readonly total: number;
  /** Addresses of found pages that were not visited. */
  readonly waiting: readonly string[];
  /** What is not read and why, and problems of an API description, in sentences. */
  readonly notes: readonly string[];
  /** Number of responses by HTTP status; only of a website. */
  readonly answers?: Readonly<Record<string, number>>;
  /** The first passages that would be served. */
  readonly sample: readonly Passage[];
  /** The passages of the same pages that would be quarantined. */
  readonly quarantined: readonly HeldPassage[];
  /** False: time ran out before the end of the source. */
  readonly isWhole: boolean;
}

/** What a preview has found so far. */
export interface PreviewProgress {
  /** Number of pages that were read or passed over, and of known ones. */
  readonly done: number;
  readonly total: number;
  /** The latest page. */
  readonly path: string;
}

/** The ports that a preview needs. */
export interface PreviewingPorts extends CredentialPorts {
  readonly policies: Policies;
  /** Reads the beginning of a source as a run does, and stores nothing. @throws Failure */
  readonly previewOf: (
    source: SourceSpec,
    credential: object | null,
    signal: AbortSignal,
    onProgress?: (progress: PreviewProgress) => void,
  ) => Promise<Preview>;
}

/**
 * What a submission would index, for callers who may submit it. Nothing is indexed.
 * @throws Failure of the source, access_denied for a disabled source type, and what `authorize` and `chooseCredential` throw
 */
export async function previewSource(
  ports: PreviewingPorts,
  caller: Caller,
  { source, id, ...submission }: Submission,
  signal: AbortSignal,
  onProgress?: (progress: PreviewProgress) => void,
): Promise<Preview> {
  const teamspace = ownerOf(caller, { source, ...submission });
  authorize(caller, kindOf(source).onDisk === true ? "folder.submit" : "library.submit", { id, teamspace });
  (await ports.policies.of(caller)).requireSource({ id, teamspace, source });
  const chosen = await credentialFor(ports, caller, { source, teamspace }, submission.credential);
  const record = chosen && ("own" in chosen ? chosen.own : await ports.catalog.credentials.get(chosen.shared));
  return ports.previewOf(source, record ? openCredential(ports.secrets, record) : null, signal, onProgress);
}
