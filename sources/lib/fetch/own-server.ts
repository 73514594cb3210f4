import { z } from "zod";

/** A request to a server of the operator's own, at an address that may be in any network. */
export interface OwnRequest {
  readonly url: URL;
  /** Sent as a bearer token; null without one. */
  readonly token: string | null;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Cap on the answer, in bytes. */
  readonly maxAnswer: number;
}

/** An answer with another status than 2xx. */
export class StatusError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`it answers ${status}`);
    this.status = status;
  }
}

/** Posts JSON, and returns the parsed answer. Redirects are errors. @throws StatusError, SyntaxError, an error of fetch */
export async function postJson({ url, token, body, signal, maxAnswer }: OwnRequest): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new StatusError(response.status);
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > maxAnswer) throw new Error(`it answers more than ${maxAnswer} bytes`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

/** Why a request failed, as the end of a sentence; `form` is where the form of the answer is described. */
export function reasonOf(error: unknown, form: string): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return `its answer is not in the form of ${form}`;
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it does not answer in time";
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
