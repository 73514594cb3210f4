import { createApp } from "../../api/app.ts";
import type { ApiAnswer } from "../../api/answers.ts";
import type { ApiRequest } from "../../api/request.ts";
import type { ApiOptions, ApiSettings } from "../../api/options.ts";
import type { Oidc } from "../../api/dashboard/oidc.ts";
import { createPages } from "../../api/dashboard/routes.ts";
import { createSessions } from "../../api/dashboard/session.ts";
import type { SignInLink } from "../../api/dashboard/sign-in-link.ts";
import { setup } from "../api/setup.ts";

/** What a browser sends in a test. */
export interface Browsing {
  /** The key of its session. */
  readonly key?: string | null | undefined;
  /** Fields of a form; the session's form token is added. */
  readonly fields?: Readonly<Record<string, string>>;
  /** A file of the form. */
  readonly file?: { readonly field: string; readonly name: string; readonly text: string } | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The pages of the dashboard over `setup`, without a browser. */
export async function setupPages(
  settings: Partial<ApiSettings> = {},
  overrides: Partial<ApiOptions> = {},
  link?: SignInLink,
  oidc?: Oidc,
) {
  const world = await setup(settings, overrides);
  const { options, clock } = world;
  const { secrets } = options.ports;
  const publicUrl = settings.publicUrl ?? null;
  const pageOptions = {
    secrets,
    ended: world.catalog.sessions,
    now: () => clock.now,
    publicUrl,
    version: "1.2.3",
    ...(link && { link }),
    ...(oidc && { oidc }),
  };
  const app = createApp(options, createPages(pageOptions));
  const sessions = createSessions(secrets, world.catalog.sessions, () => clock.now, publicUrl);

  /** A browser's request of a page, or with a form. */
  async function requestOf(
    method: "GET" | "POST",
    target: string,
    { key, fields = {}, file, headers = {} }: Browsing = {},
  ): Promise<ApiRequest> {
    const [path = "", query = ""] = target.split("?");
    const host = publicUrl === null ? "docs.example.com" : new URL(publicUrl).host;
    const baseHeaders = { host, accept: "text/html", "sec-fetch-site": "same-origin" };
    const authorization = key === undefined || key === null ? {} : { authorization: `Bearer ${key}` };
    const {
      session,
      cookies: [cookie = ""],
    } = sessions.begin({ headers: baseHeaders }, authorization);
    const { type, form } = await encode({ formToken: session.formToken, ...fields }, file);
    const formHeaders = method === "POST" && {
      origin: publicUrl === null ? `http://${host}` : new URL(publicUrl).origin,
      "content-type": type,
      "content-length": String(form.length),
    };
    return {
      method,
      path,
      query: new URLSearchParams(query),
      headers: { ...baseHeaders, cookie: cookie.split(";")[0], ...formHeaders, ...headers },
      remoteAddress: "192.0.2.1",
      readBody: async () => form,
      signal: new AbortController().signal,
    };
  }

  /** Requests a page or sends a form, like a browser. */
  async function browse(...args: Parameters<typeof requestOf>): Promise<ApiAnswer & { readonly text: string }> {
    const answer = await app(await requestOf(...args));
    return { ...answer, text: typeof answer.body === "string" ? answer.body : "" };
  }
  return { ...world, pageOptions, requestOf, browse, sessions };
}

/** Encodes a form like a browser. */
async function encode(fields: Readonly<Record<string, string>>, file: Browsing["file"]) {
  if (file === undefined) {
    const form = Buffer.from(new URLSearchParams(fields).toString());
    return { type: "application/x-www-form-urlencoded", form };
  }
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  data.set(file.field, new Blob([file.text]), file.name);
  const encoded = new Response(data);
  return { type: encoded.headers.get("content-type") ?? "", form: Buffer.from(await encoded.bytes()) };
}
