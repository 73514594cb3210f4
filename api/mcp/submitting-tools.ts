import * as z from "zod";
import { troubles } from "../../domain/catalog.ts";
import { Failure } from "../../domain/failures.ts";
import { forms, typedAddress } from "../forms/index.ts";
import { integer, libraryIdText, oneOf, text, truth } from "../parameters.ts";
import { refName } from "../forms/fields.ts";
import { statusSchema } from "../schemas/status.ts";
import { Refusal, succeed, tool, type Tool } from "./tool.ts";

const started = z.object({
  libraryId: z.string().describe("The library's ID."),
  message: z.string().describe("What happens now."),
});

const { libraryId, title, state, phase, versions } = statusSchema.shape;
/** The common members of a status and of a list entry, in results. */
const summary = { libraryId, title, state, phase, versions };
const counts = z.object({ pages: z.int(), pagesFailed: z.int(), quarantined: z.int() });
const status = z.object({
  ...summary,
  progress: z
    .object({ pagesDone: z.int().optional(), pagesKnown: z.int().optional(), snippets: z.int().optional() })
    .nullable()
    .describe("Progress of the open run."),
  failure: z.string().nullable().describe("Why the last run failed."),
  live: counts.nullable().describe("Counts of the served pages; null: none yet."),
});
const list = z.object({
  libraries: z.array(z.object({ ...summary, totalSnippets: z.int().describe("Snippets served.") })),
  total: z.int().describe("Number of all libraries that the key may see."),
  next: z.string().nullable().describe("`cursor` of the next page."),
});

/** A status as the API answers it. */
interface Status extends Omit<z.infer<typeof status>, "live" | "failure"> {
  readonly live: { readonly counts: z.infer<typeof counts> } | null;
  readonly runs: readonly { readonly state: string; readonly failure: { readonly message: string } | null }[];
}

/** Tools for keys that may submit. */
export const submittingTools: readonly Tool[] = [
  tool({
    name: "add-library",
    title: "Add a library",
    description:
      "Has the documentation at an address read and indexed, so that query-docs answers from it: a Git repository, a website, an llms.txt or an OpenAPI description. Look with resolve-library-id first whether it is there. Answers at once; library-status says when it can be read. Ask the user before you add what he has not named.",
    scope: "submit",
    changes: true,
    input: z.object({
      address: text(1, 1000).describe("Absolute http or https address, without credentials."),
      libraryName: libraryIdText.optional().describe("ID for the library, instead of the derived one."),
      branch: refName.optional().describe("Branch or tag; for repositories only."),
      private: truth()
        .optional()
        .describe("The library belongs to the key's teamspace, and only its keys may read it."),
    }),
    output: started,
    async run(ask, { address, libraryName, branch, private: isPrivate }) {
      const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
      const typed = url === null ? undefined : typedAddress(address);
      if (url === null || typed === undefined)
        throw new Failure("validation_error", "address must be an absolute http or https address.");
      // Agents' conversations are stored by their providers, so they must not contain secrets.
      if (url.username + url.password !== "")
        throw new Failure(
          "validation_error",
          "address must not contain credentials. Private sources are added with lectern add, which keeps their tokens from agents.",
        );
      const hasBranch = "branch" in (forms[typed.kind].options?.fields ?? {});
      if (branch !== undefined && !hasBranch)
        throw new Failure("validation_error", "branch is for repositories only. Leave it out.");
      const body = { ...typed.body, libraryName, branch, private: isPrivate };
      try {
        return startedResult((await succeed(ask, "POST", typed.path, { body })).body);
      } catch (error) {
        // The operation has another name for the field.
        const [field = ""] = Object.keys(typed.body);
        throw error instanceof Refusal ? new Refusal(error.message.replaceAll(field, "address")) : error;
      }
    },
  }),
  tool({
    name: "refresh-library",
    title: "Refresh a library",
    description:
      "Refreshes a library from its source, or starts indexing a version that it lacks. The live generation can be read meanwhile. Answers at once.",
    scope: "submit",
    changes: true,
    input: z.object({
      libraryId: libraryIdText,
      branch: refName.optional().describe("Branch or tag to refresh."),
    }),
    output: started,
    async run(ask, { libraryId, branch }) {
      const body = { libraryName: libraryId, branch };
      return startedResult((await succeed(ask, "POST", "/v1/refresh", { body })).body);
    },
  }),
  tool({
    name: "library-status",
    title: "Status of a library",
    description: "Says whether a library can be read, the progress of its indexing, and why it failed if it did.",
    scope: "submit",
    changes: false,
    input: z.object({ libraryId: libraryIdText }),
    output: status,
    async run(ask, { libraryId }) {
      const { body } = await succeed(ask, "GET", "/v2/libs/status", { query: { libraryId } });
      const answer = body as Status;
      const failure = answer.runs.find(({ state }) => state === "closed")?.failure?.message ?? null;
      const data = status.parse({ ...answer, failure, live: answer.live?.counts ?? null });
      return { text: showStatus(data), data };
    },
  }),
  tool({
    name: "list-libraries",
    title: "List libraries",
    description: "Lists the libraries that the key may see, by ID. To find one by name, use resolve-library-id.",
    scope: "submit",
    changes: false,
    input: z.object({
      search: text(1, 500).optional().describe("Text in the ID or title."),
      state: oneOf(troubles).optional().describe("Only libraries with this trouble."),
      limit: integer(1, 100).optional().describe("Maximum number of libraries; default: 50."),
      cursor: text(1, 2000).optional().describe("`next` of the previous page."),
    }),
    output: list,
    async run(ask, query) {
      const data = list.parse((await succeed(ask, "GET", "/v2/libs", { query })).body);
      const lines = data.libraries.map(({ libraryId, title, state }) => `${libraryId} (${state}): ${title}`);
      const more = data.next === null ? [] : [`There are more: call again with the cursor ${data.next}`];
      return { text: [`${data.total} in all.`, ...lines, ...more].join("\n"), data };
    },
  }),
];

function startedResult(body: unknown): { text: string; data: z.infer<typeof started> } {
  const { libraryName: libraryId, message } = body as { libraryName: string; message: string };
  return { text: `${message}\nLibrary ID: ${libraryId}`, data: { libraryId, message } };
}

function showStatus({ libraryId, state, phase, progress, failure, live, versions }: z.infer<typeof status>): string {
  const { pagesDone, pagesKnown } = progress ?? {};
  const pages =
    pagesDone === undefined ? "" : `, ${pagesDone}${pagesKnown === undefined ? "" : ` of ${pagesKnown}`} pages`;
  return [
    `${libraryId}: ${state}${phase === null ? "" : `, a run is in the phase ${phase}${pages}`}.`,
    ...(live === null
      ? []
      : [`${live.pages} pages are served; ${live.pagesFailed} failed, ${live.quarantined} passages are quarantined.`]),
    ...(failure === null ? [] : [`The last run failed: ${failure}`]),
    ...(versions.length === 0 ? [] : [`Versions: ${versions.join(", ")}`]),
  ].join("\n");
}
