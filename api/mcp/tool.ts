import * as z from "zod";
import type { Scope } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { parseFields, type ParameterSchema } from "../parameters.ts";
import type { Query } from "../request.ts";

/** The result of a tool: text for people and models, data of its output schema for programs. */
interface ToolResult {
  readonly text: string;
  readonly data: object;
}

/** A tool: its arguments, and a function that calls operations of the API. */
export interface Tool<Arguments = unknown> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Scope of the keys that see it; the called operations check rights. Null: callers without a key see it too. */
  readonly scope: Scope | null;
  readonly changes: boolean;
  readonly input: ParameterSchema<Arguments>;
  /** Aliases of arguments, which the published server accepts too. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly output: z.ZodType;
  // A method, so that a list can have tools of all arguments.
  run(ask: Ask, given: Arguments): Promise<ToolResult>;
}

/** Defines a tool, with the types of its schema for the function. */
export function tool<Arguments>(described: Tool<Arguments>): Tool {
  return described;
}

/** The failure of a called operation, with its message. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Calls an operation, and returns its answer if it succeeded. @throws Refusal */
export async function succeed(ask: Ask, method: "GET" | "POST", path: string, input: Input): Promise<Answer> {
  const answer = await ask(method, path, input);
  if (answer.status !== 200) throw new Refusal(sentenceOf(answer));
  return answer;
}

/** Maximum number of redirects to follow. */
const maxRedirects = 5;

/** Asks an operation about a library, and follows redirects of the library. @throws Refusal */
export async function readLibrary(ask: Ask, path: string, id: string, query: Query): Promise<Answer> {
  let libraryId = id;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await ask("GET", path, { query: { ...query, libraryId } });
    if (answer.status === 200) return answer;
    const target = redirects < maxRedirects ? redirectOf(answer) : undefined;
    if (target === undefined) throw new Refusal(sentenceOf(answer));
    libraryId = target;
  }
}

/** Executes a tool. Returns the message if its arguments are invalid, or an operation refused. */
export async function callTool(
  { input, aliases = {}, run }: Tool,
  ask: Ask,
  given: unknown,
): Promise<{ readonly result: ToolResult } | { readonly refused: string }> {
  try {
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
    if (!isObject) throw new Failure("validation_error", "arguments must be an object.");
    return { result: await run(ask, parseFields(input, withoutEmpty(input, withoutAliases(given, aliases)))) };
  } catch (error) {
    if (error instanceof Refusal || error instanceof Failure) return { refused: error.message };
    throw error;
  }
}

/** Whether an argument has a value. Some agents send null or "" for absent ones. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

function withoutAliases(given: object, aliases: NonNullable<Tool["aliases"]>): object {
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

/** A tool as an entry of `tools/list`. */
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

/** The JSON Schema without references, which some clients do not follow. */
function schemaOf(schema: z.ZodType): Json & { readonly type: "object" } {
  const { $schema: _, $defs = {}, ...made } = z.toJSONSchema(schema, { io: "input" }) as Json & { $defs?: Json };
  return { ...(withoutReferences(made, $defs) as Json), type: "object" };
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
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, where it is JSON. */
  readonly body: unknown;
}

/** The input of an operation: its query, or its JSON body. */
interface Input {
  readonly query?: Query;
  readonly body?: object;
}

/** Calls an API operation, by its path below `/api`, with the identity of the tool's caller. */
export type Ask = (method: "GET" | "POST", path: string, input: Input) => Promise<Answer>;

/** The sentence of an unsuccessful answer: the failure's message, or the text of a 202. */
function sentenceOf({ status, body }: Answer): string {
  if (typeof body === "string" && body !== "") return body;
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  return typeof message === "string" ? message : `The server answered ${status}.`;
}

/** The new library ID in a redirect. */
function redirectOf({ status, headers, body }: Answer): string | undefined {
  if (status !== 301 || !headers.has("location")) return undefined;
  const to = typeof body === "object" && body !== null && "redirectUrl" in body ? body.redirectUrl : undefined;
  return typeof to === "string" ? to : undefined;
}
