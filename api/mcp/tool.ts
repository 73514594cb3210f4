import * as z from "zod";

import type { Scope } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { parseFields } from "../parameters.ts";
import { sentenceOf } from "./ask.ts";
import type { Ask, Asked, Told } from "./ask.ts";

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
  readonly input: z.ZodType<Arguments>;
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
    return { said: await run(ask, parseFields(input, named(given, aliases))) };
  } catch (error) {
    if (error instanceof Refusal || error instanceof Failure) return { refused: error.message };
    throw error;
  }
}

function named(given: object, aliases: NonNullable<Tool["aliases"]>): object {
  const fields = new Map(Object.entries(given));
  for (const [name, others] of Object.entries(aliases)) {
    const other = fields.has(name) ? undefined : others.find((one) => fields.has(one));
    if (other !== undefined) fields.set(name, fields.get(other));
  }
  return Object.fromEntries(fields);
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
