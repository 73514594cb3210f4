import * as z from "zod";
import { refreshLibrary } from "../../domain/refreshing-versions.ts";
import type { FailureCode } from "../../domain/failures.ts";
import { submitLibrary, type Submission, type Submitted } from "../../domain/submitting.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { credentialId, type SourceForm } from "../forms/form.ts";
import { chooseSecret, secretFields } from "../forms/library-settings.ts";
import { addressForm, forms } from "../forms/index.ts";
import { libraryIdText, parseBody } from "../parameters.ts";
import { refName } from "../forms/fields.ts";
import { route, success, type Call, type Route } from "../route.ts";

const refreshFields = {
  libraryName: libraryIdText,
  branch: refName.optional().describe("Branch or tag to refresh."),
};
const refreshBody = z
  .object({
    ...refreshFields,
    credential: credentialId
      .optional()
      .describe("ID of a shared credential for the library, in place of its own. Private libraries only."),
    ...secretFields,
  })
  .meta({ id: "Refresh" });

const olderFields = {
  libraryName: libraryIdText.optional(),
  libraryTagCode: refName.optional(),
};
const olderBody = z
  .union([
    z.looseObject({ docsRepoUrl: z.string().describe("A repository, as in `POST /v2/add/repo/git`.") }),
    z.looseObject({ llmstxtUrl: z.string().describe("An llms.txt, as in `POST /v2/add/llmstxt`.") }),
    z.object({ libraryName: libraryIdText, libraryTagCode: refName.describe("Tag or branch to index.") }),
  ])
  .meta({ id: "OlderSubmission" });

const submissionSchema = z
  .object({
    libraryName: z.string().describe("The library's ID."),
    message: z.string().describe("What happens now."),
    version: z.string().describe("Empty: the default version."),
    runId: z.string().describe("The run that was started or joined."),
    statusUrl: z.string().describe("Address of its status."),
    joined: z.boolean().optional().describe("Whether it is a run that was open already; only with a refresh."),
  })
  .meta({ id: "Submission" });

const common = {
  method: "POST",
  limit: "submission",
  failures: ["invalid_library_id", "service_unavailable"],
} as const;

const refreshFailures = [
  ...common.failures,
  "library_redirected",
  "library_not_found",
  "tag_not_found",
  "branch_not_found",
  "address_not_allowed",
  "run_open",
  "credential_not_found",
  "access_denied",
  "run_suspended",
] as const satisfies readonly FailureCode[];

/** The route of a form. It answers with the library ID before anything is fetched. */
function submission({ path, about, failures, body, scope, toSubmission }: SourceForm): Route {
  return route({
    ...common,
    path: `/api${path}`,
    scope,
    about: { ...about, tag: "Submissions" },
    body,
    answers: success(submissionSchema, "Submitted; indexing has begun."),
    failures: [...common.failures, "access_denied", ...failures],
    audit: "library.submit",
    handler: async (call) => submit(call, await toSubmission(call)),
  });
}

async function submit({ request, caller, options, act }: Call, wanted: Submission): Promise<ApiAnswer> {
  act.on(wanted.id);
  const submission = { ...wanted, declaration: request.declaration };
  return submitted(options.settings.publicUrl, await submitLibrary(options.ports, caller, submission));
}

/** Submitting sources, and refreshing libraries. */
export const submissionRoutes: readonly Route[] = [
  ...Object.values(forms).flatMap((kind) => kind.forms.map(submission)),
  route({
    ...common,
    path: "/api/v1/add",
    scope: "submit",
    audit: "library.submit",
    about: {
      operationId: "addSourceV1",
      tag: "Submissions",
      summary: "Submit a source by the field with its address",
      description:
        "For older clients; answers like `/v2/add`. It takes the fields of the submission with the same address, or `libraryName` and `libraryTagCode` as a refresh.",
    },
    body: { ...jsonBody(z.looseObject(olderFields)), content: jsonBody(olderBody).content },
    answers: success(submissionSchema, "Submitted; indexing has begun."),
    failures: [...refreshFailures, "duplicate_repo", "duplicate_library"],
    async handler(call) {
      const { caller, body, options } = call;
      const { libraryName, libraryTagCode: branch } = body;
      if (libraryName !== undefined && branch !== undefined) {
        const started = await refreshLibrary(options.ports, caller, { libraryName, branch });
        return submitted(options.settings.publicUrl, started);
      }
      const form = addressForm(body);
      return submit(call, await form.toSubmission({ ...call, body: parseBody(form.schema, body) }));
    },
  }),
  route({
    ...common,
    path: "/api/v1/refresh",
    scope: "submit",
    audit: "library.refresh",
    about: { operationId: "refreshLibrary", tag: "Submissions", summary: "Refresh a library" },
    // The credential depends on the kind of the library.
    body: { ...jsonBody(z.looseObject(refreshFields)), content: jsonBody(refreshBody).content },
    answers: success(submissionSchema, "Started, or joined the open run."),
    failures: refreshFailures,
    async handler({ caller, body, options }) {
      const { libraryName, branch } = body;
      const started = await refreshLibrary(options.ports, caller, {
        libraryName,
        ...(branch !== undefined && { branch }),
        credential: (source) => chooseSecret(source, body),
      });
      return submitted(options.settings.publicUrl, started);
    },
  }),
];

function submitted(publicUrl: string | null, result: Submitted): ApiAnswer {
  const { libraryName, version } = result;
  const name = version === "" ? libraryName : `${libraryName}@${version}`;
  const base = publicUrl?.replace(/(?<!\/)\/+$/, "") ?? "";
  return jsonAnswer({ ...result, statusUrl: `${base}/api/v2/libs/status?libraryId=${encodeURIComponent(name)}` });
}
