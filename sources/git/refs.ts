import { nearestNames } from "../../domain/versions.ts";
import { Failure } from "../../domain/failures.ts";
import type { SourceState } from "../../domain/ports.ts";
import { chooseRefs, type RefChoice } from "../../domain/refs.ts";
import type { GitSourceSpec } from "../../domain/kinds/index.ts";
import type { FileSelection, SourceRef } from "../../domain/source.ts";
import { notARepository, repositoryName } from "./failures.ts";
import { ServerError } from "./packets.ts";
import { listRefs, type ConnectGit, type ServerRef } from "./protocol.ts";

/** Cap on refs, in bytes: about half a million. They are streamed, and only the chosen ones are kept. */
const maxBytes = 32_000_000;

/** Options of `resolveRef`; refs in `named` are kept before others. */
export interface ResolveOptions {
  readonly repository: URL;
  readonly connect: ConnectGit;
  readonly signal: AbortSignal;
  readonly named?: readonly string[];
  /** Names that are meant where the wanted ref does not exist. */
  readonly longer?: readonly string[];
}

/**
 * The names of branches that a branch and the only folder may be together: an address of a Git host has them one after the other,
 * `feature/x/docs`. No repository has both branches, `feature` and `feature/x`.
 */
export function longerNames(branch: string, { folders }: FileSelection): readonly string[] {
  const [folder = "", ...others] = folders;
  if (others.length > 0 || /[*?[]/.test(folder)) return [];
  const segments = folder.replace(/^\.\//, "").split("/");
  return segments.flatMap((segment, at) => (segment === "" ? [] : [[branch, ...segments.slice(0, at + 1)].join("/")]));
}

/** The selection of a repository that is read at a branch; its folder without what is the end of the branch's name. */
export function belowBranch(
  { branch, selection }: Pick<GitSourceSpec, "branch" | "selection">,
  ref: string | null,
): FileSelection {
  if (branch === null || ref === null || !longerNames(branch, selection).includes(ref)) return selection;
  const folder = (selection.folders[0] ?? "").replace(/^\.\//, "").slice(ref.length - branch.length);
  return { ...selection, folders: folder === "" ? [] : [`./${folder}`] };
}

/**
 * Requests the refs of a repository and finds the commit of one; null is the branch of HEAD. A branch precedes a tag of the same name.
 * @throws Failure
 */
export async function resolveRef(options: ResolveOptions, wanted: string | null): Promise<SourceState> {
  const { head, refs, location, leftOut, found, short } = await readRefs(options, wanted);
  const name = repositoryName(options.repository);
  if (head === undefined && refs.length === 0)
    throw new Failure("no_snippets_found", `The repository ${name} is empty. Push something to it first.`);

  const state = { location, refs, ...(leftOut > 0 && { refsLeftOut: leftOut }) };
  if (short === null) {
    if (head !== undefined) return { ...state, revision: head.oid, ref: null };
    const names = refs.slice(0, 3).map((ref) => `"${ref.name}"`);
    throw new Failure(
      "branch_not_found",
      `The repository ${name} has no default branch. Name one in the field branch, such as ${names.join(", ")}.`,
    );
  }
  if (found !== undefined) return { ...state, revision: found.revision, ref: found.name };
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

/** Without the refs of pull requests, of which a repository may have a hundred thousand. */
const prefixes = ["HEAD", "refs/heads/", "refs/tags/"];

interface ReadRefs extends RefChoice {
  readonly head: ServerRef | undefined;
  readonly location: string;
  /** Short name of the requested ref; null if HEAD names none. */
  readonly short: string | null;
  readonly found: SourceRef | undefined;
}

async function readRefs(options: ResolveOptions, wanted: string | null): Promise<ReadRefs> {
  const { repository, connect, signal, named = [], longer = [] } = options;
  const transport = connect({ signal, maxBytes });
  const kept = new Set([...named, ...longer, ...(wanted === null ? [] : [wanted])]);
  const chooser = chooseRefs(repository.pathname.replace(/\.git$/i, ""), kept);
  let head: ServerRef | undefined;
  let short = wanted;
  try {
    for await (const batch of listRefs(transport, prefixes)) {
      for (const one of batch) {
        // Servers send HEAD first.
        if (one.ref === "HEAD" && isOid(one.oid)) {
          head ??= one;
          short ??= one.target?.replace(/^refs\/heads\//, "") ?? null;
          if (short !== null) kept.add(short);
        }
        const ref = toSourceRef(one);
        if (ref !== null) chooser.add(ref);
      }
    }
  } catch (error) {
    if (error instanceof Failure || signal.aborted) throw error;
    if (error instanceof ServerError)
      throw new Failure(
        "source_invalid",
        `${repositoryName(repository)} answers the request for its branches and tags with an error. Check the address, and whether the token may read it.`,
        { cause: error },
      );
    throw notARepository(repository, "it does not speak Git's protocol", error);
  }
  const chosen = chooser.chosen();
  // Branches come before tags.
  const find = (name: string | null): SourceRef | undefined => chosen.refs.find((ref) => ref.name === name);
  const found = find(short) ?? longer.map(find).find((ref) => ref !== undefined);
  return { ...chosen, head, short, found, location: transport.location().href };
}

/** A branch or tag with a valid name and commit; null for anything else. */
function toSourceRef({ ref, oid, peeled }: ServerRef): SourceRef | null {
  const kind = ref.startsWith("refs/heads/") ? "branch" : ref.startsWith("refs/tags/") ? "tag" : null;
  if (kind === null) return null;
  const sourceRef = { name: ref.slice(kind === "branch" ? 11 : 10), kind, revision: peeled ?? oid } as const;
  return isRefName(sourceRef.name) && isOid(sourceRef.revision) ? sourceRef : null;
}

/** Whether a text is the ID of an object. */
export function isOid(text: string): boolean {
  return /^[\da-f]{40}$/.test(text);
}

/** Whether a text is a short name of a branch or tag by git-check-ref-format. */
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
