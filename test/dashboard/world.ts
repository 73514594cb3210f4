import { createApp } from "../../api/app.ts";
import type { ApiAnswer } from "../../api/answers.ts";
import type { ApiOptions, ApiSettings } from "../../api/options.ts";
import { createPages } from "../../dashboard/routes.ts";
import { createSessions } from "../../dashboard/session.ts";
import type { SignInLink } from "../../dashboard/sign-in-link.ts";
import { setup } from "../api/setup.ts";

/** What a browser sends in a test. */
export interface Browsing {
  /** The key that it is signed in with. */
  readonly key?: string | null | undefined;
  /** Fields of a form; the token of its session is added. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The pages on the world of the API's tests, without a browser. */
export async function setupPages(
  settings: Partial<ApiSettings> = {},
  overrides: Partial<ApiOptions> = {},
  link?: SignInLink,
) {
  const world = await setup(settings, overrides);
  const { options, clock } = world;
  const { secrets } = options.ports;
  const publicUrl = settings.publicUrl ?? null;
  const seen = { secrets, now: () => clock.now, publicUrl, version: "1.2.3", ...(link && { link }) };
  const app = createApp(options, createPages(seen));
  const sessions = createSessions(secrets, () => clock.now, publicUrl);

  /** Asks for a page, or sends a form, as a browser does. */
  async function browse(
    method: "GET" | "POST",
    target: string,
    { key, fields = {}, headers = {} }: Browsing = {},
  ): Promise<ApiAnswer & { readonly text: string }> {
    const [path = "", query = ""] = target.split("?");
    const host = publicUrl === null ? "docs.example.com" : new URL(publicUrl).host;
    const own = { host, accept: "text/html", "sec-fetch-site": "same-origin" };
    const who = key === undefined || key === null ? {} : { authorization: `Bearer ${key}` };
    const { session, cookie } = sessions.begin({ headers: own }, who);
    const form = Buffer.from(new URLSearchParams({ formToken: session.formToken, ...fields }).toString());
    const sent = method === "POST" && {
      origin: publicUrl === null ? `http://${host}` : new URL(publicUrl).origin,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(form.length),
    };
    const answer = await app({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { ...own, cookie: cookie.split(";")[0], ...sent, ...headers },
      remoteAddress: "192.0.2.1",
      readBody: async () => form,
      signal: new AbortController().signal,
    });
    return { ...answer, text: typeof answer.body === "string" ? answer.body : "" };
  }
  return { ...world, browse, sessions };
}
