import { Failure } from "../../domain/failures.ts";

/** Asks a host with a signal that aborts after `deadline` milliseconds. @throws Failure timeout then; what `ask` throws */
export async function withDeadline<Answer>(
  host: string,
  deadline: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(deadline);
  try {
    return await ask(signal);
  } catch (error) {
    if (!signal.aborted || error instanceof Failure) throw error;
    throw new Failure("timeout", `${host} did not answer within ${deadline / 1000} s.`, { cause: error });
  }
}
