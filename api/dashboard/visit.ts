import type { ApiAnswer } from "../answers.ts";
import type { Call } from "../route.ts";
import type { Asked, Dashboard, Visit } from "./page.ts";

/** The failure of an operation. */
export class Refused extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(`The API answered ${answer.status}.`);
    this.answer = answer;
  }
}

/** A request for a page, with the API for its caller as the only access to the program. */
export function toVisit(call: Call, dashboard: Dashboard): Visit {
  const { request, caller, parameters, again, identify } = call;
  const session = dashboard.sessions.of(request);
  const isSignedIn = session?.authorization !== undefined;
  const send = (method: Parameters<Visit["tell"]>[0], path: string, asked: Parameters<Visit["tell"]>[2] = {}) =>
    again(method, path, {
      query: toQuery(asked.query ?? {}),
      body: asked.body,
      bytes: asked.bytes,
      // Headers of the browser are about the page, not about operations that the page calls.
      headers: { accept: "application/json", "if-none-match": undefined, "if-match": asked.ifMatch },
    });
  const succeed = async (path: string, query: Readonly<Record<string, string | undefined>> | undefined) => {
    const answer = await send("GET", path, query && { query });
    if (answer.status < 300) return answer;
    throw new Refused(answer);
  };
  return {
    request,
    caller,
    parameters,
    formToken: isSignedIn ? session.formToken : "",
    isPart: request.headers["hx-request"] === "true",
    session,
    dashboard,
    identify,
    // Tests check that answers of operations match their schemas.
    ask: async <T>(path: string, query?: Readonly<Record<string, string | undefined>>) =>
      (await succeed(path, query)).body as T,
    async tell<T>(...asked: Parameters<typeof send>): Promise<Asked<T>> {
      const { status, body, headers } = await send(...asked);
      if (status < 300) return { status, body: body as T, etag: headers["ETag"] };
      return { status, body: body as T, failure: body as NonNullable<Asked<T>["failure"]> };
    },
    stream: async (path, query) => (await succeed(path, query)).body as AsyncIterable<string>,
  };
}

function toQuery(fields: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given);
}
