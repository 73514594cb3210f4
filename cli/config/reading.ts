import { readFileSync } from "node:fs";
import type { z } from "zod";

/** A setting: its environment variable, and the schema of its text. */
export interface Setting<T> {
  /** In the table the name of the setting in capitals, `MAX_PAGES` for `maxPages`, unless the row has another. */
  readonly env: string;
  /** Text for an absent or empty variable; "" means "not set". */
  readonly default: string;
  /** Default in docs/reference/settings.md, where `default` depends on the machine. */
  readonly defaultInDocs?: string;
  /** One line for operators, verbatim in docs/reference/settings.md. */
  readonly meaning: string;
  readonly schema: z.ZodType<T>;
  /** Never printed, not even in errors. */
  readonly secret?: boolean;
  /** An empty variable differs from an absent one. */
  readonly emptyCounts?: boolean;
  /** The lower-case name takes precedence, as in curl. */
  readonly lowerCaseToo?: boolean;
}

/** Defines a setting; without a default it is "not set". */
export const setting = <T>(
  row: Omit<Setting<T>, "env" | "default"> & Partial<Pick<Setting<T>, "env" | "default">>,
): Setting<T> => ({ env: "", default: "", ...row });

/** The settings with the names of their variables. */
export function named<Table extends Readonly<Record<string, Setting<unknown>>>>(table: Table): Table {
  const capitals = (name: string): string => name.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
  const rows = Object.entries(table).map(([name, row]) => [name, { ...row, env: row.env || capitals(name) }]);
  return Object.fromEntries(rows) as Table;
}

/** The environment, as in node:process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings; `problems` has one message each. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Reads the settings of a table. Returns the values by name. @throws ConfigError with all problems */
export function readSettings(
  table: Readonly<Record<string, Setting<unknown>>>,
  env: Environment,
): Record<string, unknown> {
  const names = Object.values(table).flatMap((row) => (row.secret ? [row.env, `${row.env}_FILE`] : [row.env]));
  const problems = unknownNames(new Set(names), env);
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const text = textOf(row, env);
    if (typeof text !== "string") {
      problems.push(text.problem);
      continue;
    }
    const result = row.schema.safeParse(text);
    if (result.success) values[name] = result.data;
    else problems.push(...new Set(result.error.issues.map(({ message }) => `${row.env} ${message}.`)));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values;
}

function textOf(row: Setting<unknown>, env: Environment): string | { readonly problem: string } {
  const file = row.secret ? env[`${row.env}_FILE`]?.trim() : undefined;
  if (file)
    return env[row.env]
      ? { problem: `${row.env} and ${row.env}_FILE are both set; set one of them.` }
      : fromFile(row, file);
  const text = ((row.lowerCaseToo && env[row.env.toLowerCase()]) || env[row.env])?.trim();
  return text === undefined || (text === "" && !row.emptyCounts) ? row.default : text;
}

/** Reads a secret from a file, as container engines provide them. */
function fromFile({ env }: Setting<unknown>, file: string): string | { readonly problem: string } {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    return {
      problem: `${env}_FILE names a file that cannot be read (${error instanceof Error ? error.message : ""}).`,
    };
  }
}

/** Problems for unknown variables with the prefix LECTERN_, which are probably typos. */
function unknownNames(known: ReadonlySet<string>, env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => isOurs(name) && !known.has(name) && !isOfService(name, env[name]))
    .map((name) => {
      const bare = name.slice("LECTERN_".length);
      if (known.has(bare)) return `${name} is not a setting; its name is ${bare}, without the prefix.`;
      const near = [...known].find((setting) => isNear(name, setting));
      if (near !== undefined) return `${name} is not a setting; did you mean ${near}?`;
      return `${name} is not a setting; the names are in docs/reference/settings.md.`;
    });
}

const isOurs = (name: string): boolean => /^LECTERN_/i.test(name);

/**
 * Whether Kubernetes sets the variable in every container, for a Service whose name begins with "lectern" (Kubernetes documentation,
 * "Services", "Environment variables").
 */
function isOfService(name: string, value = ""): boolean {
  if (/_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value);
}

/**
 * Warnings for variables that are spelt almost like an unset setting. Names of one word are skipped, as they are common and may belong to
 * other programs.
 */
export function nearNames(table: Readonly<Record<string, Setting<unknown>>>, env: Environment): readonly string[] {
  const rows = Object.values(table);
  const names = rows.flatMap(({ env: name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  const read = new Set([...names, ...rows.flatMap((row) => (row.lowerCaseToo ? [row.env.toLowerCase()] : []))]);
  const unset = names.filter((name) => name.includes("_") && !env[name]);
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || !name.includes("_") || read.has(name) || isOurs(name)) return [];
    const near = unset.find((setting) => isNear(name, setting));
    return near === undefined ? [] : [`${name} is not a setting and has no effect. If you meant ${near}, set that.`];
  });
}

/** Whether two names differ by at most one letter or transposition, ignoring case. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [one.toUpperCase(), other.toUpperCase()];
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const swapped = `${restA.charAt(1)}${restA.charAt(0)}${restA.slice(2)}`;
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.length > 1 && swapped === restB)
  );
}

/** The default address of a server. */
export const defaults = { host: "127.0.0.1", port: "8080" } as const;

/** An absolute http(s) URL without credentials, query and fragment. */
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === "";
}
