import { setTimeout as sleep } from "node:timers/promises";
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
} from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { isFailureCode } from "../domain/failures.ts";
import { cancellationOf } from "../domain/indexing.ts";
import { showLibrary, foldId } from "../domain/library.ts";
import type { Catalog, Indexing, LibraryRecord, RunRecord } from "../domain/ports.ts";
import { kindOf } from "../domain/kinds/index.ts";
import type { Conclusion, IndexingRequest } from "../domain/steps.ts";
import type { indexLibrary } from "../workflows/index.ts";
import { searchAttributes, taskQueue, type RunMemo } from "../workflows/names.ts";
import { decryptionFailureIn } from "./codec.ts";
import { engineUnreachable, isTransient, toEngineFailure } from "./temporal-failures.ts";
import { hash } from "node:crypto";

/** The ports of the engine. */
export interface TemporalEngineOptions {
  /**
   * A client of our namespace. Its connection must have no interceptors: the SDK's own one repeats calls beyond their deadline,
   * and ends the process if it does so on a connection that was closed meanwhile.
   */
  readonly client: Client;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly now: () => number;
}

/** WorkflowExecutionStatus: https://github.com/temporalio/api/blob/master/temporal/api/enums/v1/workflow.proto */
const runningStatus = 1;

/** Timeouts in milliseconds: calls are cancelled after the first, and abandoned after the second. */
const callTimeout = 1500;
const abandonTimeout = 1800;

/** Execution timeout of a run that no worker serves. It is long, because nothing is cleaned up then. */
const maxRunTime = "7 days";

/**
 * Time without progress after which an execution is given up if no key of this process opens it, in milliseconds. Until then
 * another process may have the key, as during a rotation of keys.
 */
const undecodableTimeout = 15 * 60_000;

/** Maximum length of a summary, in characters: the server takes 400 bytes, encrypted. */
const maxSummaryLength = 200;

/**
 * The engine on Temporal. A run of the catalog is one workflow execution, whose memo has the run's ID. Answering questions needs no
 * request to Temporal: the last step of a run writes its end into the catalog.
 */
export function createTemporalEngine({ client, catalog, log, now }: TemporalEngineOptions): Indexing {
  /** Starts the run; false if an execution with the same ID is open. */
  const launch = async (run: RunRecord, library: LibraryRecord): Promise<boolean> => {
    const source = kindOf(library.source).location(library.source);
    const host = kindOf(library.source).host(library.source);
    const shown = showLibrary(run.libraryId, run.version);
    const memo: RunMemo = {
      runId: run.runId,
      reason: run.reason,
      source,
      startedAt: new Date(now()).toISOString(),
      phase: "queued",
    };
    try {
      await client.workflow.start<typeof indexLibrary>("indexLibrary", {
        workflowId: libraryWorkflowId(run),
        taskQueue: taskQueue("main"),
        args: [toRequest(run)],
        workflowIdConflictPolicy: "FAIL",
        workflowIdReusePolicy: "ALLOW_DUPLICATE",
        workflowExecutionTimeout: maxRunTime,
        memo: { ...memo },
        typedSearchAttributes: [
          { key: searchAttributes.library, value: shown },
          { key: searchAttributes.source, value: host ?? library.source.kind },
          { key: searchAttributes.state, value: "queued" },
        ],
        staticSummary: `${run.reason}: ${shown}`.slice(0, maxSummaryLength),
        staticDetails: `Reads ${source} and indexes it as ${shown}.`,
        priority: { priorityKey: priorityKey(run.priority), fairnessKey: fairnessKey(run.teamspace, host) },
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  };

  /** Closes a run in the catalog whose execution has ended without doing so, with Temporal's reason. */
  const closeAfter = async (run: RunRecord, execution: WorkflowExecutionDescription): Promise<void> => {
    const end = await endOf(run, execution, handleOf(client, execution));
    const { runId, libraryId: library } = run;
    log.warn({ runId, library, status: execution.status.name, end }, "run closed after its end");
    await catalog.runs.close(run.runId, end, now());
  };

  /** Terminates an open execution that cannot be decoded, after `undecodableTimeout`; false if it ended in between. */
  const giveUp = async (run: RunRecord, { execution, reason }: Undecodable): Promise<boolean> => {
    if ((await catalog.runs.get(run.runId))?.state !== "open") return true;
    const { runId, libraryId, version, createdAt, progressAt } = run;
    log.warn({ runId, library: libraryId, reason }, "a run in Temporal cannot be decrypted here");
    if (now() - (progressAt ?? createdAt) < undecodableTimeout) return true;
    if (!(await wasRunning(execution.terminate("It cannot be decrypted.")))) return false;
    const message = `Indexing of ${showLibrary(libraryId, version)} was given up, as no worker can decrypt its data in Temporal. ${reason} Then refresh the library.`;
    await catalog.runs.close(runId, { outcome: "failed", failure: { code: "internal_error", message } }, now());
    return true;
  };

  /** Reads the execution and acts once; false if it changed in between. */
  const settle = async (run: RunRecord): Promise<boolean> => {
    const latest = await describe(client, run);
    if (latest && "reason" in latest && latest.isRunning) return giveUp(run, latest);
    // A closed execution that cannot be decrypted belongs to an earlier run, or is repeated.
    const execution = latest && "reason" in latest ? undefined : latest;
    const ours = execution?.memo?.["runId"] === run.runId;
    const running = execution?.status.name === "RUNNING";
    if (running && ours) return true;
    // Read after the execution, which writes its end into the catalog before it closes.
    if ((await catalog.runs.get(run.runId))?.state !== "open") return true;
    const library = await catalog.libraries.get(run.libraryUid);
    if (!library) return true;
    // A renamed library leaves its old ID to another library, perhaps during an open run. This run waits for the end of
    // that one; then the sweep starts it.
    if (running && (await isOfAnother(execution.memo?.["runId"], run))) return true;
    // The catalog has one open run per library version, which is this one: the execution belongs to a run long closed.
    const terminating =
      execution && running && handleOf(client, execution).terminate(`Superseded by run ${run.runId}.`);
    if (terminating && !(await wasRunning(terminating))) return false;
    if (execution && !running && ours && execution.status.name !== "COMPLETED") {
      await closeAfter(run, execution);
      return true;
    }
    // Also if the catalog has lost the end of a completed run: its steps may be repeated.
    return launch(run, library);
  };

  /** Whether the run of an execution is open and of another library. */
  const isOfAnother = async (runId: unknown, { libraryUid }: RunRecord): Promise<boolean> => {
    const other = typeof runId === "string" ? await catalog.runs.get(runId) : undefined;
    return other?.state === "open" && other.libraryUid !== libraryUid;
  };

  return {
    async start(run) {
      await reach(client, async () => {
        while (!(await settle(run)));
      });
    },
    async cancel(run) {
      const isRequested = await reach(client, async () => {
        const latest = await describe(client, run);
        if (latest && "reason" in latest) {
          // It cannot handle a cancellation.
          if (latest.isRunning) await wasRunning(latest.execution.terminate("It was cancelled."));
          return false;
        }
        if (latest?.status.name !== "RUNNING" || latest.memo?.["runId"] !== run.runId) return false;
        return wasRunning(handleOf(client, latest).cancel());
      });
      if (isRequested) return;
      await catalog.runs.close(run.runId, cancellationOf(run), now());
    },
    async ready() {
      const { namespace } = client.options;
      await reach(client, () => client.workflowService.describeNamespace({ namespace }));
    },
  };
}

/**
 * Retries calls, from the first one, until they succeed or time out. So each may be made twice.
 * @throws Failure service_unavailable within 2 s
 */
async function reach<T>(client: Client, calls: () => Promise<T>): Promise<T> {
  const until = Date.now() + callTimeout;
  const repeated = async (): Promise<T> => {
    for (let wait = 50; ; wait *= 2) {
      try {
        return await client.withDeadline(until, calls);
      } catch (error) {
        if (!isTransient(error) || Date.now() + wait > until) throw toEngineFailure(error);
        await sleep(wait);
      }
    }
  };
  const late = sleep(abandonTimeout, undefined, { ref: false }).then(() => {
    throw engineUnreachable();
  });
  return Promise.race([repeated(), late]);
}

/** An execution that none of our keys decrypts. */
interface Undecodable {
  readonly execution: WorkflowHandle;
  readonly isRunning: boolean;
  readonly reason: string;
}

async function describe(
  client: Client,
  run: RunRecord,
): Promise<WorkflowExecutionDescription | Undecodable | undefined> {
  const workflowId = libraryWorkflowId(run);
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    const undecodable = decryptionFailureIn(error);
    if (!undecodable) throw error;
    const { namespace } = client.options;
    const { workflowExecutionInfo: info } = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    return {
      execution: client.workflow.getHandle(workflowId, info?.execution?.runId ?? undefined),
      isRunning: info?.status === runningStatus,
      reason: undecodable.message,
    };
  }
}

/** Whether an execution was still running when the call reached it. */
async function wasRunning(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** A handle of exactly this execution, whatever has been started since. */
function handleOf(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): WorkflowHandle<typeof indexLibrary> {
  return client.workflow.getHandle<typeof indexLibrary>(workflowId, runId);
}

/** The conclusion of a run whose execution closed without its last step. */
async function endOf(
  { libraryId, version }: RunRecord,
  { status }: WorkflowExecutionDescription,
  handle: WorkflowHandle<typeof indexLibrary>,
): Promise<Conclusion> {
  const name = showLibrary(libraryId, version);
  if (status.name === "TERMINATED" || status.name === "CANCELLED") {
    const how = status.name === "TERMINATED" ? "terminated in Temporal" : "cancelled";
    const message = `Indexing of ${name} was ${how}. Refresh it to try again.`;
    return { outcome: "cancelled", failure: { code: "run_cancelled", message } };
  }
  if (status.name === "TIMED_OUT") {
    const message = `Timeout: indexing of ${name} took longer than ${maxRunTime}. Check that workers serve all task queues, then refresh it.`;
    return { outcome: "failed", failure: { code: "timeout", message } };
  }
  const cause = await handle.result().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof WorkflowFailedError) return error.cause;
      throw error;
    },
  );
  if (cause instanceof ApplicationFailure && isFailureCode(cause.type ?? ""))
    return { outcome: "failed", failure: { code: cause.type as "internal_error", message: cause.message } };
  const message = `Indexing of ${name} failed with an unexpected error. The run in Temporal's Web UI has the details.`;
  return { outcome: "failed", failure: { code: "internal_error", message } };
}

/** The part of a run's record that workflows get. */
function toRequest(run: RunRecord): IndexingRequest {
  const { runId, libraryUid, teamspace, libraryId, version, reason, generation } = run;
  return {
    runId,
    libraryUid,
    teamspace,
    libraryId,
    version,
    reason,
    ...(generation !== undefined && { generation }),
  };
}

/** Temporal's priority, 1 (first) to 5: requests of people, then versions that a question needs, then background work. */
function priorityKey(priority: number): number {
  if (priority >= 10) return 2;
  return priority >= 5 ? 3 : 4;
}

/** Servers accept 1,000 bytes, some only 255; usual IDs are far shorter. */
const maxIdBytes = 200;

/**
 * The workflow ID of a library version, `library:<teamspace or ->:<id>[@version]`: Temporal allows only one open run per ID.
 * Longer ones than 200 bytes are cut and end in a hash; they are longer than any ID without a hash.
 */
export function libraryWorkflowId({
  teamspace,
  libraryId,
  version,
}: Pick<IndexingRequest, "teamspace" | "libraryId" | "version">): string {
  const id = `library:${teamspace === "" ? "-" : teamspace}:${showLibrary(foldId(libraryId), version)}`;
  const bytes = Buffer.from(id);
  return bytes.length <= maxIdBytes ? id : `${bytes.subarray(0, 150).toString("utf8")}~${sha256(id)}`;
}

/** The key by which runs take turns, 64 bytes at most: the teamspace, or for public libraries the host of the source. */
export function fairnessKey(teamspace: string, host: string | null): string {
  const key = teamspace === "" ? (host ?? "-") : `@${teamspace}`;
  return Buffer.byteLength(key) <= 64 ? key : sha256(key);
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
