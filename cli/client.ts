import { loadClientConfig, type ClientConfig } from "./config/client.ts";
import { isWebUrl } from "./config/reading.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, failures, isFailure, isFailureCode, type FailureCode } from "../domain/failures.ts";
import { withQuery, type Query } from "../api/request.ts";
import { programName } from "./program-name.ts";

/** Calls a running server as its operator. */
export interface ServerClient {
  /** Address of the API, with `/api`. @throws ConfigError */
  base(): Promise<string>;
  /** Sends a request below /api, the body as JSON or as a form. @throws Failure with the server's code and message */
  json(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The same for a text response; `status` distinguishes 200 from 202. */
  text(path: string): Promise<{ status: number; text: string }>;
}

/** The server is unreachable or unavailable, so that a retry may help. */
export class Unavailable extends Failure {}

/** Sends a request, and again as often as a rate limit refuses it; `waiting` is called with the seconds until then. */
export async function patiently<T>(send: () => Promise<T>, waiting: (seconds: number) => void = () => {}): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isFailure(error, "rate_limit_exceeded")) throw error;
      const seconds = Math.max(1, error.details.retryAfter ?? 2);
      waiting(seconds);
      await sleep(seconds * 1000);
    }
  }
}

/** Advice that the command line adds to messages of the server. */
const hints: Partial<Record<FailureCode, string>> = {
  invalid_api_key: " The key is taken from LECTERN_ADMIN_KEY.",
  forbidden: " The key is taken from LECTERN_ADMIN_KEY.",
};

/** The pages of a list, which is the member `name` of each response. */
export async function* pagesOf<Item>(
  client: ServerClient,
  path: string,
  name: string,
  query: Query,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const answer = await client.json("GET", withQuery(path, { ...query, cursor }));
    yield answer[name] as readonly Item[];
    cursor = (answer["next"] as string | null) ?? undefined;
  } while (cursor !== undefined);
}

/** A client of the server at PUBLIC_URL, or HOST and PORT, with the key of LECTERN_ADMIN_KEY. Its calls throw ConfigError. */
export function createServerClient(config?: ClientConfig): ServerClient {
  const open = async () => {
    const { adminKey, ...addressed } = config ?? (await loadClientConfig(process.env));
    return { base: `${ownAddress(addressed)}/api`, key: adminKey };
  };

  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const { base, key } = await open();
    const headers: Record<string, string> = {};
    if (key !== null) headers["Authorization"] = `Bearer ${key}`;
    if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
    try {
      return await fetch(`${base}${path}`, {
        method,
        headers,
        redirect: "manual",
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
    } catch (cause) {
      const message = `Connection to ${base} failed. Start the server with ${programName()} serve, or set HOST and PORT, or PUBLIC_URL.`;
      throw new Unavailable("service_unavailable", message, { cause });
    }
  };
  const read = async (response: Response): Promise<Record<string, unknown>> => {
    try {
      return (await response.json()) as Record<string, unknown>;
    } catch (cause) {
      const { base } = await open();
      const message = `The server at ${base} is not Lectern. Set HOST and PORT, or PUBLIC_URL, to its address.`;
      throw new Unavailable("service_unavailable", message, { cause });
    }
  };
  const refuse = async (response: Response): Promise<never> => {
    const answer: { error?: string; message?: string } = await read(response);
    const code = answer.error !== undefined && isFailureCode(answer.error) ? answer.error : "internal_error";
    const advice = `${answer.message ?? `The server answered ${response.status}.`}${hints[code] ?? ""}`;
    const isPassing = failures[code].status === 503 || code === "rate_limit_exceeded";
    const retryAfter = Number(response.headers.get("retry-after") ?? 2);
    throw new (isPassing ? Unavailable : Failure)(code, advice, { retryAfter });
  };

  return {
    base: async () => (await open()).base,
    async json(method, path, body) {
      const response = await call(method, path, body);
      return response.ok ? read(response) : refuse(response);
    },
    async text(path) {
      const response = await call("GET", path);
      return response.ok ? { status: response.status, text: await response.text() } : refuse(response);
    },
  };
}

type Addressed = Pick<ClientConfig, "publicUrl" | "host" | "port">;

/** Address of the server by the settings: PUBLIC_URL, or HOST and PORT. */
function ownAddress({ publicUrl, host, port }: Addressed): string {
  return publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Address of the server without `/api`: the given one, or that of the settings. @throws Failure validation_error */
export function serverAddress(config: Addressed, given?: string): string {
  if (given !== undefined && !isWebUrl(given))
    throw new Failure(
      "validation_error",
      "--url must be an absolute http(s) address without credentials, query and fragment.",
    );
  const address = given ?? ownAddress(config);
  // Users also paste the address of the API or of MCP.
  return address.replace(/(?<!\/)\/+$/, "").replace(/(?:\/api)?(?:\/mcp)?$/, "");
}
