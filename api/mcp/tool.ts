import * as z from "zod";
import type { Scope } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { parseFields } from "../parameters.ts";
import type { ParameterSchema } from "../parameters.ts";

/** The result of a tool: text for people and models, data of its output schema for programs. */
export interface Said {
  readonly text: string;
  readonly data: object;
}

/** A tool: its arguments, and a function that calls operations of the API. */
export interface Tool<Arguments = unknown> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Scope of the keys that see it; the operations decide about a call. Null: callers without a key see it too. */
  readonly scope: Scope | null;
  readonly changes: boolean;
  readonly input: ParameterSchema<Arguments>;
  /** Aliases of arguments, which the published server accepts too. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly output: z.ZodType;
  // A method, as the arguments of a list of tools differ.
  run(ask: Ask, given: Arguments): Promise<Said>;
}

/** Defines a tool, with the types of its schema for the function. */
export function tool<Arguments>(described: Tool<Arguments>): Tool {
  return described;
}

/** The failure of an operation that a tool called, with its message. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** The answer of a successful operation. @throws Refusal for any other answer */
export async function succeed(ask: Ask, method: "GET" | "POST", path: string, asked: Asked): Promise<Told> {
  const told = await ask(method, path, asked);
  if (told.status !== 200) throw new Refusal(sentenceOf(told));
  return told;
}

/** Executes a tool. A refusal of arguments, or by an operation, is text as well. */
export async function callTool(
  { input, aliases = {}, run }: Tool,
  ask: Ask,
  given: unknown,
): Promise<{ readonly said: Said } | { readonly refused: string }> {
  try {
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
    if (!isObject) throw new Failure("validation_error", "arguments must be an object.");
    return { said: await run(ask, parseFields(input, withoutEmpty(input, named(given, aliases)))) };
  } catch (error) {
    if (error instanceof Refusal || error instanceof Failure) return { refused: error.message };
    throw error;
  }
}

/** Whether an argument has a value: some agents send null or "" for what they leave out. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

function named(given: object, aliases: NonNullable<Tool["aliases"]>): object {
  const fields = new Map<string, unknown>(Object.entries(given));
  for (const [name, others] of Object.entries(aliases)) {
    const other = isGiven(fields.get(name)) ? undefined : others.find((one) => isGiven(fields.get(one)));
    if (other !== undefined) fields.set(name, fields.get(other));
  }
  return Object.fromEntries(fields);
}

/** The arguments without optional ones that have no value. */
function withoutEmpty({ shape }: Tool["input"], given: object): object {
  const isOptional = (name: string): boolean =>
    Object.hasOwn(shape, name) && shape[name]?.safeParse(undefined).success === true;
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => isGiven(value) || !isOptional(name)));
}

/** A tool as `tools/list` names it. */
export function describeTool({ name, title, description, changes, input, output }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input),
    outputSchema: schemaOf(output),
    annotations: {
      title,
      readOnlyHint: !changes,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: changes,
    },
  };
}

type Json = Record<string, unknown>;

/** The JSON Schema without references, which not all clients follow. */
function schemaOf(schema: z.ZodType): Json & { readonly type: "object" } {
  const { $schema: _, $defs = {}, ...made } = z.toJSONSchema(schema, { io: "input" }) as Json & { $defs?: Json };
  const whole = withoutReferences(made, $defs) as Json;
  return { ...whole, type: "object" };
}

function withoutReferences(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutReferences(one, definitions));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Json;
  const target = typeof $ref === "string" ? (definitions[$ref.replace("#/$defs/", "")] as Json) : {};
  return Object.fromEntries(
    Object.entries({ ...target, ...rest }).map(([name, one]) => [name, withoutReferences(one, definitions)]),
  );
}

/** The answer of an operation of the API. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, where it is JSON. */
  readonly body: unknown;
}

/** The input of an operation: its query, or its JSON body. */
interface Asked {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** Calls an API operation, by its path below `/api`, with the identity of the tool's caller. */
export type Ask = (method: "GET" | "POST", path: string, asked: Asked) => Promise<Told>;

/** The query string; undefined parameters are left out. */
export function queryOf({ query = {} }: Asked): URLSearchParams {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return new URLSearchParams(Object.fromEntries(given) as Record<string, string>);
}

/** The sentence of an unsuccessful answer: the failure's message, or the text of a 202. */
export function sentenceOf({ status, body }: Told): string {
  if (typeof body === "string" && body !== "") return body;
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  return typeof message === "string" ? message : `The server answered ${status}.`;
}

/** The new library ID in a redirect. */
export function movedTo({ status, headers, body }: Told): string | undefined {
  if (status !== 301 || !headers.has("location")) return undefined;
  const to = typeof body === "object" && body !== null && "redirectUrl" in body ? body.redirectUrl : undefined;
  return typeof to === "string" ? to : undefined;
}
