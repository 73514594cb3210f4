import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Failure, failures, isOutage, toFailureRecord } from "../domain/failures.ts";
import type { FailureRecord } from "../domain/failures.ts";
import { cancellationOf, runIndexing } from "../domain/indexing.ts";
import type { Catalog, ClaimedRun, Indexing, RunRecord, StepControl } from "../domain/ports.ts";
import { maxOutages, outageDelay, policyOf, retryDelay, stepPolicies } from "../domain/steps.ts";
import type { IndexingSteps, StepName } from "../domain/steps.ts";
import { nextTurn } from "../domain/turns.ts";
import type { Turn } from "../domain/turns.ts";
import { attemptStep } from "./attempt.ts";
import { createReporter } from "./reporter.ts";
import type { Reporter } from "./reporter.ts";

export interface LocalEngineOptions {
  readonly catalog: Catalog;
  /** The steps, each call bound to its context. */
  readonly activities: (step: () => StepControl) => IndexingSteps;
  /** Names this process in the leases of its runs. */
  readonly owner: string;
  /** Maximum of concurrent runs; there may be one more, where one host or one key has all of them. */
  readonly runsAtOnce: number;
  readonly log: Logger;
  readonly now: () => number;
}

export interface LocalEngine extends Indexing {
  /** Takes over the runs of a dead process, and starts claiming runs. Call it once; until then what is started waits. */
  open(): Promise<void>;
  /** Stops at once; open runs stay open, and the next process resumes them, as often as it is. */
  close(): Promise<void>;
  /** Resolves when no run is executing or waiting. */
  idle(): Promise<void>;
}

/** Deaths of the process after which a run that was executed at each of them is suspended. */
const maxDeaths = 2;

/** What is told of it. */
const suspension: FailureRecord = {
  code: "run_suspended",
  message: `The server's process died ${maxDeaths} times while this run was executed, so it is suspended for a while. See the log for how the process ended. An administrator resumes the run at once by refreshing the library, or cancels it.`,
};

/** Time that runs have to stop before they are left behind, in milliseconds. */
const stopTimeout = 5000;

/** Pause before turns are looked at again, where the run whose turn it was has just gone, in milliseconds. */
const missedPause = 50;

/** Hosts and keys of which it is known when they were served last. */
const maxServed = 1000;

/** Crawls that take no place of `runsAtOnce`. */
const maxCrawls = 8;
const leaseTime = 60_000;
const reportInterval = 250;

/** Why a run's signal was aborted. */
const cancelReason = new Failure("run_cancelled", "The run was cancelled.");
const stopReason = new Failure("service_unavailable", "The server is shutting down. Try again in a moment.", {
  retryAfter: 5,
});

/** Who is told how a run gets on. */
interface Told {
  readonly reporter: Reporter;
  readonly log: Logger;
}

interface Active {
  readonly turn: Turn;
  readonly controller: AbortController;
  done: Promise<void>;
  /** Its step is one of the queue `crawl`, which waits for most of its time. */
  crawls: boolean;
}

/**
 * Executes runs in this process. Runs are rows of the catalog with a lease; what each step returned is kept in the row,
 * so that an interrupted run resumes with its current step. That step is executed again: at-least-once, from its last
 * checkpoint.
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
  /** When hosts and keys were served last, in the order of that. */
  const served = new Map<string, number>();
  let claims = 0;
  let opened = false;
  /** A filling has yet to begin. */
  let waits = false;
  let stopping = false;
  /** Also ends the waiting of what writes down how a run ended, which no cancellation does. */
  const stopped = new AbortController();
  let claiming: Promise<void> = Promise.resolve();
  let renewal: NodeJS.Timeout | undefined;

  const servedAt = (whose: "host" | "keyId", value: string | null): number => served.get(`${whose} ${value}`) ?? 0;
  const noteServed = ({ host, keyId }: Turn): void => {
    claims += 1;
    for (const name of [`host ${host}`, `keyId ${keyId}`]) {
      served.delete(name);
      served.set(name, claims);
    }
    for (const name of served.keys()) if (served.size > maxServed) served.delete(name);
  };

  /** Fills the free places, one claim after the other. What is asked for while it is about to begin is one filling. */
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
          // It is executed here, and its lease ran out, as while the machine was suspended: now it has another one.
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
        // The next sweep has it tried again.
        if (isOutage(code)) log.warn({ code, reason: message }, "runs wait for what is out of reach");
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

  /** The steps of a run: those that are done answer from its journal, the others are executed and kept. */
  const recordedSteps = (claimed: ClaimedRun, signal: AbortSignal, told: Told): IndexingSteps => {
    const { runId } = claimed.run;
    let journal = claimed.journal;
    // The step that was under way when the run was interrupted begins again.
    let interrupted = claimed.claims - 1;
    const recorded =
      <Name extends StepName>(name: Name) =>
      async (input: Parameters<IndexingSteps[Name]>[0]): Promise<unknown> => {
        if (stopping) throw stopReason;
        if (name in journal) return journal[name];
        // The end of a run is written down even when the run was cancelled.
        const stop = name === "conclude" ? new AbortController().signal : signal;
        const before = interrupted;
        interrupted = 0;
        const own = { ...told, log: told.log.child({ step: name }) };
        const result = await placed(runId, name, input, () => execution(name, input, stop, { ...own, before }));
        if (stopping && signal.reason === stopReason) throw stopReason;
        journal = { ...journal, [name]: result ?? null };
        const recording = (): Promise<void> => catalog.runs.record(runId, journal);
        if (name !== "conclude") await throughOutages(recording, maxOutages, signal, own);
        return result;
      };
    return Object.fromEntries(
      (Object.keys(stepPolicies) as StepName[]).map((name) => [name, recorded(name)]),
    ) as unknown as IndexingSteps;
  };

  /** A crawl leaves its place to other runs while it goes on. */
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

  /** One step with its retries, through outages. */
  const execution = async (
    name: StepName,
    input: unknown,
    signal: AbortSignal,
    told: Told & { readonly before: number },
  ): Promise<unknown> => {
    const { reporter, log: stepLog } = told;
    const policy = policyOf(name, input);
    let begun = told.before;
    const attempts = async (): Promise<unknown> => {
      for (let attempt = 1; ; attempt += 1) {
        reporter.begin((begun += 1));
        // What was counted before is what it goes on from.
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
    // A run whose end cannot be written down is not over.
    return throughOutages(attempts, name === "conclude" ? Infinity : maxOutages, signal, told);
  };

  /** A run waits for a part that is out of reach, such as a full disk, as long as it does on Temporal. */
  const throughOutages = async <T>(
    work: () => Promise<T>,
    most: number,
    signal: AbortSignal,
    { reporter, log: stepLog }: Told,
  ): Promise<T> => {
    for (let outages = 1; ; outages += 1) {
      try {
        return await work();
      } catch (error) {
        const failure = toFailureRecord(error);
        if (signal.aborted || !isOutage(failure.code) || outages >= most) throw error;
        reporter.failed(failure);
        const seconds = outageDelay(outages) / 1000;
        stepLog.warn({ code: failure.code, reason: failure.message, seconds }, "run waits for what is out of reach");
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
      // Nobody claims it any more; it may have been claimed before it was closed.
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
      // What still has an owner at the next start was executed when the process died. This one may yet be ended before its steps are.
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
