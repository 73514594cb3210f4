import { z } from "zod";
import type { CredentialOf, GitSourceSpec, SourceSpec } from "../domain/kinds/index.ts";
import type { Source } from "../domain/ports.ts";
import type { RegistryAccess } from "../domain/packages.ts";
import type { FileSelection } from "../domain/source.ts";
import type { Browser } from "./lib/browser/browser.ts";
import type { FetchClient } from "./lib/fetch/client.ts";
import type { PoliteClient } from "./lib/fetch/polite.ts";
import type { Guard } from "./lib/fetch/guard.ts";
import type { ThreadPool } from "./lib/threads/thread-pool.ts";

/** The tools that all source readers share. */
export interface SourceTools {
  readonly client: FetchClient;
  /** Creates a client for one run that spaces its requests to a host. */
  readonly politeClient: () => PoliteClient;
  /** The browser of the process, for pages that are empty without one; null without Chromium. */
  readonly browser: () => Browser | null;
  readonly guard: Guard;
  /** Runs parsing off the event loop, which also answers questions if Lectern is one process. */
  readonly pool: ThreadPool;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Address of Confluence Cloud's API for tokens with scopes. */
  readonly confluenceGateway: URL;
  /** Address of Notion's API, or of a proxy in front of it. */
  readonly notionApi: URL;
  /** The configured registries of packages. */
  readonly registries: RegistryAccess;
  /** Folders of this machine that may be read, with their subfolders. */
  readonly folderRoots: readonly string[];
}

/**
 * Checks the manifests of a commit before it is read, and throws if it is the wrong commit. Returns the only folder to read; undefined:
 * the folders of the spec.
 */
export type VerifyCommit = (read: (path: string) => Promise<string | undefined>) => Promise<string | undefined>;

/** Creates a Git source, for kinds of source that lead to a repository. */
export type ReadGit = (verify?: VerifyCommit) => Source<GitSourceSpec, CredentialOf<"git">>;

/** The reader of a kind of source. */
export interface SourceReader<Spec extends SourceSpec, Credential = never> {
  /** Schema of its spec in an export. */
  readonly spec: z.ZodType<Spec>;
  create(tools: SourceTools): Source<Spec, Credential>;
}

/** Schema of a FileSelection in an export. */
export const selectionSchema: z.ZodType<FileSelection> = z.object({
  folders: z.array(z.string()),
  excludeFolders: z.array(z.string()).nullable(),
  excludeFiles: z.array(z.string()).nullable(),
  openapi: z
    .union([z.literal(true), z.array(z.string())])
    .nullable()
    .optional(),
  generateDocs: z.boolean().nullable().optional(),
});
