import type { ApiAnswer } from "../answers.ts";

/** The message of a failed operation; undefined: it succeeded, or failed with the ignored status. */
export function problemIn({ status, body }: ApiAnswer, ignored?: number): string | undefined {
  if (status < 400 || status === ignored) return undefined;
  const said = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  return typeof said === "string" ? said : `The operation answered ${status}.`;
}
