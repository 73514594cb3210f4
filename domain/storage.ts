import { Failure } from "./failures.ts";

/** Share of STORAGE_LIMIT from which no previous generations are kept. */
export const scarceStorage = 0.9;

/** Refuses to read a source while STORAGE_LIMIT is reached. `share` of it is used. @throws Failure storage_full */
export function requireStorage(share: number): void {
  if (share < 1) return;
  const message =
    "STORAGE_LIMIT is reached: nothing new is indexed, and what is indexed stays. Its operator can raise it, or delete libraries.";
  throw new Failure("storage_full", message);
}
