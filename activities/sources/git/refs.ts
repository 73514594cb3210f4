import { nearestNames } from "../../../domain/versions.ts";
import { Failure } from "../../../domain/failures.ts";
import type { SourceState } from "../../../domain/ports.ts";
import type { SourceRef } from "../../../domain/source.ts";
import { notARepository, repositoryName } from "./failures.ts";
import { createGitHttp, type GitHttpOptions } from "./http.ts";
import { listRefs, type ServerRef } from "./ls-refs.ts";

/** 32 MB of refs are about half a million. */
const maxBytes = 32_000_000;

/**
 * Asks a repository for its refs and finds the commit of the one wanted, null for the one that HEAD names.
 * A name that is a branch and a tag means the branch.
 * @throws Failure
 */
export async function resolveRef(
  options: Omit<GitHttpOptions, "maxBytes">,
  wanted: string | null,
): Promise<SourceState> {
  const { head, refs, location } = await readRefs(options);
  const name = repositoryName(options.repository);
  if (head === undefined && refs.length === 0)
    throw new Failure("no_snippets_found", `The repository ${name} is empty. Push something to it first.`);

  const short = wanted ?? head?.target?.replace(/^refs\/heads\//, "") ?? null;
  if (short === null) {
    if (head !== undefined) return { revision: head.oid, ref: null, location, refs };
    const names = refs.slice(0, 3).map((ref) => `"${ref.name}"`);
    throw new Failure(
      "branch_not_found",
      `The repository ${name} has no default branch. Name one in the field branch, such as ${names.join(", ")}.`,
    );
  }
  const found = ["branch", "tag"].flatMap(
    (kind) => refs.find((ref) => ref.kind === kind && ref.name === short) ?? [],
  )[0];
  if (found !== undefined) return { revision: found.revision, ref: found.name, location, refs };
  const near = nearestNames(
    short,
    refs.map((ref) => ref.name),
    3,
  );
  throw new Failure(
    "branch_not_found",
    `The repository ${name} has no branch or tag "${short.slice(0, 100)}". Nearest to it: ${near.join(", ")}.`,
  );
}

/** The prefixes keep out the refs of pull requests, of which a host may have a hundred thousand. */
const prefixes = ["HEAD", "refs/heads/", "refs/tags/"];

async function readRefs(
  options: Omit<GitHttpOptions, "maxBytes">,
): Promise<{ head: ServerRef | undefined; refs: SourceRef[]; location: string }> {
  const http = createGitHttp({ ...options, maxBytes });
  const all = await listRefs(http, prefixes).catch((error: unknown) => {
    if (error instanceof Failure || options.signal.aborted) throw error;
    throw notARepository(options.repository, "it does not speak Git's protocol", error);
  });
  const head = all.find(({ ref }) => ref === "HEAD");
  const named = (kind: SourceRef["kind"], prefix: string): SourceRef[] =>
    all.filter(({ ref }) => ref.startsWith(prefix)).map((ref) => toSourceRef(ref, kind, prefix));
  const refs = [...named("branch", "refs/heads/"), ...named("tag", "refs/tags/")].filter(
    (ref) => isRefName(ref.name) && isOid(ref.revision),
  );
  return { head: head !== undefined && isOid(head.oid) ? head : undefined, refs, location: http.location().href };
}

function toSourceRef({ ref, oid, peeled }: ServerRef, kind: SourceRef["kind"], prefix: string): SourceRef {
  return { name: ref.slice(prefix.length), kind, revision: peeled ?? oid };
}

/** True for the id of an object. */
export function isOid(text: string): boolean {
  return /^[\da-f]{40}$/.test(text);
}

/** True for the short name of a branch or tag, by the rules of git-check-ref-format. */
export function isRefName(name: string): boolean {
  return (
    name !== "" &&
    name !== "@" &&
    !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/u.test(name) &&
    name
      .split("/")
      .every((part) => part !== "" && !part.startsWith(".") && !part.startsWith("-") && !part.endsWith(".lock"))
  );
}
