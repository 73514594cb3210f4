import * as z from "zod";

import { troubles } from "../../domain/catalog.ts";
import { heldBackSchema } from "./quarantine.ts";
import { linkSchema } from "./reading.ts";

import { time, timeOrNull } from "./answers.ts";

/** States of a library: registered, first run open, readable, failed without anything readable, or moved. */
export const stateSchema = z.enum(["initial", "processing", "finalized", "error", "redirected"]).meta({
  id: "State",
  description:
    "`initial`: registered; `processing`: the first run is under way; `finalized`: can be read; `error`: nothing to read, and the last run failed or is suspended; `redirected`: it moved to another ID.",
});

const failureSchema = z
  .object({ error: z.string().describe("Machine code."), message: z.string().describe("What to do.") })
  .meta({ id: "Failure" });

const progressSchema = z
  .object({
    pagesDone: z.int().optional().describe("Pages dealt with."),
    pagesKnown: z.int().optional().describe("Pages there are."),
    pagesFailed: z.int().optional().describe("Pages of these that failed; absent while none did."),
    snippets: z.int().optional().describe("Snippets so far."),
    bytes: z.int().optional().describe("Bytes read."),
    answers: z
      .record(z.string(), z.int())
      .optional()
      .describe("Of a website: how often its hosts have answered with which status; `none`: no answer."),
    loaded: z.int().optional().describe("Passages that are in the index already."),
    waiting: z
      .object({
        host: z.string().describe("The host."),
        request: z.string().describe("The request that it has not answered, without its query."),
        since: time("Since when nothing has come. After 120 s the run fails as `timeout`."),
      })
      .optional()
      .describe("The host that it waits for; absent while hosts answer."),
  })
  .meta({ id: "Progress" });

const runSchema = z
  .object({
    id: z.string().describe("Run ID."),
    reason: z.enum(["submit", "refresh", "version", "publish", "import", "sweep"]).describe("Why it was started."),
    state: z.enum(["open", "closed"]),
    phase: z.string().describe("Phase that it is in, or ended in."),
    outcome: z
      .string()
      .nullable()
      .describe("How it ended: published, unchanged, held, superseded, failed or cancelled."),
    failure: failureSchema.nullable().describe("Why it failed; of an open run, why it is suspended."),
    progress: progressSchema,
    attempt: z.int().describe("Attempt of its current step, from 1."),
    lastFailure: failureSchema
      .nullable()
      .describe("Why the attempt of a step failed that was followed by the last one."),
    progressAt: timeOrNull("When its phase or its progress last changed."),
    createdAt: time("When it was asked for."),
    startedAt: timeOrNull("When it began."),
    closedAt: timeOrNull("When it ended."),
  })
  .meta({ id: "Run" });

const countsSchema = z
  .object({
    pages: z.int().describe("Pages indexed."),
    pagesSkipped: z.int().describe("Pages left out on purpose."),
    pagesFailed: z.int().describe("Pages that failed."),
    passages: z.int().optional().describe("Passages served; absent of what an earlier version of Lectern has indexed."),
    code: z.int().describe("Examples of code served."),
    info: z.int().describe("Passages with prose served."),
    snippets: z
      .int()
      .optional()
      .describe(
        "Snippets that the JSON form can serve; absent until what an earlier version of Lectern has indexed is counted.",
      ),
    quarantined: z.int().describe("Passages quarantined as suspicious."),
    duplicates: z.int().describe("Passages left out as duplicates."),
    tokens: z.int().describe("Estimated tokens served."),
    bytes: z.int().describe("Bytes read."),
  })
  .meta({ id: "Counts" });

const generationSchema = z
  .object({
    id: z.string().describe("Generation ID."),
    revision: z.string().describe("What was read: a commit or a hash."),
    ref: z.string().nullable().describe("Branch or tag."),
    counts: countsSchema,
    createdAt: time("When it was made."),
    damage: z
      .string()
      .nullable()
      .describe("The part or manifest that is missing or damaged, and what to do. Null: none was found."),
    unindexedSince: time(
      "When the index was found to lack it. It is loaded again by itself, and cannot be read until then.",
    ).nullable(),
  })
  .meta({ id: "Generation" });

const trustSchema = z
  .object({
    score: z.int().nullable().describe("0 to 10; null: too little is known."),
    isSet: z.boolean().describe("An administrator has set it."),
    verified: z.boolean().nullable().describe("Null: not known."),
    isVerifiedSet: z.boolean().describe("An administrator has set it."),
    factors: z
      .array(
        z.object({
          name: z.string(),
          weight: z.number().describe("Its weight, of 100 for all factors."),
          value: z.number().describe("0 to 1."),
          reason: z.string().describe("What it follows from."),
        }),
      )
      .describe("What the score follows from."),
    caps: z.array(z.string()).describe("What limits the score."),
    stars: z.int().nullable().describe("Stars at the host; null: not known."),
    problem: z.string().nullable().describe("Why nothing newer is known; null: it is."),
    checkedAt: timeOrNull("When it was found out."),
  })
  .describe("How far the library is trusted, and why (docs/explanation/trust.md).")
  .meta({ id: "Trust" });

const identity = {
  libraryId: z.string().describe("Library ID."),
  title: z.string().describe("Display name."),
  description: z.string().describe("Short description."),
  source: z
    .string()
    .describe('Where it is read from; of a folder its path for keys that may change the library, else "folder".'),
  private: z.boolean().describe("Belongs to a teamspace."),
  redirectUrl: z.string().nullable().describe("The ID that readers are sent to, where it moved."),
  trustScore: z.int().optional().describe("Absent where nothing is known."),
  createdAt: time("When it was submitted."),
};

const phase = z.string().nullable().describe("Phase of the open run.");
const versions = z.array(z.string()).describe("Its named versions, the newest first.");

/** A library in a list. */
export const summarySchema = z
  .object({
    ...identity,
    kind: z.string().describe("Kind of its source, such as `git` or `website`."),
    state: stateSchema,
    phase,
    troubles: z
      .array(z.enum(troubles))
      .describe("What is the matter with it, in one of its versions: what the parameter `state` asks for."),
    retryAt: timeOrNull("When the default version's failed run is tried again by itself; null: it is not."),
    versions,
    totalSnippets: z.int().describe("Snippets that are served."),
    totalTokens: z.int().describe("Their estimated tokens."),
    lastUpdateDate: timeOrNull("When what is served was read."),
    checkedAt: timeOrNull("When the source was last checked."),
  })
  .meta({ id: "LibrarySummary" });

const pendingRenameSchema = z
  .object({
    libraryId: z.string().describe("The ID that the library would get."),
    reason: z.string().describe("Why it waits."),
    since: time("When it was found."),
  })
  .describe("A rename on the host that waits for an administrator. Shown to keys that may change the library.")
  .meta({ id: "PendingRename" });

const missSchema = z
  .object({
    words: z.string().describe("The words of the question, in lower case."),
    times: z.int().describe("How often it was asked."),
    lastAskedAt: time("When it was asked last."),
  })
  .meta({ id: "MissedQuestion" });

/** The actions beyond reading that a caller may do. */
export const permissions = ["refresh", "metrics", "change"] as const;

/** The status of a library version. */
export const statusSchema = z
  .object({
    ...identity,
    version: z.string().describe("Empty: the default version."),
    versions,
    refsLeftOut: z
      .int()
      .describe("Branches and tags of the source that cannot be asked for as versions, as it has too many."),
    notes: z
      .array(z.string())
      .describe(
        "What of the library is left out and why, in sentences: formats that are not read, documents that are left out by default; what is wrong with an API description, each finding with its place.",
      ),
    state: stateSchema,
    phase,
    progress: progressSchema.nullable(),
    openRun: runSchema.nullable(),
    runs: z.array(runSchema).describe("The latest first, ten at most."),
    live: generationSchema.nullable(),
    held: generationSchema
      .extend({ notes: z.array(z.string()).describe("What of it is left out and why, in sentences.") })
      .meta({ id: "HeldGeneration" })
      .nullable(),
    checkedAt: timeOrNull("When the source was last checked."),
    refreshAt: timeOrNull("When its next automatic refresh is due; null: none, as it is not read."),
    retryAt: timeOrNull(
      "When the run that failed is tried again, or the suspended one resumed, by itself; null: it is not.",
    ),
    lastAskedAt: timeOrNull(
      "When the version was last asked for, by about a minute; null: never, or it is the default one.",
    ),
    removedAt: timeOrNull("When the sweep removes the version, unless it is used before; null: never."),
    schedule: z
      .union([z.int(), z.literal("never")])
      .nullable()
      .describe("Refresh interval in days, or `never`, if set; null: by use."),
    rules: z.array(z.string()).describe("Chosen rules that go with every answer."),
    trust: trustSchema,
    repository: z.string().nullable().describe("Of a package: address of the repository that it names. Null: none."),
    linked: z
      .array(linkSchema)
      .describe("What belongs to it of the libraries that the key may read: its repository, or its packages."),
    missedQuestions: z
      .array(missSchema)
      .optional()
      .describe(
        "Questions of which the library has no word, the latest first, twenty at most. Shown to keys that may change the library.",
      ),
    pendingRename: pendingRenameSchema.optional(),
    permitted: z
      .array(z.enum(permissions))
      .describe(
        "What the key may do with it beyond reading: `refresh` it, see its `metrics`, and `change` it, which is all that its administrators do.",
      ),
  })
  .meta({ id: "Status" });

const pageSchema = z
  .object({
    path: z.string().describe("Path in the source."),
    url: z
      .string()
      .describe(
        "Address that shows it; of a folder its path below it, with an address for keys that may change the library.",
      ),
    outcome: z.enum(["indexed", "skipped", "failed"]),
    code: z.string().optional().describe("Why it was skipped or failed."),
    reason: z.string().optional().describe("The same as a sentence."),
    title: z.string().optional().describe("Its title."),
    snippets: z.int().optional().describe("Snippets that came of it."),
    bytes: z.int().optional().describe("Its size."),
    from: z.string().optional().describe("Of a website: address of the page that led to it."),
    findings: heldBackSchema,
    failures: z
      .int()
      .optional()
      .describe("How often it failed since it was last read: its passages are those of then."),
    notes: z
      .array(z.string())
      .optional()
      .describe(
        "What it includes or refers to and cannot be found, and what is wrong with an API description, in sentences.",
      ),
  })
  .meta({ id: "Page" });

/** The outcomes of a version's pages. */
export const pagesSchema = z
  .object({
    libraryId: z.string().describe("Library ID."),
    version: z.string().describe("Empty: the default version."),
    generation: z.string().nullable().describe("The generation of the pages; null: none yet."),
    revision: z.string().nullable().describe("What was read."),
    outcomes: z.object({
      indexed: z.int().describe("Pages indexed."),
      skipped: z.int().describe("Pages skipped."),
      failed: z.int().describe("Pages failed."),
    }),
    pages: z.array(pageSchema),
    total: z.int().describe("Pages of the outcome asked for."),
    next: z.string().nullable().describe("Cursor of the next answer."),
  })
  .meta({ id: "Pages" });
