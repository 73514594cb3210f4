/** The answer of an operation of the API. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, where it is JSON. */
  readonly body: unknown;
}

/** The input of an operation: its query, or its JSON body. */
export interface Asked {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** Calls an API operation, by its path below `/api`, with the identity of the tool's caller. */
export type Ask = (method: "GET" | "POST", path: string, asked: Asked) => Promise<Told>;

/** The query string; undefined parameters are left out. */
export function queryOf({ query = {} }: Asked): URLSearchParams {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return new URLSearchParams(Object.fromEntries(given) as Record<string, string>);
}

/** The sentence of an unsuccessful answer: the failure's message, or the text of a 202. */
export function sentenceOf({ status, body }: Told): string {
  if (typeof body === "string" && body !== "") return body;
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  return typeof message === "string" ? message : `The server answered ${status}.`;
}

/** The new library ID in a redirect. */
export function movedTo({ status, headers, body }: Told): string | undefined {
  if (status !== 301 || !headers.has("location")) return undefined;
  const to = typeof body === "object" && body !== null && "redirectUrl" in body ? body.redirectUrl : undefined;
  return typeof to === "string" ? to : undefined;
}
