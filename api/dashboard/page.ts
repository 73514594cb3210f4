import type { Caller, Scope } from "../../domain/access.ts";
import type { ApiAnswer } from "../answers.ts";
import type { BodyKind } from "../body.ts";
import type { LimitKind } from "../rate-limits.ts";
import type { ParameterSchema } from "../parameters.ts";
import type { ApiRequest, Query } from "../request.ts";
import type { Bytes } from "../route.ts";
import type { SentForm } from "./form-bodies.ts";
import type { Html } from "./html.ts";
import type { Oidc } from "./oidc.ts";
import type { Session, Sessions } from "./session.ts";
import type { SignInLink } from "./sign-in-link.ts";
import type { AssetName } from "./assets.ts";

/** The response of an operation. */
export interface Reply<T> {
  readonly status: number;
  /** The body of a success; a `status` from 400 has `failure` instead. */
  readonly body: T;
  readonly failure?: { readonly error: string; readonly message: string };
  /** Entity tag, for `ifMatch`. */
  readonly etag?: string | undefined;
}

/** A request for a page: the caller, the parameters, and the API for this caller. */
export interface Visit<Parameters = unknown> {
  readonly request: ApiRequest;
  /** The caller; `keyId` null: not signed in. */
  readonly caller: Caller;
  readonly parameters: Parameters;
  /** CSRF token of forms; "": not signed in, so there are no forms. */
  readonly formToken: string;
  /** A request of htmx for a part of a page. */
  readonly isPart: boolean;
  /**
   * Calls an operation (by its path below `/api`) with GET, as the caller. Undefined values of the query are left out.
   * @throws Refused (routes.ts) for a failure, which becomes a page with its message and status
   */
  ask<T>(path: string, query?: Query): Promise<T>;
  /** Calls any operation, and returns failures, for pages that show them together with other content. */
  call<T>(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    asked?: {
      readonly query?: Query;
      /** A JSON body. */
      readonly body?: object;
      /** A raw body, such as a form with a file. */
      readonly bytes?: Bytes;
      /** The wanted media type, by default JSON; the body of a stream is an iterable. */
      readonly accept?: string;
      /** Entity tag that the resource must have. */
      readonly ifMatch?: string | undefined;
    },
  ): Promise<Reply<T>>;
  /** Calls an operation with a stream of events. @throws Refused */
  stream(path: string, query: Query): Promise<AsyncIterable<string>>;
  /** The caller of an authorization. @throws Failure invalid_api_key, forbidden */
  identify(authorization: string): Promise<Caller>;
  readonly session: Session | undefined;
  readonly dashboard: Dashboard;
}

/** The context of all pages. */
export interface Dashboard {
  readonly sessions: Sessions;
  readonly publicUrl: string | null;
  readonly version: string;
  /** Signing in with the issuer; absent: keys only. */
  readonly oidc?: Oidc;
  /** The sign-in link of the terminal; absent: none. */
  readonly link?: SignInLink;
  readonly navigation: readonly NavigationEntry[];
}

/** An entry of the navigation, for callers with the scope. */
export interface NavigationEntry {
  readonly label: string;
  readonly path: string;
  readonly scope: Scope | "anonymous" | "open";
}

/** The result of a visit. */
export type PageResult =
  /** A whole page in the layout. */
  | {
      readonly title: string;
      readonly main: Html;
      readonly status?: number;
      /** Additional files, `.js` or `.css`. */
      readonly assets?: readonly AssetName[];
      readonly cookies?: readonly string[];
    }
  /** A part of a page, for htmx. */
  | { readonly part: Html; readonly status?: number }
  /** Server-sent events. */
  | { readonly events: AsyncIterable<string> }
  /** A redirect (303) to a page that shows the message. */
  | { readonly goTo: string; readonly flash?: string; readonly cookies?: readonly string[] }
  /** Anything else, such as a file. */
  | { readonly answer: ApiAnswer };

/** A page: `GET` of its path. */
export interface Page<Parameters = unknown> {
  /** Below `/-/`, unless it is the start page or a library's. */
  readonly path: string;
  /** Required scope; default `anonymous`: callers without a key too, where AUTH_ANONYMOUS permits. */
  readonly scope?: Scope | "anonymous" | "open";
  readonly limit?: LimitKind | null;
  readonly parameters?: ParameterSchema<Parameters>;
  readonly entry?: string;
  /** It is polled, so successful requests are logged at the level debug. */
  readonly isPolled?: true;
  show(visit: Visit<Parameters>): Promise<PageResult>;
}

/** A form: `POST` to its path, with the token of the session. */
export interface Form<Fields = unknown> {
  readonly path: string;
  /** Required scope; default `read`. Operations of the API check their own scopes. */
  readonly scope?: Scope | "open";
  readonly limit?: LimitKind | null;
  /** The body: `fieldsOf(schema)`, or `uploadOf(files, schema)` with files. */
  readonly body: BodyKind<SentForm<Fields>>;
  submit(visit: Visit, fields: Fields): Promise<PageResult>;
}

/** A page or a form. */
export type Described = ({ readonly kind: "page" } & Page) | ({ readonly kind: "form" } & Form);

/** Defines a page, with the types of its parameters for `show`. */
export function page<Parameters>(described: Page<Parameters>): Described {
  return { kind: "page", ...described } as Described;
}

/** Defines a form, with the types of its fields for `submit`. */
export function form<Fields>(described: Form<Fields>): Described {
  return { kind: "form", ...described } as Described;
}
