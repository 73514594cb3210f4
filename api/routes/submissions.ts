import { basename } from "node:path";

import * as z from "zod";

import type { FailureCode } from "../../domain/failures.ts";
import { authorize } from "../../domain/authorizing.ts";
import { chosenId, deriveDocsId, deriveRepositoryId } from "../../domain/library.ts";
import { refreshLibrary, submitLibrary } from "../../domain/submitting.ts";
import type { Submission, Submitted } from "../../domain/submitting.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import type { BodyKind } from "../body.ts";
import { libraryIdText, text, truth } from "../parameters.ts";
import {
  libraryDescription,
  libraryTitle,
  parseRepositoryUrl,
  refName,
  selectionFields,
  toSelection,
  tokenText,
} from "../repository.ts";
import type { RepositoryRoute } from "../repository.ts";
import { route, success } from "../route.ts";
import type { About, Call, Route } from "../route.ts";

const ownId = libraryIdText.optional().describe("The ID that the library is to have, instead of the derived one.");

const repositoryBody = z
  .object({
    docsRepoUrl: text(1, 1000)
      .meta({ format: "uri" })
      .describe("Absolute http or https address, without credentials, on a host that fits the route."),
    libraryName: ownId,
    gitToken: tokenText.optional().describe("Token for the repository's host. Kept encrypted, never shown."),
    private: truth().optional().describe("Belongs to the key's teamspace. Default: true with a gitToken, else false."),
    skipVersionFiltering: truth().default(false).describe("Keep folders that document older versions."),
    // Taken for the published clients' sake.
    generateDocs: truth().optional().describe("Accepted and ignored: no model is used here."),
    branch: refName.optional().describe("Branch or tag; default: the repository's default branch."),
    title: libraryTitle.optional().describe("Display name, which comes before what the source says of itself."),
    description: libraryDescription
      .optional()
      .describe("Short description, which comes before what the source says of itself."),
    ...selectionFields,
  })
  .meta({ id: "Repository" });

const folderBody = z
  .object({
    path: text(1, 4096).describe(
      "Folder on the server, inside FOLDER_ROOTS; absolute, or relative to the server's working folder.",
    ),
    title: libraryTitle.optional().describe("Default: the folder's name."),
    description: libraryDescription.optional().describe("Short description."),
    libraryName: ownId,
    private: truth().default(false).describe("Belongs to the key's teamspace."),
    ...selectionFields,
  })
  .meta({ id: "Folder" });

const refreshBody = z
  .object({
    libraryName: libraryIdText,
    branch: refName.optional().describe("Branch or tag to refresh."),
    gitToken: tokenText.optional().describe("Replaces the token that is kept."),
  })
  .meta({ id: "Refresh" });

const submissionSchema = z
  .object({
    libraryName: z.string().describe("The library's ID."),
    message: z.string().describe("What happens now."),
    version: z.string().describe("Empty: the default version."),
    runId: z.string().describe("The run that was started or joined."),
    statusUrl: z.string().describe("Where its status is."),
    joined: z.boolean().optional().describe("A run was open already, and this is that one; with a refresh only."),
  })
  .meta({ id: "Submission" });

/** One kind of submission: what it takes, and what comes of it. */
interface SubmissionForm<Body> {
  /** Behind `/api`. */
  readonly path: string;
  readonly scope: "submit" | "admin";
  readonly about: Omit<About, "tag">;
  readonly body: BodyKind<Body>;
  readonly failures: readonly FailureCode[];
  readonly answered?: string;
  readonly handler: (call: Call<unknown, Body>) => Promise<ApiAnswer>;
}

function submission<Body>({ path, about, answered, failures, ...form }: SubmissionForm<Body>): Route {
  return route({
    ...form,
    method: "POST",
    path: `/api${path}`,
    limit: "submission",
    about: { ...about, tag: "Submissions" },
    answers: success(submissionSchema, answered ?? "Submitted; indexing has begun."),
    failures: ["invalid_library_id", "service_unavailable", ...failures],
  });
}

function repository(kind: RepositoryRoute, operationId: string, host: string, description: string): Route {
  return submission({
    path: `/v2/add/repo/${kind}`,
    scope: "submit",
    about: { operationId, summary: `Submit a repository of ${host}`, description },
    body: jsonBody(repositoryBody),
    failures: ["access_denied", "duplicate_repo", "address_not_allowed"],
    handler: addRepository(kind),
  });
}

/** Submitting repositories and folders, and refreshing libraries. */
export const submissionRoutes: readonly Route[] = [
  repository("github", "addGithubRepository", "GitHub", "github.com, and the hosts configured for GitHub Enterprise."),
  repository(
    "gitlab",
    "addGitlabRepository",
    "GitLab",
    "gitlab.com, and the hosts configured for self-managed GitLab.",
  ),
  repository(
    "bitbucket",
    "addBitbucketRepository",
    "Bitbucket",
    "bitbucket.org, and the hosts configured for Bitbucket.",
  ),
  repository("git", "addGitRepository", "any Git host", "Any host that is reached over http or https."),
  submission({
    path: "/v2/add/folder",
    scope: "admin",
    about: {
      operationId: "addFolder",
      summary: "Submit a folder of the server's disk",
      description: "For the instance's administrators.",
    },
    body: jsonBody(folderBody),
    failures: ["access_denied", "source_not_found", "duplicate_library"],
    handler: addFolder,
  }),
  submission({
    path: "/v1/refresh",
    scope: "submit",
    about: { operationId: "refreshLibrary", summary: "Refresh a library" },
    body: jsonBody(refreshBody),
    failures: ["library_redirected", "library_not_found", "tag_not_found", "branch_not_found", "run_open"],
    answered: "Started, or joined the open run.",
    handler: refresh,
  }),
];

/** Accepts a repository, and answers at once with the ID that its library has. */
function addRepository(kind: RepositoryRoute) {
  return async (call: Call<unknown, z.infer<typeof repositoryBody>>): Promise<ApiAnswer> => {
    const fields = call.body;
    const { url, host } = parseRepositoryUrl(fields.docsRepoUrl, kind, call.options.settings.gitHosts);
    const id = fields.libraryName === undefined ? deriveRepositoryId(url) : chosenId(fields.libraryName, "repository");
    await call.options.checkUrl(url);
    const { gitToken } = fields;
    return submit(call, {
      id,
      private: fields.private ?? gitToken !== undefined,
      title: fields.title ?? id.slice(id.lastIndexOf("/") + 1),
      description: fields.description ?? "",
      ...choice(fields),
      source: {
        kind: "git",
        host,
        url: url.href,
        branch: fields.branch ?? null,
        selection: toSelection(fields),
        skipVersionFiltering: fields.skipVersionFiltering,
      },
      ...(gitToken !== undefined && { secret: { host: url.host, token: gitToken } }),
    });
  };
}

/** Accepts a folder of the server's own disk. */
async function addFolder(call: Call<unknown, z.infer<typeof folderBody>>): Promise<ApiAnswer> {
  const fields = call.body;
  // First, as even a refusal says something about the disk.
  authorize(call.caller, "folder.submit");
  const path = await call.options.checkFolder(fields.path);
  const title = fields.title ?? basename(path);
  const id = fields.libraryName === undefined ? deriveDocsId(title) : chosenId(fields.libraryName, "docs");
  return submit(call, {
    id,
    private: fields.private,
    title,
    description: fields.description ?? "",
    ...choice(fields),
    source: { kind: "folder", path, selection: toSelection(fields) },
  });
}

/** Title and description, where the submission names them. */
function choice({
  title,
  description = "",
}: {
  title?: string | undefined;
  description?: string | undefined;
}): Pick<Submission, "chosen"> {
  const chosen = { ...(title !== undefined && { title }), ...(description !== "" && { description }) };
  return Object.keys(chosen).length > 0 ? { chosen } : {};
}

async function submit({ caller, options }: Pick<Call, "caller" | "options">, wanted: Submission): Promise<ApiAnswer> {
  return submitted(options.settings.publicUrl, await submitLibrary(options.ports, caller, wanted));
}

/** Starts a refresh, or joins the run that is open. */
async function refresh({ caller, body, options }: Call<unknown, z.infer<typeof refreshBody>>): Promise<ApiAnswer> {
  const { libraryName, branch, gitToken } = body;
  const started = await refreshLibrary(options.ports, caller, {
    libraryName,
    ...(branch !== undefined && { branch }),
    ...(gitToken !== undefined && { gitToken }),
  });
  return submitted(options.settings.publicUrl, started);
}

function submitted(publicUrl: string | null, result: Submitted): ApiAnswer {
  const { libraryName, version } = result;
  const name = version === "" ? libraryName : `${libraryName}@${version}`;
  const base = publicUrl?.replace(/\/+$/, "") ?? "";
  return jsonAnswer({ ...result, statusUrl: `${base}/api/v2/libs/status?libraryId=${encodeURIComponent(name)}` });
}
