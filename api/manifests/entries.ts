import * as z from "zod";
import { defaultTeamspace, type Caller } from "../../domain/access.ts";
import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import { kindOf, type Kind, type SourceSpec } from "../../domain/kinds/index.ts";
import type { Entry } from "../../domain/library-manifest.ts";
import { foldId } from "../../domain/library.ts";
import { settingsOf } from "../../domain/library-settings.ts";
import type { CredentialRecord, DeclaredFields, LibraryRecord } from "../../domain/ports.ts";
import type { Submission } from "../../domain/submitting.ts";
import { refName } from "../forms/fields.ts";
import { addressForms, everyForm, forms } from "../forms/index.ts";
import { list, text } from "../parameters.ts";
import type { Call } from "../route.ts";
import { settingChanges, settingsOut } from "../schemas/library-settings.ts";
import { manifestFailure, type Problem, type WrittenEntry } from "./text.ts";

/** An entry that can be submitted. */
export interface SubmittableEntry extends Entry {
  /** Path of its form below `/api`. */
  readonly path: string;
  /** The body of its submission. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly source: SourceSpec;
  /** Who submits it: the caller, or the caller in another teamspace. */
  readonly by: Caller;
}

const { redirect: _redirect, title: _title, description: _description, ...settings } = settingChanges;

/** Fields of an entry besides those of its form. */
export const entryFields = {
  teamspace: text(1, 100)
    .optional()
    .describe("Teamspace that owns the library; default: the caller's own. For the instance's administrators."),
  versions: list(refName, 20).optional().describe("Branches, tags or versions to read besides the default one."),
  ...settings,
} as const;

/** The JSON Schema of each field of an object. */
export function propertiesOf(schema: z.ZodType): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const shape = "shape" in schema ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  const described = Object.entries(shape).map(([name, field]) => {
    const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(field, { io: "input", unrepresentable: "any" });
    return [name, inlined(rest, $defs)] as const;
  });
  return Object.fromEntries(described) as ReturnType<typeof propertiesOf>;
}

/** A JSON Schema with its definitions in place of references to them. */
function inlined(value: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...members } = value as Readonly<Record<string, unknown>>;
  if (typeof $ref === "string") return inlined(definitions[$ref.slice("#/$defs/".length)], definitions);
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, inlined(member, definitions)]));
}

/** Kinds whose sources have versions. */
const versioned: ReadonlySet<Kind> = new Set<Kind>(["git", "package"]);

/** The fields of each form that a manifest may have: no secrets, and nothing that is accepted and ignored. */
export const manifestForms = everyForm().flatMap(([kind, { noun, forms: all }]) =>
  all.flatMap(({ path }) => {
    const form = addressForms.find((one) => one.path === path);
    // Repositories of all hosts have one form.
    if (!form || (kind === "git" && !path.endsWith("/git"))) return [];
    const given = Object.entries(propertiesOf(form.schema));
    const isSecret = (schema: unknown): boolean => /"writeOnly":true/.test(JSON.stringify(schema));
    const own = given.filter(([, schema]) => !isSecret(schema) && !/"deprecated":true/.test(JSON.stringify(schema)));
    const secrets = given.filter(([, schema]) => isSecret(schema)).map(([name]) => name);
    const more = Object.keys(entryFields).filter((name) => name !== "versions" || versioned.has(kind));
    return [{ kind, noun, form, secrets, names: [...own.map(([name]) => name), ...more] }];
  }),
);

type ManifestForm = (typeof manifestForms)[number];

/** Fields that each entry has for itself. */
const ownFields: ReadonlySet<string> = new Set([
  ...addressForms.map(({ address }) => address),
  "libraryName",
  "title",
  "description",
  "versions",
  "spaceKey",
  "pageIds",
]);

/** Whether the entries of a manifest may share a field as a default. */
export function isEntryField(name: string): boolean {
  return !ownFields.has(name) && manifestForms.some(({ names }) => names.includes(name));
}

/** What the entries of a manifest have in common. */
export interface EntryContext {
  readonly call: Call;
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The teamspace of entries that name none; null: the caller's. */
  readonly teamspace: string | null;
}

/** Number of entries whose addresses are looked up at once. */
const atOnce = 16;

/** Validates entries. @throws Failure validation_error that names every problem with its line, and what `authorize` throws */
export async function checkEntries(
  written: readonly WrittenEntry[],
  context: EntryContext,
): Promise<readonly SubmittableEntry[]> {
  const problems: Problem[] = [];
  const credentials = createCredentialNames(context.call);
  const waiting = [...written.entries()];
  const checked: SubmittableEntry[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [index, one] = next;
        const entry = await checkEntry(one, context, credentials, (field, message) =>
          problems.push({ line: one.lineOf(field), field: field === "" ? "" : `${one.place}.${field}`, message }),
        );
        if (entry) checked[index] = entry;
      }
    }),
  );
  const seen = new Map<string, SubmittableEntry>();
  for (const [index, entry] of checked.entries()) {
    if (entry === undefined) continue;
    const key = `${entry.teamspace} ${foldId(entry.id)}`;
    const first = seen.get(key);
    if (first)
      problems.push({
        line: entry.line,
        field: written[index]?.place ?? "",
        message: `has the ID ${entry.id} of line ${first.line}. Give one of them another libraryName.`,
      });
    else seen.set(key, entry);
  }
  if (problems.length > 0) throw manifestFailure(problems);
  return checked;
}

async function checkEntry(
  { line, fields: written }: WrittenEntry,
  { call, defaults, teamspace: own }: EntryContext,
  credentialOf: ReturnType<typeof createCredentialNames>,
  report: (field: string, message: string) => void,
): Promise<SubmittableEntry | undefined> {
  const of = manifestForms.find(({ form }) => Object.hasOwn(written, form.address));
  if (!of) {
    const names = manifestForms.map(({ form }) => form.address).join(", ");
    report("", `The entry names no source. Give one of ${names}; uploads have none.`);
    return undefined;
  }
  if (!hasKnownFields(of, written, report)) return undefined;
  const inherited = Object.entries(defaults).filter(
    ([name]) => of.names.includes(name) && !Object.hasOwn(written, name),
  );
  const all = { ...Object.fromEntries(inherited), ...written };
  const more = z.object(entryFields).safeParse(all);
  if (!more.success) {
    reportIssues(more.error, all, report);
    return undefined;
  }
  const { teamspace = own, versions = [], ...chosen } = more.data;
  const { credential, ...rest } = Object.fromEntries(
    Object.entries(all).filter(([name]) => !Object.hasOwn(entryFields, name)),
  );
  try {
    const by = teamspace === null ? call.caller : actingIn(call.caller, teamspace);
    const shared = credential === undefined ? null : await credentialOf(by, of.kind, credential);
    const owns = teamspace !== null && all["private"] === undefined && of.names.includes("private");
    const body = { ...rest, ...(owns && { private: true }), ...(shared !== null && { credential: shared }) };
    const parsed = of.form.schema.safeParse(body);
    if (!parsed.success) {
      reportIssues(parsed.error, body, report);
      return undefined;
    }
    const submission = await of.form.toSubmission({ ...call, caller: by, body: parsed.data });
    const { source, id } = submission;
    const location = kindOf(source).location(source);
    const owner = submission.private ? (by.teamspace ?? "") : "";
    const fields = { ...declaredFields(submission, chosen), ...(shared !== null && { credential: shared }) };
    return { line, id, teamspace: owner, location, fields, versions, path: of.form.path, body, source, by };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "forbidden" || error.code === "service_unavailable") throw error;
    const [first = ""] = error.message.split(" ", 1);
    const names = Object.hasOwn(all, first);
    report(names ? first : "", names ? error.message.slice(first.length + 1) : error.message);
    return undefined;
  }
}

function hasKnownFields(
  { noun, names, secrets }: ManifestForm,
  written: Readonly<Record<string, unknown>>,
  report: (field: string, message: string) => void,
): boolean {
  const unknown = Object.keys(written).filter((name) => !names.includes(name));
  for (const name of unknown) {
    const isSecret = secrets.includes(name);
    const secret = "is a secret, and has no place in a manifest. Make a shared credential, and name it as credential.";
    report(name, isSecret ? secret : `is not a field of a ${noun}. It has ${names.join(", ")}.`);
  }
  return unknown.length === 0;
}

function reportIssues(
  { issues }: z.ZodError,
  given: Readonly<Record<string, unknown>>,
  report: (field: string, message: string) => void,
): void {
  for (const { path, message } of issues) {
    const [field = "", ...rest] = path.map(String);
    const place = rest.length > 0 ? ` (${rest.join(".")})` : "";
    report(field, Object.hasOwn(given, field) ? `${message}${place}.` : "is missing.");
  }
}

/** The caller with the rights of an administrator of another teamspace. @throws Failure as `authorize` does */
export function actingIn(caller: Caller, teamspace: string): Caller {
  if (teamspace === (caller.teamspace ?? defaultTeamspace)) return caller;
  authorize(caller, "manifests", { teamspace });
  return { ...caller, teamspace };
}

/** Looks up shared credentials by name. @throws Failure validation_error */
function createCredentialNames({ options }: Call) {
  const known = new Map<string, Promise<readonly CredentialRecord[]>>();
  return async ({ teamspace }: Caller, kind: Kind, given: unknown): Promise<string> => {
    const owner = teamspace ?? defaultTeamspace;
    const all = known.get(owner) ?? options.ports.catalog.credentials.list(owner);
    known.set(owner, all);
    const ofKind = (await all).filter((one) => one.kind === kind);
    const found = ofKind.find(({ name, id }) => name === given || id === given);
    if (found) return found.id;
    const names = ofKind.map(({ name }) => name).join(", ");
    throw new Failure(
      "validation_error",
      `credential must be the name of a shared credential for a ${forms[kind].noun} of the teamspace ${owner}, which has ${names === "" ? "none" : names}.`,
    );
  };
}

/** The fields that a submission and further settings declare. */
function declaredFields(
  { source, chosen = {} }: Submission,
  { ...given }: Readonly<Record<string, unknown>>,
): DeclaredFields {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const { title, description } = chosen;
  return {
    ...optionsIn(source),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...Object.fromEntries(named),
  };
}

/** All fields of a library, by the names of its form; null: the default. */
export function fieldsOf(library: LibraryRecord): DeclaredFields {
  const { redirect: _to, ...set } = settingsOut(settingsOf(library));
  return { ...optionsIn(library.source), ...set, credential: library.credential };
}

/** Names of the options of a kind of source. */
function optionNames(source: SourceSpec): readonly string[] {
  return Object.keys(forms[source.kind].options?.fields ?? {});
}

function optionsIn(source: SourceSpec): DeclaredFields {
  const now = forms[source.kind].options?.read(source) ?? {};
  return Object.fromEntries(optionNames(source).map((name) => [name, now[name] ?? null]));
}
