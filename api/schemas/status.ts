import * as z from "zod";
import { troubles } from "../../domain/catalog.ts";
import { heldBackSchema } from "./quarantine.ts";
import { linkSchema } from "./reading.ts";
import { time, timeOrNull } from "./answers.ts";

/** States of a library: registered, first run open, readable, failed without anything readable, or moved. */
export const stateSchema = z.enum(["initial", "processing", "finalized", "error", "redirected"]).meta({
  id: "State",
  description:
    "`initial`: registered; `processing`: the first run is executing; `finalized`: can be read; `error`: cannot be read, as the last run failed or is suspended; `redirected`: moved to another ID.",
});

const failureSchema = z
  .object({ error: z.string().describe("Machine code."), message: z.string().describe("What to do.") })
  .meta({ id: "Failure" });

const progressSchema = z
  .object({
    pagesDone: z.int().optional().describe("Processed pages."),
    pagesKnown: z.int().optional().describe("Known pages."),
    pagesFailed: z.int().optional().describe("Failed pages; absent while there are none."),
    snippets: z.int().optional().describe("Snippets so far."),
    bytes: z.int().optional().describe("Bytes read."),
    answers: z
      .record(z.string(), z.int())
      .optional()
      .describe("Of a website: number of responses by status; `none`: no response."),
    loaded: z.int().optional().describe("Passages loaded into the index."),
    waiting: z
      .object({
        host: z.string().describe("The host."),
        request: z.string().describe("The unanswered request, without its query."),
        since: time("Time of the last received data. After 120 s the run fails as `timeout`."),
      })
      .optional()
      .describe("The host that does not answer; absent while all hosts do."),
  })
  .meta({ id: "Progress" });

const runSchema = z
  .object({
    id: z.string().describe("Run ID."),
    reason: z
      .enum(["submit", "refresh", "version", "publish", "import", "push", "sweep"])
      .describe("Why it was started."),
    state: z.enum(["open", "closed"]),
    phase: z.string().describe("Current or last phase."),
    outcome: z.string().nullable().describe("Result: published, unchanged, held, superseded, failed or cancelled."),
    failure: failureSchema.nullable().describe("Why it failed, or why an open run is suspended."),
    progress: progressSchema,
    attempt: z.int().describe("Attempt of its current step, from 1."),
    lastFailure: failureSchema.nullable().describe("Failure of the previous attempt of a step."),
    progressAt: timeOrNull("When its phase or its progress last changed."),
    createdAt: time("When it was requested."),
    startedAt: timeOrNull("When it began."),
    closedAt: timeOrNull("When it ended."),
  })
  .meta({ id: "Run" });

const countsSchema = z
  .object({
    pages: z.int().describe("Pages indexed."),
    pagesSkipped: z.int().describe("Pages that were skipped on purpose."),
    pagesFailed: z.int().describe("Pages that failed."),
    passages: z.int().optional().describe("Passages served; absent if an earlier version of Lectern indexed them."),
    code: z.int().describe("Examples of code served."),
    info: z.int().describe("Passages with prose served."),
    snippets: z
      .int()
      .optional()
      .describe("Snippets of the JSON form; absent until counted, if an earlier version of Lectern indexed them."),
    quarantined: z.int().describe("Passages quarantined as suspicious."),
    duplicates: z.int().describe("Passages left out as duplicates."),
    isPartial: z.literal(true).optional().describe("More documents are in formats that are not read than are read."),
    tokens: z.int().describe("Estimated tokens served."),
    bytes: z.int().describe("Bytes read."),
  })
  .meta({ id: "Counts" });

const generationSchema = z
  .object({
    id: z.string().describe("Generation ID."),
    revision: z.string().describe("Commit or hash of the source."),
    ref: z.string().nullable().describe("Branch or tag."),
    counts: countsSchema,
    createdAt: time("When it was created."),
    damage: z
      .string()
      .nullable()
      .describe("The missing or damaged part or manifest, and what to do; null: no damage found."),
    unindexedSince: time(
      "Since when the index lacks it. It is loaded again automatically; reads fail until then.",
    ).nullable(),
  })
  .meta({ id: "Generation" });

const trustSchema = z
  .object({
    score: z.int().nullable().describe("0 to 10; null: unknown."),
    isSet: z.boolean().describe("An administrator has set it."),
    verified: z.boolean().nullable().describe("Null: unknown."),
    isVerifiedSet: z.boolean().describe("An administrator has set it."),
    factors: z
      .array(
        z.object({
          name: z.string(),
          weight: z.number().describe("Its weight, of 100 in total."),
          value: z.number().describe("0 to 1."),
          reason: z.string().describe("The reason for its value."),
        }),
      )
      .describe("The factors of the score."),
    caps: z.array(z.string()).describe("Reasons that limit the score."),
    stars: z.int().nullable().describe("Stars at the host; null: unknown."),
    problem: z.string().nullable().describe("Why the data could not be updated; null: it is up to date."),
    checkedAt: timeOrNull("When the data was last updated."),
  })
  .describe("Trust in the library, and the reasons (docs/explanation/trust.md).")
  .meta({ id: "Trust" });

const identity = {
  libraryId: z.string().describe("Library ID."),
  title: z.string().describe("Display name."),
  description: z.string().describe("Short description."),
  source: z
    .string()
    .describe('Address of the source. Of a folder: the path for keys that may change the library, else "folder".'),
  private: z.boolean().describe("Belongs to a teamspace."),
  redirectUrl: z.string().nullable().describe("The ID to which readers are redirected, if the library moved."),
  trustScore: z.int().optional().describe("Absent if unknown."),
  createdAt: time("When it was submitted."),
};

const phase = z.string().nullable().describe("Phase of the open run.");
const versions = z.array(z.string()).describe("Its named versions, newest first.");

/** A library in a list. */
export const summarySchema = z
  .object({
    ...identity,
    kind: z.string().describe("Kind of its source, such as `git` or `website`."),
    state: stateSchema,
    phase,
    troubles: z
      .array(z.enum(troubles))
      .describe("Its troubles, in any version; the parameter `state` filters by them."),
    failure: failureSchema.nullable().describe("Why the default version's last run failed."),
    retryAt: timeOrNull("When the default version's failed run is retried automatically; null: never."),
    versions,
    totalSnippets: z.int().describe("Snippets served."),
    totalTokens: z.int().describe("Their estimated tokens."),
    lastUpdateDate: timeOrNull("When the served content was read."),
    checkedAt: timeOrNull("When the source was last checked."),
  })
  .meta({ id: "LibrarySummary" });

const pendingRenameSchema = z
  .object({
    libraryId: z.string().describe("The ID that the library would get."),
    reason: z.string().describe("Why it is pending."),
    since: time("When it was detected."),
  })
  .describe("A rename on the host that awaits an administrator's decision. Shown to keys that may change the library.")
  .meta({ id: "PendingRename" });

const missSchema = z
  .object({
    words: z.string().describe("The words of the question, in lower case."),
    times: z.int().describe("Number of times it was asked."),
    lastAskedAt: time("When it was last asked."),
  })
  .meta({ id: "MissedQuestion" });

/** The actions beyond reading that a caller may do. */
export const permissions = ["refresh", "metrics", "note", "change"] as const;

/** The status of a library version. */
export const statusSchema = z
  .object({
    ...identity,
    version: z.string().describe("Empty: the default version."),
    versions,
    refsLeftOut: z
      .int()
      .describe("Number of branches and tags that cannot be requested as versions, as the source has too many."),
    notes: z
      .array(z.string())
      .describe(
        "Omissions and problems, in sentences: unread formats, documents left out by default, errors of an API description with their places.",
      ),
    unread: z
      .object({
        formats: z.string().describe("Such as `78 .textile files (Textile)`."),
        advice: z.string().describe("Where else the documentation may be, with the command that adds it."),
      })
      .nullable()
      .describe("Documentation in formats that are not read; null: all is read."),
    state: stateSchema,
    phase,
    progress: progressSchema.nullable(),
    openRun: runSchema.nullable(),
    runs: z.array(runSchema).describe("Newest first, ten at most."),
    live: generationSchema.nullable(),
    held: generationSchema
      .extend({ notes: z.array(z.string()).describe("Omissions and problems, in sentences.") })
      .meta({ id: "HeldGeneration" })
      .nullable(),
    checkedAt: timeOrNull("When the source was last checked."),
    refreshAt: timeOrNull("When its next automatic refresh is due; null: paused, as it is not read."),
    retryAt: timeOrNull("When the failed run is retried, or the suspended one resumed, automatically; null: never."),
    lastAskedAt: timeOrNull(
      "When the version was last read, to about a minute; null: never, or it is the default one.",
    ),
    removedAt: timeOrNull("When the version is removed, unless it is read before; null: never."),
    schedule: z
      .union([z.int(), z.literal("never")])
      .nullable()
      .describe("Refresh interval in days, or `never`; null: by use."),
    rules: z.array(z.string()).describe("Rules sent with every answer."),
    trust: trustSchema,
    repository: z.string().nullable().describe("Of a package: address of its repository; null: none."),
    linked: z.array(linkSchema).describe("Linked libraries that the key may read: its repository, or its packages."),
    missedQuestions: z
      .array(missSchema)
      .optional()
      .describe("The newest twenty questions that found nothing. Shown to keys that may change the library."),
    pendingRename: pendingRenameSchema.optional(),
    permitted: z
      .array(z.enum(permissions))
      .describe(
        "Rights of the key beyond reading. `note` is that of its teamspace; `change` covers everything else that administrators do.",
      ),
  })
  .meta({ id: "Status" });

/** The outcome of a page. */
export const pageSchema = z
  .object({
    path: z.string().describe("Path in the source, or address."),
    url: z
      .string()
      .describe("Its address. Of a folder: the path below it; the whole path for keys that may change the library."),
    outcome: z.enum(["indexed", "skipped", "failed"]),
    code: z.string().optional().describe("Why it was skipped or failed."),
    reason: z.string().optional().describe("The reason as a sentence."),
    title: z.string().optional().describe("Its title."),
    snippets: z.int().optional().describe("Snippets of the page."),
    bytes: z.int().optional().describe("Its size."),
    from: z.string().optional().describe("Of a website: address of the page that links to it."),
    findings: heldBackSchema,
    failures: z
      .int()
      .optional()
      .describe("Number of failures since it was last read; its passages are from that time."),
    notes: z
      .array(z.string())
      .optional()
      .describe("Missing files that it includes or refers to, and errors of an API description, in sentences."),
    dropped: z
      .record(z.string(), z.int())
      .optional()
      .describe("Number of elements of HTML with words that are not served, by reason, such as `menu` or `hidden`."),
  })
  .meta({ id: "Page" });

/** The outcomes of a version's pages. */
export const pagesSchema = z
  .object({
    libraryId: z.string().describe("Library ID."),
    version: z.string().describe("Empty: the default version."),
    generation: z.string().nullable().describe("The generation of the pages; null: none yet."),
    revision: z.string().nullable().describe("Commit or hash of the source."),
    outcomes: z.object({
      indexed: z.int().describe("Pages indexed."),
      skipped: z.int().describe("Pages skipped."),
      failed: z.int().describe("Pages failed."),
    }),
    pages: z.array(pageSchema),
    total: z.int().describe("Number of pages of the requested outcome."),
    next: z.string().nullable().describe("Cursor of the next answer."),
  })
  .meta({ id: "Pages" });
