import { z } from "zod";
import type { CredentialOf, GitSourceSpec, SourceSpec } from "../../domain/kinds/index.ts";
import type { Source } from "../../domain/ports.ts";
import type { RegistryAccess } from "../../domain/packages.ts";
import type { FileSelection } from "../../domain/source.ts";
import type { Browser } from "../browser/browser.ts";
import type { FetchClient } from "../fetch/client.ts";
import type { PoliteClient } from "../fetch/polite.ts";
import type { Guard } from "../fetch/guard.ts";
import type { ThreadPool } from "../../threads/thread-pool.ts";

/** What sources are read with. */
export interface SourceTools {
  readonly client: FetchClient;
  /** For pages: asks each host at intervals. One for each run. */
  readonly politeClient: () => PoliteClient;
  /** For pages that are empty without one, one for the whole process, which also closes it; null where there is no Chromium. */
  readonly browser: () => Browser | null;
  readonly guard: Guard;
  /** For what takes long: the event loop answers readers in one process. */
  readonly pool: ThreadPool;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Where Confluence Cloud is asked with tokens that have scopes. */
  readonly confluenceGateway: URL;
  /** Address of Notion's API, or of a proxy in front of it. */
  readonly notionApi: URL;
  /** The registries that packages are read from. */
  readonly registries: RegistryAccess;
  /** Folders on this machine that may be read, with all below them. */
  readonly folderRoots: readonly string[];
}

/**
 * Looks at a commit before anything of it is read, by its manifests: it throws where that is not the one that is wanted. What it answers
 * is the only folder that is read; undefined: as the spec says.
 */
export type VerifyCommit = (read: (path: string) => Promise<string | undefined>) => Promise<string | undefined>;

/** Makes what reads repositories, for a kind that leads to one and does not know how they are read. */
export type ReadGit = (verify?: VerifyCommit) => Source<GitSourceSpec, CredentialOf<"git">>;

/** How a kind of source is read. */
export interface SourceReader<Spec extends SourceSpec, Credential = never> {
  /** Its spec, as an export has it. */
  readonly spec: z.ZodType<Spec>;
  create(tools: SourceTools): Source<Spec, Credential>;
}

/** A FileSelection, as an export has it. */
export const selectionSchema: z.ZodType<FileSelection> = z.object({
  folders: z.array(z.string()),
  excludeFolders: z.array(z.string()).nullable(),
  excludeFiles: z.array(z.string()).nullable(),
  openapi: z
    .union([z.literal(true), z.array(z.string())])
    .nullable()
    .optional(),
});
