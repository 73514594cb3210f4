import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Failure, failures, isOutage, toFailureRecord, type FailureRecord } from "../domain/failures.ts";
import { cancellationOf, runIndexing } from "../domain/indexing.ts";
import type { Catalog, ClaimedRun, Indexing, RunRecord, StepControl } from "../domain/ports.ts";
import {
  maxOutages,
  outageDelay,
  policyOf,
  retryDelay,
  stepPolicies,
  type IndexingSteps,
  type StepName,
} from "../domain/steps.ts";
import { nextTurn, type Turn } from "../domain/turns.ts";
import { attemptStep } from "./attempt.ts";
import { createReporter, type Reporter } from "./reporter.ts";

/** The ports and limits of the engine. */
export interface LocalEngineOptions {
  readonly catalog: Catalog;
  /** The steps; `step` returns the control of the current call. */
  readonly activities: (step: () => StepControl) => IndexingSteps;
  /** Names this process in the leases of its runs. */
  readonly owner: string;
  /** Maximum number of concurrent runs; one more if a single host or key has all of them. */
  readonly runsAtOnce: number;
  readonly log: Logger;
  readonly now: () => number;
}

/** The engine of one process. */
export interface LocalEngine extends Indexing {
  /** Takes over the runs of a dead process, and starts claiming runs. Call it once; runs started before wait for it. */
  open(): Promise<void>;
  /** Stops at once. Open runs stay open, and the next process resumes them, however often that happens. */
  close(): Promise<void>;
  /** Resolves when no run is executing or waiting. */
  idle(): Promise<void>;
}

/** Deaths of the process after which a run that was executed at each of them is suspended. */
const maxDeaths = 2;

const suspension: FailureRecord = {
  code: "run_suspended",
  message: `The server's process died ${maxDeaths} times while this run was executed, so it is suspended for a while. The log shows how the process ended. An administrator can refresh the library to resume the run at once, or cancel it.`,
};

/** Maximum wait for runs to stop, in milliseconds. */
const stopTimeout = 5000;

/** Pause before the next turn is chosen if the chosen run could not be claimed, in milliseconds. */
const missedPause = 50;

/** Maximum number of hosts and keys whose last turn is remembered. */
const maxServed = 1000;

/** Maximum number of crawls that do not count towards `runsAtOnce`. */
const maxCrawls = 8;
const leaseTime = 60_000;
const reportInterval = 250;

const cancelReason = new Failure("run_cancelled", "The run was cancelled.");
const stopReason = new Failure("service_unavailable", "The server is shutting down. Try again in a moment.", {
  retryAfter: 5,
});

/** The outputs of a run. */
interface Outputs {
  readonly reporter: Reporter;
  readonly log: Logger;
}

interface Active {
  readonly turn: Turn;
  readonly controller: AbortController;
  done: Promise<void>;
  /** Its step is on the queue `crawl`, and waits most of the time. */
  crawls: boolean;
}

/**
 * Executes runs in this process. Runs are rows of the catalog with a lease. The row keeps the result of each step, so that
 * an interrupted run resumes with its current step. That step is executed again: at-least-once, from its last checkpoint.
 */
export function createLocalEngine({
  catalog,
  activities,
  owner,
  runsAtOnce,
  log,
  now,
}: LocalEngineOptions): LocalEngine {
  const active = new Map<string, Active>();
  /** The last turn of hosts and keys, as numbers of claims, in this order. */
  const served = new Map<string, number>();
  let claims = 0;
  let opened = false;
  /** A call of `fill` has yet to begin its work. */
  let waits = false;
  let stopping = false;
  /** Also ends the retries of `conclude`, which ignores cancellations. */
  const stopped = new AbortController();
  let claiming: Promise<void> = Promise.resolve();
  let renewal: NodeJS.Timeout | undefined;

  const servedAt = (owner: "host" | "keyId", value: string | null): number => served.get(`${owner} ${value}`) ?? 0;
  const noteServed = ({ host, keyId }: Turn): void => {
    claims += 1;
    for (const name of [`host ${host}`, `keyId ${keyId}`]) {
      served.delete(name);
      served.set(name, claims);
    }
    for (const name of served.keys()) if (served.size > maxServed) served.delete(name);
  };

  /** Fills the free places, one claim after another. Calls before it begins are merged. */
  const fill = (): Promise<void> => {
    if (waits) return claiming;
    waits = true;
    claiming = claiming
      .then(async () => {
        waits = false;
        while (opened && !stopping) {
          const crawling = [...active.values()].filter(({ crawls }) => crawls).slice(0, maxCrawls);
          const running = [...active.values()].filter((run) => !crawling.includes(run)).map(({ turn }) => turn);
          if (running.length > runsAtOnce) return;
          const turn = nextTurn(await catalog.runs.waiting(now()), running, runsAtOnce, servedAt);
          if (!turn) return;
          const claimed = await catalog.runs.claim(owner, now() + leaseTime, now(), turn);
          if (!claimed) {
            await sleep(missedPause);
            continue;
          }
          // It is already executing here, but its lease ran out, as while the machine was suspended. Now it has a new one.
          if (active.has(claimed.run.runId)) continue;
          noteServed(claimed.turn);
          const controller = new AbortController();
          const entry: Active = { turn: claimed.turn, controller, done: Promise.resolve(), crawls: false };
          active.set(claimed.run.runId, entry);
          entry.done = execute(claimed, controller).finally(() => {
            active.delete(claimed.run.runId);
            if (!stopping) void fill();
          });
        }
      })
      .catch((error: unknown) => {
        const { code, message } = toFailureRecord(error);
        // The next sweep calls `start` again.
        if (isOutage(code)) log.warn({ code, reason: message }, "runs wait for an unreachable service");
        else log.error({ err: error }, "claiming a run failed");
      });
    return claiming;
  };

  const execute = async (claimed: ClaimedRun, controller: AbortController): Promise<void> => {
    const { run } = claimed;
    const runLog = log.child({ runId: run.runId, library: run.libraryId, version: run.version });
    const started = now();
    try {
      runLog.info({ reason: run.reason, claims: claimed.claims }, "run started");
      const reporter = createReporter({ catalog, runId: run.runId, every: reportInterval, log: runLog, now });
      const steps = recordedSteps(claimed, controller.signal, { reporter, log: runLog });
      const cancelled = (error: unknown): boolean =>
        error === cancelReason || controller.signal.reason === cancelReason;
      const { outcome } = await runIndexing(steps, run, reporter.enter, cancelled);
      await reporter.settled();
      runLog.info({ outcome, ms: now() - started }, "run ended");
    } catch (error) {
      if (controller.signal.reason === stopReason) runLog.info("run interrupted: the server is stopping");
      else if (error instanceof Failure)
        runLog.warn({ code: error.code, reason: error.message, ms: now() - started }, "run failed");
      else runLog.error({ err: error, ms: now() - started }, "run failed");
    }
  };

  /** The steps of a run. Completed ones return their result from the journal; the others are executed and recorded. */
  const recordedSteps = (claimed: ClaimedRun, signal: AbortSignal, outputs: Outputs): IndexingSteps => {
    const { runId } = claimed.run;
    let journal = claimed.journal;
    // Attempts of the step that was interrupted, which begins again.
    let interrupted = claimed.claims - 1;
    const recorded =
      <Name extends StepName>(name: Name) =>
      async (input: Parameters<IndexingSteps[Name]>[0]): Promise<unknown> => {
        if (stopping) throw stopReason;
        if (name in journal) return journal[name];
        // The end of a run is recorded even if the run was cancelled.
        const stop = name === "conclude" ? new AbortController().signal : signal;
        const before = interrupted;
        interrupted = 0;
        const stepOutputs = { ...outputs, log: outputs.log.child({ step: name }) };
        const result = await placed(runId, name, input, () => execution(name, input, stop, { ...stepOutputs, before }));
        if (stopping && signal.reason === stopReason) throw stopReason;
        journal = { ...journal, [name]: result ?? null };
        const recording = (): Promise<void> => catalog.runs.record(runId, journal);
        if (name !== "conclude") await throughOutages(recording, maxOutages, signal, stepOutputs);
        return result;
      };
    return Object.fromEntries(
      (Object.keys(stepPolicies) as StepName[]).map((name) => [name, recorded(name)]),
    ) as unknown as IndexingSteps;
  };

  /** A crawl leaves its place to other runs while it lasts. */
  const placed = async (
    runId: string,
    name: StepName,
    input: unknown,
    step: () => Promise<unknown>,
  ): Promise<unknown> => {
    const entry = active.get(runId);
    if (!entry || policyOf(name, input).queue !== "crawl") return step();
    entry.crawls = true;
    void fill();
    return step().finally(() => (entry.crawls = false));
  };

  const pause = (delay: number, signal: AbortSignal): Promise<void> =>
    sleep(delay, undefined, { signal: AbortSignal.any([signal, stopped.signal]) });

  /** Executes one step with its retries, and waits through outages. */
  const execution = async (
    name: StepName,
    input: unknown,
    signal: AbortSignal,
    outputs: Outputs & { readonly before: number },
  ): Promise<unknown> => {
    const { reporter, log: stepLog } = outputs;
    const policy = policyOf(name, input);
    let begun = outputs.before;
    const attempts = async (): Promise<unknown> => {
      for (let attempt = 1; ; attempt += 1) {
        reporter.begin((begun += 1));
        // The attempt continues from the progress so far.
        await reporter.settled();
        try {
          return await attemptStep(policy, signal, reporter.report, (context) => {
            const step = activities(() => context)[name] as (given: unknown) => Promise<unknown>;
            return step(input);
          });
        } catch (error) {
          const failure = toFailureRecord(error);
          if (signal.aborted || attempt >= policy.attempts || !failures[failure.code].retryable) throw error;
          reporter.failed(failure);
          stepLog.warn({ attempt, err: error }, "step failed; retrying");
          await pause(retryDelay(attempt + 1), signal);
        }
      }
    };
    // A run is not over until its end is recorded.
    return throughOutages(attempts, name === "conclude" ? Infinity : maxOutages, signal, outputs);
  };

  /** Waits through outages, such as a full disk, as long as runs do on Temporal. */
  const throughOutages = async <T>(
    work: () => Promise<T>,
    most: number,
    signal: AbortSignal,
    { reporter, log: stepLog }: Outputs,
  ): Promise<T> => {
    for (let outages = 1; ; outages += 1) {
      try {
        return await work();
      } catch (error) {
        const failure = toFailureRecord(error);
        if (signal.aborted || !isOutage(failure.code) || outages >= most) throw error;
        reporter.failed(failure);
        const seconds = outageDelay(outages) / 1000;
        stepLog.warn({ code: failure.code, reason: failure.message, seconds }, "run waits for an unreachable service");
        await pause(outageDelay(outages), signal);
      }
    }
  };

  return {
    async open() {
      await catalog.runs.orphan(owner, { deaths: maxDeaths, failure: suspension }, now());
      opened = true;
      renewal = setInterval(() => {
        catalog.runs
          .renew(owner, now() + leaseTime)
          .catch((error: unknown) => log.error({ err: error }, "renewing leases failed"));
      }, leaseTime / 4).unref();
      await fill();
    },
    async start() {
      if (stopping) throw stopReason;
      void fill();
    },
    async cancel(run: RunRecord) {
      await claiming;
      const running = active.get(run.runId);
      if (running) {
        running.controller.abort(cancelReason);
        return;
      }
      await catalog.runs.close(run.runId, cancellationOf(run), now());
      // A closed run is not claimed any more, but it may have been claimed just before.
      await claiming;
      active.get(run.runId)?.controller.abort(cancelReason);
    },
    async ready() {
      if (stopping) throw stopReason;
    },
    async close() {
      stopping = true;
      stopped.abort(stopReason);
      clearInterval(renewal);
      // A run that is being claimed ends before its first step.
      for (const { controller } of active.values()) controller.abort(stopReason);
      await claiming;
      // Runs that still have an owner at the next start count as executing when the process died. This process may end before its steps.
      await catalog.runs.release(owner);
      const done = Promise.all([...active.values()].map((run) => run.done));
      await Promise.race([done, sleep(stopTimeout, undefined, { ref: false })]);
    },
    async idle() {
      for (await claiming; active.size > 0; await claiming)
        await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
