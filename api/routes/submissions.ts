import { basename } from "node:path";

import * as z from "zod";

import { authorize } from "../../domain/authorizing.ts";
import { chosenId, deriveDocsId, deriveRepositoryId } from "../../domain/library.ts";
import { refreshLibrary, submitLibrary } from "../../domain/submitting.ts";
import type { Submission, Submitted } from "../../domain/submitting.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";
import { libraryIdText, parseBody, text } from "../parameters.ts";
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

const boolean = z.boolean({ error: "must be true or false" });

const repositoryBody = z.object({
  docsRepoUrl: text(1, 1000),
  libraryName: libraryIdText.optional(),
  gitToken: tokenText.optional(),
  private: boolean.optional(),
  skipVersionFiltering: boolean.default(false),
  /** Taken for the published clients' sake: nothing is ever generated here. */
  generateDocs: boolean.optional(),
  branch: refName.optional(),
  title: libraryTitle.optional(),
  description: libraryDescription.optional(),
  ...selectionFields,
});

const folderBody = z.object({
  path: text(1, 4096),
  title: libraryTitle.optional(),
  description: libraryDescription.optional(),
  libraryName: libraryIdText.optional(),
  private: boolean.default(false),
  ...selectionFields,
});

const refreshBody = z.object({
  libraryName: libraryIdText,
  branch: refName.optional(),
  gitToken: tokenText.optional(),
});

/** Submitting repositories and folders, and refreshing libraries. */
export const submissionRoutes: readonly Route[] = [
  submission("/api/v2/add/repo/github", "submit", addRepository("github")),
  submission("/api/v2/add/repo/gitlab", "submit", addRepository("gitlab")),
  submission("/api/v2/add/repo/bitbucket", "submit", addRepository("bitbucket")),
  submission("/api/v2/add/repo/git", "submit", addRepository("git")),
  submission("/api/v2/add/folder", "admin", addFolder),
  submission("/api/v1/refresh", "submit", refresh),
];

function submission(path: string, scope: "submit" | "admin", handler: Route["handler"]): Route {
  return { method: "POST", path, scope, limit: "submission", body: "needed", handler };
}

/** Accepts a repository, and answers at once with the ID that its library has. */
function addRepository(route: RepositoryRoute): Route["handler"] {
  return async (call) => {
    const fields = parseBody(repositoryBody, call.body);
    const { url, host } = parseRepositoryUrl(fields.docsRepoUrl, route, call.options.settings.gitHosts);
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
async function addFolder(call: Call): Promise<ApiAnswer> {
  const fields = parseBody(folderBody, call.body);
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

async function submit({ caller, options }: Call, wanted: Submission): Promise<ApiAnswer> {
  return submitted(options.settings.publicUrl, await submitLibrary(options.ports, caller, wanted));
}

/** Starts a refresh, or joins the run that is open. */
async function refresh({ caller, body, options }: Call): Promise<ApiAnswer> {
  const { libraryName, branch, gitToken } = parseBody(refreshBody, body);
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
