import { needsConfirmation, planManifest, type Present, type Step } from "../../domain/library-manifest.ts";
import { addDeclaredVersions } from "../../domain/declared-versions.ts";
import { Failure } from "../../domain/failures.ts";
import { kindOf } from "../../domain/kinds/index.ts";
import { foldId } from "../../domain/library.ts";
import type { Catalog, DeclaredLibrary } from "../../domain/ports.ts";
import { quantity } from "../../domain/quantity.ts";
import type { ApiAnswer } from "../answers.ts";
import { problemIn } from "./answers.ts";
import { applyGovernance, governanceText, type Governance } from "./governance.ts";
import type { Call, OperationInput, Route } from "../route.ts";
import { actingIn, entryFields, fieldsOf, type SubmittableEntry } from "./entries.ts";
import { manifestFailure } from "./text.ts";

/** A checked manifest, and how it is applied. */
export interface CheckedManifest {
  readonly name: string;
  readonly teamspace: string;
  readonly entries: readonly SubmittableEntry[];
  readonly governance: Governance;
  readonly prune: boolean;
  readonly overwrite: boolean;
  /** Whether more than a tenth of its libraries may be removed. */
  readonly confirmed: boolean;
  /** Nothing is changed. */
  readonly dryRun: boolean;
  /** Commit that it was read from; null: it was sent. */
  readonly revision: string | null;
}

/** A step with what could not be done of it. */
export type Applied = Step<SubmittableEntry> & { readonly problem?: string };

/** What applying a manifest did, or would do. */
export interface Applying {
  readonly steps: readonly Applied[];
  /** As a sentence. */
  readonly message: string;
  /** What could not be done besides the steps. */
  readonly problems: readonly string[];
}

/**
 * Applies a manifest by operations of the API, as the same caller. A failed step does not stop the others. Applying it again finishes
 * what was interrupted.
 * @throws Failure validation_error, and nothing is changed, if an ID belongs to another source, or too many libraries would be removed
 */
export async function applyManifest(call: Call, manifest: CheckedManifest): Promise<Applying> {
  const { catalog, now } = call.options.ports;
  const declared = await catalog.manifests.declared(manifest);
  const plan = (prune: boolean) =>
    planManifest({ ...manifest, prune }, (entry) => findPresent(catalog, entry), declared);
  let steps = await plan(manifest.prune);
  refuseOtherSources(steps);
  const held = !manifest.confirmed && needsConfirmation(steps, declared) ? unconfirmed(steps, declared) : undefined;
  // A watched manifest is applied without the removals, until somebody confirms them.
  if (held !== undefined && manifest.revision === null && !manifest.dryRun)
    throw new Failure("validation_error", `Nothing was changed. ${held}`);
  if (held !== undefined && !manifest.dryRun) steps = await plan(false);
  const { governance } = manifest;
  if (manifest.dryRun)
    return {
      steps,
      message: `${summary(steps)}${governanceText(governance)}. Nothing was changed, as this is a dry run.`,
      problems: held === undefined ? [] : [held],
    };
  const applied: Applied[] = [];
  // First, so that nobody reads a library before the rules for it.
  const refused = await applyGovernance(call, manifest.teamspace, governance);
  for (const step of steps) {
    const problem = await execute(call, step);
    applied.push({ ...step, ...(problem !== undefined && { problem }) });
  }
  await addDeclaredVersions(call.options.ports);
  // Started some seconds later, so that applying twice makes one run; or by the sweep.
  call.options.onPushed?.();
  const message = `${summary(applied)}${governanceText(governance)}.`;
  const { name, teamspace, revision } = manifest;
  const failed = applied.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id}: ${problem}`]));
  const others = [...refused, ...(held === undefined ? [] : [held])];
  const problems = [...others, ...failed];
  await catalog.manifests.note({ name, teamspace, revision, appliedAt: now(), result: message, problems });
  return { steps: applied, message, problems: others };
}

/** The library that has the ID of an entry, or that it was renamed to. */
async function findPresent(catalog: Catalog, { id, teamspace }: SubmittableEntry): Promise<Present | undefined> {
  const found = await catalog.libraries.find([teamspace], foldId(id), "");
  const to = found?.library.redirect;
  const library = (to === undefined || to === null ? found : await catalog.libraries.find([teamspace], foldId(to), ""))
    ?.library;
  if (!library) return undefined;
  const versions = await catalog.libraries.versionsOf(library.uid);
  return {
    library,
    location: kindOf(library.source).location(library.source),
    fields: fieldsOf(library),
    // The default version is also known by what it is read from.
    versions: versions.flatMap(({ version, ref, live }) => [version, ref ?? "", live?.ref ?? ""]),
    declaration: await catalog.manifests.of(library.uid),
  };
}

/** @throws Failure validation_error for entries whose ID is that of another source, or in another manifest */
function refuseOtherSources(steps: readonly Step<SubmittableEntry>[]): void {
  const problems = steps.flatMap(({ entry, library, isOther, declaredBy }) => {
    if (!entry || !library) return [];
    if (declaredBy !== undefined) {
      const message = `${library.id} is declared by the manifest ${declaredBy}. Remove it from one of them, or take it over with --overwrite.`;
      return [{ line: entry.line, field: "", message }];
    }
    if (isOther !== true) return [];
    const from = kindOf(library.source).location(library.source);
    const message = `${library.id} was added from ${from}. Delete it, or give this one another libraryName.`;
    return [{ line: entry.line, field: "", message }];
  });
  if (problems.length > 0) throw manifestFailure(problems);
}

function unconfirmed(steps: readonly Step[], declared: readonly DeclaredLibrary[]): string {
  const removed = steps.filter(({ action }) => action === "remove").map(({ id }) => id);
  const shown = removed.slice(0, 10).join(", ") + (removed.length > 10 ? " …" : "");
  return `${quantity(removed.length, "library")} of ${declared.length} would be removed, more than a tenth: ${shown}. Confirm it with --yes.`;
}

/** Executes a step. Returns what could not be done. */
async function execute(call: Call, step: Step<SubmittableEntry>): Promise<string | undefined> {
  const { action, library, entry } = step;
  const { manifests } = call.options.ports.catalog;
  switch (action) {
    case "keep":
    case "unlisted":
      return undefined;
    case "forget":
      if (library) await manifests.declare(library.uid, null);
      return undefined;
    case "remove": {
      const query = new URLSearchParams({ libraryId: step.id });
      return problemIn(await operation(call, step, "DELETE", "/v2/libs", { query }), 404);
    }
    case "add":
      return entry && add(call, step, entry);
    case "change":
      return change(call, step);
  }
}

/** Adds a library. What its submission does not take, follows: until then its declaration lacks it. */
async function add(
  call: Call,
  { declaration, ...step }: Step<SubmittableEntry>,
  { path, body, fields }: SubmittableEntry,
): Promise<string | undefined> {
  if (!declaration) return undefined;
  const later = Object.entries(fields).filter(([name]) => Object.hasOwn(entryFields, name));
  const names = new Set(later.map(([name]) => name));
  const first = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
  const submitted = await operation(call, step, "POST", path, {
    body,
    declaration: { ...declaration, fields: first },
  });
  const problem = problemIn(submitted);
  if (problem !== undefined || later.length === 0) return problem;
  const changes = { libraryName: step.id, ...Object.fromEntries(later) };
  return problemIn(await operation(call, step, "PATCH", "/v2/libs", { body: changes, declaration }));
}

/** Changes a library; with changed options of its source it is refreshed. */
async function change(call: Call, step: Step<SubmittableEntry>): Promise<string | undefined> {
  const { id, library, changes, declaration } = step;
  if (!library || !declaration) return undefined;
  const credential = changes.find(({ field }) => field === "credential")?.declared;
  const others = changes.filter(({ field }) => field !== "credential");
  if (typeof credential === "string") {
    const body = { libraryName: id, credential };
    const problem = problemIn(await operation(call, step, "POST", "/v1/refresh", { body }));
    if (problem !== undefined) return problem;
  }
  if (others.length > 0) {
    const body = { libraryName: id, ...Object.fromEntries(others.map(({ field, declared }) => [field, declared])) };
    return problemIn(await operation(call, step, "PATCH", "/v2/libs", { body, declaration }));
  }
  await call.options.ports.catalog.manifests.declare(library.uid, declaration);
  return undefined;
}

/** Calls an operation as the owner of the library of a step. */
function operation(
  call: Call,
  { teamspace, entry }: Step<SubmittableEntry>,
  method: Route["method"],
  path: string,
  input: OperationInput,
): Promise<ApiAnswer> {
  const by = entry?.by ?? (teamspace === "" ? call.caller : actingIn(call.caller, teamspace));
  return call.callOperation(method, path, { ...input, by });
}

function summary(steps: readonly Applied[]): string {
  const count = (...actions: readonly Step["action"][]): number =>
    steps.filter(({ action, problem }) => actions.includes(action) && problem === undefined).length;
  const failed = steps.filter(({ problem }) => problem !== undefined).length;
  const drifted = steps.filter(({ drift }) => drift.length > 0).length;
  const parts = [
    `${quantity(count("add"), "library")} added`,
    `${count("change")} changed`,
    `${count("remove")} removed`,
    `${count("keep")} unchanged`,
  ];
  const more = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(drifted > 0 ? [`${drifted} changed by a person`] : []),
    ...(count("unlisted") > 0 ? [`${count("unlisted")} not in the manifest any more`] : []),
  ];
  return [...parts, ...more].join(", ");
}
