import type { LocalEngine } from "../workers/local-engine.ts";

/** The execution of runs in this process. */
export interface Execution {
  open(): Promise<void>;
  /** Rejects when it can no longer execute runs; resolves when it is closed. */
  readonly ended: Promise<void>;
  /** Whether it polls its task queues. */
  working(): boolean;
  close(): Promise<void>;
}

/** The execution by the engine of this process, which fails only with the process. */
export function executionOf(engine: LocalEngine): Execution {
  const ended = Promise.withResolvers<void>();
  let working = false;
  return {
    async open() {
      await engine.open();
      working = true;
    },
    ended: ended.promise,
    working: () => working,
    async close() {
      working = false;
      await engine.close();
      ended.resolve();
    },
  };
}
