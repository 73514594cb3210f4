import type { LocalEngine } from "../workers/local-engine.ts";

/** The execution of runs in this process. */
export interface Execution {
  open(): Promise<void>;
  /** Rejects when it can no longer execute runs. */
  readonly ended: Promise<void>;
  /** Whether it polls its task queues. */
  working(): boolean;
  close(): Promise<void>;
}

/** The execution by the engine of this process, which fails only with the process. */
export function executionOf(engine: LocalEngine): Execution {
  return { open: engine.open, ended: new Promise(() => {}), working: () => true, close: engine.close };
}
