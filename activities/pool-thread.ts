import { parentPort } from "node:worker_threads";

/** A task for a thread of the pool: which function, by the address of its module, and what it is given. */
export interface TaskRequest {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** What the function answered or threw, and the processor time that the thread has taken since it began, in milliseconds. */
export type TaskReply = ({ readonly result: unknown } | { readonly error: unknown }) & { readonly spent: number };

parentPort?.on("message", (request: TaskRequest) => void answer(request));

async function answer({ module, name, input }: TaskRequest): Promise<void> {
  const reply = (outcome: { readonly result: unknown } | { readonly error: unknown }): void => {
    const { user, system } = process.threadCpuUsage();
    parentPort?.postMessage({ ...outcome, spent: (user + system) / 1000 } satisfies TaskReply);
  };
  try {
    const exported = (await import(module)) as Record<string, ((input: unknown) => unknown) | undefined>;
    const task = exported[name];
    if (task === undefined) throw new Error(`${module} exports no ${name}.`);
    reply({ result: await task(input) });
  } catch (error) {
    reply({ error });
  }
}
