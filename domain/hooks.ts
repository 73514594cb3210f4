import { defaultTeamspace, type Caller } from "./access.ts";
import { authorize, may } from "./authorizing.ts";
import { Failure } from "./failures.ts";
import { kindOf } from "./kinds/index.ts";
import { quantity } from "./quantity.ts";
import { showLibrary } from "./library.ts";
import type { HookSender } from "./catalog-hooks.ts";
import type { Catalog, HookRecord, LibraryRecord, VersionRecord } from "./ports.ts";
import type { StartingPorts } from "./scheduling.ts";
import { findLibrary, startRun, type SubmittingPorts } from "./submitting.ts";

/** A change of a source, as the body of a delivery tells it. */
export interface Change {
  /** Address of the repository in the form of `repositoryAddress`; null: the body names none, as that of a wiki. */
  readonly repository: string | null;
  /** Its default branch; null: unknown. */
  readonly defaultBranch: string | null;
  /** The changed branches and tags; null: all, as after a rename or a deletion. Removed ones are not among them. */
  readonly refs: readonly string[] | null;
  /** The repository can no longer be read by everybody. */
  readonly isPrivate?: boolean;
}

/** Bytes of a made secret. */
export const secretBytes = 32;

/** How long the IDs of deliveries are kept, in milliseconds: hosts repeat failed ones for some days. */
export const deliveriesKept = 30 * 24 * 60 * 60_000;

/** The hook to make: for a library, or for the repositories of an owner on a host. */
export interface NewHook {
  readonly sender: HookSender;
  readonly secret: string;
  readonly of: { readonly library: string } | { readonly teamspace: string; readonly prefix: string };
}

/** Makes a hook. @throws Failure library_not_found, validation_error, and what `authorize` throws */
export async function makeHook(
  ports: SubmittingPorts,
  caller: Caller,
  { sender, secret, of }: NewHook,
): Promise<HookRecord> {
  const place = await placeOf(ports, caller, of);
  const record: HookRecord = {
    id: ports.newId(),
    sender,
    ...place,
    sealed: ports.secrets.seal(secret),
    createdAt: ports.now(),
    deliveredAt: null,
    result: null,
  };
  await ports.catalog.hooks.add(record);
  return record;
}

async function placeOf(
  { catalog }: SubmittingPorts,
  caller: Caller,
  of: NewHook["of"],
): Promise<Pick<HookRecord, "teamspace" | "libraryUid" | "prefix">> {
  if ("prefix" in of) {
    authorize(caller, "hooks", { teamspace: of.teamspace });
    if (!(await catalog.teamspaces.list()).some(({ id }) => id === of.teamspace))
      throw new Failure(
        "validation_error",
        `There is no teamspace "${of.teamspace}". GET /api/v2/teamspaces lists them.`,
      );
    return { teamspace: of.teamspace, libraryUid: null, prefix: of.prefix };
  }
  const { library } = await findLibrary(catalog, caller, of.library);
  authorize(caller, "library.change", library);
  return { teamspace: library.teamspace, libraryUid: library.uid, prefix: null };
}

/** A hook with the ID of its library; null: it is for the repositories of an owner. */
export type HookView = HookRecord & { readonly library: string | null };

/** The hooks that a caller may manage: those of its teamspace, and with `default` those of public libraries. */
export async function listHooks(
  ports: SubmittingPorts,
  caller: Caller,
  teamspace: string,
): Promise<readonly HookView[]> {
  authorize(caller, "hooks", { teamspace });
  const hooks = (await Promise.all(ownersOf(teamspace).map((owner) => ports.catalog.hooks.list(owner)))).flat();
  return Promise.all(hooks.map(async (hook) => ({ ...hook, library: await libraryOf(ports.catalog, hook) })));
}

/** The owners of libraries that administrators of a teamspace manage: those of `default` manage public ones too. */
function ownersOf(teamspace: string): readonly string[] {
  return teamspace === defaultTeamspace ? [teamspace, ""] : [teamspace];
}

/** The host whose repositories a hook is for; null: it is for a library that is no repository. */
export async function hostOf({ libraries }: Catalog, { prefix, libraryUid }: HookRecord): Promise<string | null> {
  const source = libraryUid === null ? undefined : (await libraries.get(libraryUid))?.source;
  const address = prefix ?? (source && kindOf(source).repository?.(source));
  return address?.split("/")[0] ?? null;
}

async function libraryOf({ libraries }: Catalog, { libraryUid }: HookRecord): Promise<string | null> {
  return libraryUid === null ? null : ((await libraries.get(libraryUid))?.id ?? null);
}

/** A hook that the caller may manage. @throws Failure hook_not_found */
export async function managedHook({ catalog }: SubmittingPorts, caller: Caller, id: string): Promise<HookRecord> {
  const hook = await catalog.hooks.get(id);
  // Hooks of public libraries belong to the administrators of the instance, as those of `default` do.
  const teamspace = hook?.teamspace === "" ? defaultTeamspace : hook?.teamspace;
  if (hook && may(caller, "hooks", { teamspace: teamspace ?? "" })) return hook;
  throw new Failure("hook_not_found", `There is no hook ${id}. List the hooks to see their IDs.`);
}

/**
 * Notes the changes of a delivery whose signature is right: each version that follows a changed ref is refreshed once its open run, if
 * any, has ended. Returns what it did, as a sentence. A second call with the same delivery changes nothing.
 */
export async function receiveDelivery(
  { catalog, now }: Pick<SubmittingPorts, "catalog" | "now">,
  hook: HookRecord,
  delivery: string,
  changes: readonly Change[],
): Promise<string> {
  if (await catalog.hooks.knows(hook.id, delivery)) return "This delivery was received before.";
  const marked: string[] = [];
  const warnings: string[] = [];
  for (const change of changes) {
    for (const library of await librariesOf(catalog, hook, change)) {
      for (const version of (await catalog.libraries.versionsOf(library.uid)).filter((one) => follows(one, change))) {
        await catalog.libraries.markPushed(library.uid, version.version, now());
        marked.push(showLibrary(library.id, version.version));
      }
      if (change.isPrivate === true && library.teamspace === "")
        warnings.push(
          ` ${library.id} is public here, but its repository is private now. Delete it, or submit it as a private library.`,
        );
    }
  }
  const names = [...new Set(marked)];
  const result =
    (names.length === 0
      ? "It changed nothing that a library is read from."
      : `${quantity(names.length, "version")} will be refreshed: ${shorten(names)}.`) + warnings.join("");
  await catalog.hooks.note(hook.id, delivery, result, now());
  return result;
}

function shorten(names: readonly string[]): string {
  const shown = 10;
  return names.length <= shown
    ? names.join(", ")
    : `${names.slice(0, shown).join(", ")} and ${names.length - shown} more`;
}

/** The libraries that a change is about, among those that the hook is for. */
async function librariesOf(
  { libraries }: Catalog,
  hook: HookRecord,
  { repository }: Change,
): Promise<readonly LibraryRecord[]> {
  if (hook.libraryUid !== null) {
    const library = await libraries.get(hook.libraryUid);
    if (!library || library.redirect !== null) return [];
    const isIts = repository === null || (await libraries.at(repository)).some(({ uid }) => uid === library.uid);
    return isIts ? [library] : [];
  }
  if (repository === null || !isBelow(repository, hook.prefix ?? "")) return [];
  // Public libraries are refreshed by hooks of `default`, whose administrators are those of the instance.
  const owners = ownersOf(hook.teamspace);
  return (await libraries.at(repository)).filter(({ teamspace }) => owners.includes(teamspace));
}

function isBelow(address: string, prefix: string): boolean {
  return address === prefix || address.startsWith(`${prefix}/`);
}

/** Whether a version is read from one of the changed refs. */
function follows({ ref, live }: VersionRecord, { refs, defaultBranch }: Change): boolean {
  const own = ref ?? live?.ref ?? defaultBranch;
  return refs === null || own === null || refs.includes(own);
}

/** Maximum number of versions that one round starts. */
const atOnce = 100;

/**
 * Starts the refreshes that deliveries requested, except of versions that are being indexed. Returns their number.
 * @throws Failure service_unavailable if the engine is unavailable; nothing is lost
 */
export async function startPushed({ catalog, indexing, now, newRun }: StartingPorts): Promise<number> {
  const pushed = await catalog.libraries.pushed(atOnce);
  if (pushed.length === 0) return 0;
  await indexing.ready();
  let started = 0;
  for (const { libraryUid, version } of pushed) {
    const opened = await catalog.runs.open(libraryUid, version, newRun("push"), now());
    // Gone, or another run was opened meanwhile.
    if (!opened || opened.joined) continue;
    // A change that arrives later than this run began is refreshed by the next one.
    await catalog.libraries.clearPushed(libraryUid, version, opened.run.createdAt);
    await startRun({ indexing }, opened.run);
    started += 1;
  }
  return started;
}
