import { Failure, isFailureCode } from "../domain/failures.ts";
import type { FailureCode } from "../domain/failures.ts";

/** Calls a running server as its operator. */
export interface ServerClient {
  /** The answer to a request below /api; the body is sent as JSON, or as a form. @throws Failure with the server's code and sentence */
  json(method: "GET" | "POST", path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The same for a text answer; `status` tells 200 from 202. */
  text(path: string): Promise<{ status: number; text: string }>;
}

const naming = " On the command line that is --name.";

/** What the server's sentences leave out for who types a command. */
const hints: Partial<Record<FailureCode, string>> = {
  invalid_api_key: " The key is taken from LECTERN_ADMIN_KEY.",
  duplicate_repo: naming,
  duplicate_library: naming,
};

/** The address comes from PUBLIC_URL or HOST and PORT, the key from LECTERN_ADMIN_KEY, as the server's own do. */
export function createServerClient(
  address: { readonly publicUrl: string | null; readonly host: string; readonly port: number },
  key: string | null,
): ServerClient {
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const base = `${(address.publicUrl ?? `http://${host}:${address.port}`).replace(/(?<!\/)\/+$/, "")}/api`;

  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
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
      const message = `Connection to ${base} failed. Start it with npm start, or set HOST and PORT.`;
      throw new Failure("service_unavailable", message, { cause });
    }
  };
  const read = async (response: Response): Promise<Record<string, unknown>> => {
    try {
      return (await response.json()) as Record<string, unknown>;
    } catch (cause) {
      const message = `The server at ${base} is not Lectern. Set HOST and PORT, or PUBLIC_URL, to the server's.`;
      throw new Failure("service_unavailable", message, { cause });
    }
  };
  const refuse = async (response: Response): Promise<never> => {
    const answer: { error?: string; message?: string } = await read(response);
    const code = answer.error !== undefined && isFailureCode(answer.error) ? answer.error : "internal_error";
    throw new Failure(code, `${answer.message ?? `The server answered ${response.status}.`}${hints[code] ?? ""}`);
  };

  return {
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
