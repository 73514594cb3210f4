import type * as z from "zod";
import { isSame } from "../../domain/library-manifest.ts";
import { toQuery } from "../request.ts";
import { accessBody } from "../routes/access.ts";
import { policyBody } from "../routes/policies.ts";
import type { Call } from "../route.ts";
import { problemIn } from "./answers.ts";
import { manifestFailure, type WrittenManifest } from "./text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The changes that bring policy and access rules of a teamspace to what a manifest declares; absent: none. */
export interface Governance {
  readonly policy?: Fields;
  readonly access?: Fields;
}

/**
 * Compares `policy` and `access` of a manifest with those of the teamspace. Lists are declared whole; absent members stay.
 * @throws Failure validation_error naming the line
 */
export async function checkGovernance(
  call: Call,
  teamspace: string,
  { members, lineOf }: WrittenManifest,
): Promise<Governance> {
  const present = async (path: string): Promise<unknown> => {
    const { status, body } = await call.callOperation("GET", path, { query: toQuery({ teamspace }), by: call.caller });
    return status < 400 ? body : {};
  };
  const checked = (name: "policy" | "access", change: Fields, schema: z.ZodType): Fields | undefined => {
    if (Object.keys(change).length === 0) return undefined;
    const { error } = schema.safeParse({ ...change, teamspace });
    if (!error) return change;
    throw manifestFailure(
      error.issues.map(({ path, message }) => ({
        line: lineOf(name),
        field: [name, ...path].join("."),
        message: `${message}.`,
      })),
    );
  };
  const policy = isFields(members["policy"])
    ? checked("policy", policyChange(members["policy"], await present("/v2/policies")), policyBody)
    : undefined;
  const access = isFields(members["access"])
    ? checked("access", accessChange(members["access"], await present("/v2/access")), accessBody)
    : undefined;
  for (const name of ["policy", "access"] as const)
    if (members[name] !== undefined && !isFields(members[name]))
      throw manifestFailure([{ line: lineOf(name), field: name, message: "must be an object." }]);
  return { ...(policy && { policy }), ...(access && { access }) };
}

/** Applies the changes. Returns what could not be done. */
export async function applyGovernance(
  { callOperation, caller }: Call,
  teamspace: string,
  { policy, access }: Governance,
): Promise<readonly string[]> {
  const answers = [
    policy &&
      (await callOperation("PATCH", "/v2/policies", { query: toQuery({ teamspace }), body: policy, by: caller })),
    access && (await callOperation("PATCH", "/v2/access", { body: { ...access, teamspace }, by: caller })),
  ];
  return answers.flatMap((answer) => (answer ? (problemIn(answer) ?? []) : []));
}

/** What applying does besides libraries, as the end of a sentence; "" for nothing. */
export function governanceText({ policy, access }: Governance): string {
  const changed = [...(policy ? ["policy"] : []), ...(access ? ["access rules"] : [])];
  return changed.length === 0 ? "" : `; ${changed.join(" and ")} changed`;
}

/** The change of a policy: lists become entries to add and to remove, values that are the same are left out. */
function policyChange(wanted: Fields, present: unknown): Fields {
  const { sourceTypes, ...others } = wanted;
  const change = difference(others, present);
  if (!isFields(sourceTypes)) return sourceTypes === undefined ? change : { ...change, sourceTypes };
  const now = isFields(present) && isFields(present["sourceTypes"]) ? present["sourceTypes"] : {};
  const isAlready = (enabled: boolean) => (type: unknown) => isSame(now[String(type)], { enabled });
  const due = Object.entries({ enable: true, disable: false }).flatMap(([name, enabled]) => {
    const types = sourceTypes[name];
    return !Array.isArray(types) || types.every(isAlready(enabled)) ? [] : [[name, types] as const];
  });
  const unknown = Object.entries(sourceTypes).filter(([name]) => name !== "enable" && name !== "disable");
  const types = Object.fromEntries([...due, ...unknown]);
  return { ...change, ...(Object.keys(types).length > 0 && { sourceTypes: types }) };
}

function difference(wanted: Fields, present: unknown): Fields {
  const now = isFields(present) ? present : {};
  const members = Object.entries(wanted).flatMap(([name, value]) => {
    const { [name]: current } = now;
    if (isSame(value, current)) return [];
    if (Array.isArray(value)) {
      const before = Array.isArray(current) ? (current as readonly unknown[]) : [];
      const add = value.filter((one) => !before.includes(one));
      const remove = before.filter((one) => !value.includes(one));
      return add.length + remove.length === 0 ? [] : [[name, { add, remove }] as const];
    }
    if (!isFields(value)) return [[name, value] as const];
    const inner = difference(value, current);
    return Object.keys(inner).length === 0 ? [] : [[name, inner] as const];
  });
  return Object.fromEntries(members);
}

function accessChange({ default: otherwise, rules = [], ...unknown }: Fields, present: unknown): Fields {
  const now = isFields(present) ? present : {};
  const before = Array.isArray(now["rules"]) ? (now["rules"] as readonly Fields[]) : [];
  const wanted = Array.isArray(rules) ? (rules as readonly unknown[]) : [];
  const full = wanted.map((rule) => (isFields(rule) ? { users: [], groups: [], ...rule } : rule));
  const set = full.filter((rule) => !before.some((one) => isSame(one, rule)));
  const kept = new Set(full.map((rule) => (isFields(rule) ? rule["library"] : undefined)));
  const remove = before.map(({ library }) => library).filter((library) => !kept.has(library));
  return {
    ...unknown,
    ...(otherwise !== undefined && otherwise !== now["default"] && { default: otherwise }),
    ...(set.length > 0 && { set }),
    ...(remove.length > 0 && { remove }),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
