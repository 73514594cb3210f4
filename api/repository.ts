import * as z from "zod";

import { Failure } from "../domain/failures.ts";
import type { FileSelection, GitHost } from "../domain/source.ts";
import type { ApiSettings } from "./options.ts";
import { text } from "./parameters.ts";

/** The hosted service of each repository route; any host goes with `git`. */
const publicHosts: Readonly<Record<GitHost, string | null>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
  git: null,
};

/** At most so many names of 1 to 255 characters. The count is judged first, so that a huge list costs nothing. */
function names(most: number): z.ZodType<string[]> {
  const name = text(1, 255).refine((value) => !/\p{Cc}/u.test(value), { error: "must have no control characters" });
  return z
    .array(z.unknown(), { error: "must be a list" })
    .max(most, { error: `must have at most ${most} entries` })
    .pipe(z.array(name));
}

/** Body fields that choose files; the limits are those of the published service's dashboard. */
export const selectionFields = {
  folders: names(50).optional(),
  excludeFolders: names(50).optional(),
  excludeFiles: names(100).optional(),
};

/** A branch or tag in a body: a valid Git ref name (git-check-ref-format) of 250 characters at most. */
export const refName = text(1, 250).refine(isRefName, { error: "must be a valid name of a branch or tag" });

/** A token in a body: visible ASCII, as it goes into a header. */
export const tokenText = z
  .string({ error: "must be text" })
  .regex(/^[\x21-\x7e]{1,1000}$/, { error: "must be a token of 1 to 1000 visible ASCII characters" });

/** The selection that a body asks for. */
export function toSelection(fields: {
  folders?: readonly string[] | undefined;
  excludeFolders?: readonly string[] | undefined;
  excludeFiles?: readonly string[] | undefined;
}): FileSelection {
  return {
    folders: fields.folders ?? [],
    excludeFolders: fields.excludeFolders ?? null,
    excludeFiles: fields.excludeFiles ?? null,
  };
}

/**
 * The address of a repository: absolute, http or https, without credentials, on a host that fits the route; normalised
 * (no query, hash or trailing slash). Whether the server may fetch it is for the caller to judge.
 * @throws Failure validation_error
 */
export function parseRepositoryUrl(raw: string, host: GitHost, hosts: ApiSettings["gitHosts"]): URL {
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(raw) || !URL.canParse(raw)) {
    throw invalid("must be an absolute URL that begins with https:// or http://");
  }
  const url = new URL(raw);
  if (url.username !== "" || url.password !== "") throw invalid("must hold no credentials; send a token as gitToken");
  const known = publicHosts[host];
  const fitting = host === "git" || known === null ? [] : [known, ...hosts[host]];
  if (host !== "git" && !fitting.includes(url.host)) {
    throw invalid(
      `must be on ${fitting.join(" or ")} for this route; send other hosts' repositories to /api/v2/add/repo/git`,
    );
  }
  url.hash = "";
  url.search = "";
  url.pathname = url.pathname.replace(/\/+$/, "");
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const ownerAndName = url.host === publicHosts.github || url.host === publicHosts.bitbucket;
  if ((ownerAndName && segments.length !== 2) || segments.includes("-")) {
    throw invalid("must be the repository itself, such as https://github.com/owner/name, not a page of it");
  }
  return url;
}

function isRefName(name: string): boolean {
  return (
    // oxlint-disable-next-line no-control-regex -- control characters are among what Git refuses
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(name) &&
    name !== "@" &&
    name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

function invalid(problem: string): Failure {
  return new Failure("validation_error", `docsRepoUrl ${problem}.`);
}
