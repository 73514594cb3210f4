import type { Caller, Scope } from "../domain/access.ts";
import type { ApiAnswer } from "../api/answers.ts";
import type { BodyKind } from "../api/body.ts";
import type { LimitKind } from "../api/limits.ts";
import type { ParameterSchema } from "../api/parameters.ts";
import type { ApiRequest } from "../api/request.ts";
import type { Bytes } from "../api/route.ts";
import type { SentForm } from "./fields.ts";
import type { Html } from "./html.ts";
import type { Oidc } from "./oidc.ts";
import type { Session, Sessions } from "./session.ts";
import type { SignInLink } from "./sign-in-link.ts";
import type { AssetName } from "./assets.ts";

/** What an operation answered. */
export interface Asked<T> {
  readonly status: number;
  /** What the operation answers with success; where `status` is 400 or more, `failure` is there instead. */
  readonly body: T;
  readonly failure?: { readonly error: string; readonly message: string };
  /** Tag of what was answered, for `ifMatch`. */
  readonly etag?: string | undefined;
}

/** One request for a page: who asks, what for, and the API as this caller has it. */
export interface Visit<Parameters = unknown> {
  readonly request: ApiRequest;
  /** Who asks; `keyId` null: nobody who signed in. */
  readonly caller: Caller;
  /** What path and query say. */
  readonly parameters: Parameters;
  /** What forms of this visitor have to send; "" where nobody is signed in, who has no forms. */
  readonly formToken: string;
  /** htmx asks for a part of a page. */
  readonly isPart: boolean;
  /**
   * Asks an operation (its path behind `/api`) with GET, as the caller. A query's undefined values are left out.
   * @throws Refused (visit.ts) what it answers otherwise, which is shown as a page with its sentence and status
   */
  ask<T>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<T>;
  /** Asks any operation, and answers failures too, for pages that show them beside something else. */
  tell<T>(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    asked?: {
      readonly query?: Readonly<Record<string, string | undefined>>;
      /** Sent as JSON. */
      readonly body?: object;
      /** Sent as they are, such as a form with a file. */
      readonly bytes?: Bytes;
      /** Only what still has this tag is changed. */
      readonly ifMatch?: string | undefined;
    },
  ): Promise<Asked<T>>;
  /** Asks an operation that answers with events; its answer as it is. @throws Refused */
  stream(path: string, query: Readonly<Record<string, string | undefined>>): Promise<AsyncIterable<string>>;
  /** Who the holder of a key would be. @throws Failure invalid_api_key, forbidden */
  identify(authorization: string): Promise<Caller>;
  readonly session: Session | undefined;
  readonly dashboard: Dashboard;
}

/** What pages share. */
export interface Dashboard {
  readonly sessions: Sessions;
  readonly publicUrl: string | null;
  /** Version of the program. */
  readonly version: string;
  /** How people sign in with the issuer; absent: with keys only. */
  readonly oidc?: Oidc;
  /** The link of the terminal; absent where there is none. */
  readonly link?: SignInLink;
  /** Entries of the navigation: those of pages that name one. */
  readonly navigation: readonly NavigationEntry[];
}

/** An entry of the navigation, shown to callers who have the scope. */
export interface NavigationEntry {
  readonly label: string;
  readonly path: string;
  readonly scope: Scope | "anonymous" | "open";
}

/** What a visit is answered with. */
export type Shown =
  /** A whole page in the layout. */
  | {
      readonly title: string;
      readonly main: Html;
      readonly status?: number;
      /** Files beyond those of every page, `.js` or `.css`. */
      readonly assets?: readonly AssetName[];
      readonly cookies?: readonly string[];
    }
  /** A part of a page, for htmx. */
  | { readonly part: Html; readonly status?: number }
  /** Events. Each is written as server-sent events are. */
  | { readonly events: AsyncIterable<string> }
  /** Another page (303), which says what was done. */
  | { readonly goTo: string; readonly said?: string; readonly cookies?: readonly string[] }
  /** Anything else, such as a file. */
  | { readonly answer: ApiAnswer };

/** A page: `GET` of its path. */
export interface Page<Parameters = unknown> {
  /** Below `/-/`, unless it is the start page or a library's. */
  readonly path: string;
  /** Who may open it; `anonymous` unless told: callers without a key where AUTH_ANONYMOUS lets them read. */
  readonly scope?: Scope | "anonymous" | "open";
  /** The rate limit that it counts for; `read` unless told. */
  readonly limit?: LimitKind | null;
  readonly parameters?: ParameterSchema<Parameters>;
  /** Entry of the navigation. */
  readonly entry?: string;
  /** Asked again and again: told at the level debug only. */
  readonly isPolled?: true;
  show(visit: Visit<Parameters>): Promise<Shown>;
}

/** A form: `POST` to its path, with the token of the session. */
export interface Form<Parameters = unknown, Fields = unknown> {
  readonly path: string;
  /** Who may send it; `read` unless told. What it asks of the API has scopes of its own. */
  readonly scope?: Scope | "open";
  readonly limit?: LimitKind | null;
  readonly parameters?: ParameterSchema<Parameters>;
  /** What it sends: `fieldsOf(schema)`, or `uploadOf(files, schema)` where it has files. */
  readonly body: BodyKind<SentForm<Fields>>;
  submit(visit: Visit<Parameters>, fields: Fields): Promise<Shown>;
}

/** A page or a form, as the table has them. */
export type Described = ({ readonly kind: "page" } & Page) | ({ readonly kind: "form" } & Form);

/** A page whose `show` is held to the types of its parameters. */
export function page<Parameters>(described: Page<Parameters>): Described {
  return { kind: "page", ...described } as Described;
}

/** A form whose `submit` is held to the types of its fields. */
export function form<Parameters, Fields>(described: Form<Parameters, Fields>): Described {
  return { kind: "form", ...described } as Described;
}
