import SwaggerParser from "@apidevtools/swagger-parser";
import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { FailureRecord } from "../../../domain/failures.ts";
import { cutDescription, findUnread } from "../../../extract/openapi/cut.ts";
import type { CutDescription, DescriptionFiles, Unread } from "../../../extract/openapi/cut.ts";
import { parseFile } from "../../../extract/openapi/parse.ts";
import { versionOf } from "../../../extract/openapi/version.ts";
import { TaskTimeout } from "../../thread-pool.ts";
import type { ThreadPool } from "../../thread-pool.ts";

/** Work on a description that takes seconds where it is large, on a thread. */
export interface DescriptionThread {
  /** The files that it refers to, and that are not among those given. @throws Failure source_invalid */
  findUnread(files: DescriptionFiles): Promise<readonly Unread[]>;
  /** What is wrong with it, in sentences; nothing that keeps it from being read. */
  validate(files: DescriptionFiles): Promise<readonly string[]>;
  /** Its parts as pages. @throws Failure source_invalid or no_code_found */
  cut(files: DescriptionFiles, warnings: readonly string[]): Promise<CutDescription>;
}

/** Processor time that one of these may take of its thread, in milliseconds: some five times what the largest known descriptions take. */
const maxCpu = 90_000;
const maxValidationCpu = 30_000;

const module = new URL(import.meta.url);

/** Problems that one warning names, and the length of one, in characters. */
const maxProblems = 3;
const maxProblemLength = 200;

/** Runs the work on threads of a pool. */
export function createDescriptionThread(pool: ThreadPool, signal: AbortSignal): DescriptionThread {
  const run = async <Result>(name: string, input: unknown, root: string): Promise<Result> => {
    let outcome: Outcome<Result>;
    try {
      outcome = await pool.run<unknown, Outcome<Result>>({ module, name }, input, { signal, maxCpu, group: signal });
    } catch (cause) {
      throw beyondThread(cause, root) ?? cause;
    }
    if ("result" in outcome) return outcome.result;
    throw new Failure(outcome.failure.code, outcome.failure.message);
  };
  return {
    findUnread: (files) => run("findUnreadFiles", files, files.root),
    cut: (files, warnings) => run("cutFiles", { files, warnings }, files.root),
    async validate(files) {
      try {
        return await pool.run({ module, name: "validateFiles" }, files, {
          signal,
          maxCpu: maxValidationCpu,
          group: signal,
        });
      } catch (error) {
        if (beyondThread(error, files.root) === undefined) throw error;
        return [`${files.root} is too large, or too deep in its references, to be validated.`];
      }
    },
  };
}

/** What a thread answers: an error that is copied between threads loses what makes it a Failure. */
type Outcome<Result> = { readonly result: Result } | { readonly failure: FailureRecord };

interface CutInput {
  readonly files: DescriptionFiles;
  readonly warnings: readonly string[];
}

/** Finds the files that are to be read. */
export function findUnreadFiles(files: DescriptionFiles): Outcome<readonly Unread[]> {
  return outcomeOf(() => findUnread(files));
}

/** Cuts a description. */
export function cutFiles({ files, warnings }: CutInput): Outcome<CutDescription> {
  return outcomeOf(() => cutDescription(files, warnings));
}

function outcomeOf<Result>(work: () => Result): Outcome<Result> {
  try {
    return { result: work() };
  } catch (error) {
    if (error instanceof Failure) return { failure: toFailureRecord(error) };
    throw error;
  }
}

/**
 * Holds a description against the schema of its version (swagger-parser). It knows versions up to 3.1 that have paths or webhooks; of others
 * it says nothing. It fetches nothing: references to other files stay as they are.
 */
export async function validateFiles({ root, files }: DescriptionFiles): Promise<readonly string[]> {
  const bytes = files.get(root);
  const value = bytes && (parseFile(bytes, root) as { readonly paths?: unknown; readonly webhooks?: unknown });
  const version = versionOf(value, root);
  if (value === undefined || version === "3.2") return [];
  if (value.paths === undefined && (version !== "3.1" || value.webhooks === undefined)) return [];
  try {
    // The library takes what it is given for its own and changes it.
    await SwaggerParser.validate("description.json", value as never, { resolve: { external: false } });
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [`${root} is not valid OpenAPI ${version}: ${problemsOf(error)}.`];
  }
}

function problemsOf(error: Error): string {
  const details = "details" in error && Array.isArray(error.details) ? (error.details as readonly unknown[]) : [];
  const found = details.flatMap((detail) => {
    const { instancePath, message } = detail as { instancePath?: unknown; message?: unknown };
    return typeof instancePath === "string" && typeof message === "string" ? [`#${instancePath} ${message}`] : [];
  });
  const [first = ""] = error.message.split("\n");
  const all = [...new Set(found.length === 0 ? [first.replace(/\.$/, "")] : found)];
  const shown = all.slice(0, maxProblems).map((one) => one.slice(0, maxProblemLength));
  return `${shown.join("; ")}${all.length > maxProblems ? `; and ${all.length - maxProblems} more` : ""}`;
}

/** The failure of a description that is too much for a thread's time or memory; undefined for any other error. */
function beyondThread(error: unknown, root: string): Failure | undefined {
  if (error instanceof TaskTimeout)
    return new Failure("source_invalid", `${root} is too slow to read. Split the description.`, { cause: error });
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const message = `${root} takes more memory to read than a thread has. Split the description.`;
    return new Failure("source_invalid", message, { cause: error });
  }
  return undefined;
}
