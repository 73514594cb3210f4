import type { Field } from "./fields.ts";
import type { SampleSchema } from "./sample-schema.ts";
import type { Scheme, SecurityChoice } from "./security.ts";

/**
 * A part of a description with everything that its page needs, including what other parts and files contribute. Each part is a page:
 * JSON of the media type `openApiPartType`, with texts as the description has them.
 */
export type Part = OverviewPart | ServersPart | AuthenticationPart | TagPart | OperationPart | SchemaPart;

interface AnyPart {
  /** Title of the API. */
  readonly api: string;
  /** Its address: that of the file, `#`, and the JSON pointer as a fragment. */
  readonly from: string;
}

/** What the API is. */
export interface OverviewPart extends AnyPart {
  readonly type: "overview";
  readonly version: string;
  readonly summary: string;
  readonly description: string;
  /** Lines about contact, licence, terms and further documentation. */
  readonly facts: readonly string[];
  /** What is wrong with the description, in sentences. */
  readonly warnings: readonly string[];
}

/** A server, with its variables filled in. */
export interface Server {
  /** A path, or "" for the root, where it is relative to an unknown one. */
  readonly url: string;
  readonly description: string;
  readonly variables: readonly Field[];
}

export interface ServersPart extends AnyPart {
  readonly type: "servers";
  readonly servers: readonly Server[];
}

export interface AuthenticationPart extends AnyPart {
  readonly type: "authentication";
  readonly schemes: readonly Scheme[];
  /** What operations need that name nothing themselves. */
  readonly required: readonly SecurityChoice[];
}

/** A group of operations. */
export interface TagPart extends AnyPart {
  readonly type: "tag";
  readonly name: string;
  readonly description: string;
  /** Name of its parent tag; "" without. */
  readonly parent: string;
  readonly documentation: string;
  /** What each of its operations does, without their paths: these would make the operations' own pages harder to find. */
  readonly operations: readonly string[];
}

/** An example as the description has it. */
export interface Example {
  readonly name: string;
  readonly summary: string;
  /** Text as the file has it, verbatim; absent where only the value is known. */
  readonly text?: string;
  readonly value?: unknown;
  readonly from: string;
}

/** What is sent or received in one media type. */
export interface Content {
  readonly mediaType: string;
  /** Other media types that it is available in. */
  readonly others: readonly string[];
  /** Its type in words, such as `array of Order`; "" where it is not known. */
  readonly type: string;
  readonly fields: readonly Field[];
  /** Absent where there is no schema. */
  readonly schema?: SampleSchema;
  readonly examples: readonly Example[];
  readonly from: string;
}

export interface Body {
  readonly required: boolean;
  readonly description: string;
  readonly content: Content;
}

export interface Response {
  /** Status code, a range such as `4XX`, or `default`. */
  readonly status: string;
  readonly description: string;
  /** Names of the headers that it has. */
  readonly headers: readonly string[];
  /** Absent where nothing is sent. */
  readonly content?: Content;
}

export interface Parameter extends Field {
  readonly in: "path" | "query" | "header" | "cookie" | "querystring";
  /** Value to show; absent where the description has none. */
  readonly example?: unknown;
  /** How arrays and objects are written in an address. */
  readonly style: string;
  readonly explode: boolean;
}

/** Code that the description has, verbatim. */
export interface CodeSample {
  readonly language: string;
  readonly label: string;
  readonly source: string;
}

/** An operation of the API; `kind` distinguishes those that the API itself calls: webhooks and callbacks. */
export interface OperationPart extends AnyPart {
  readonly type: "operation";
  readonly kind: "path" | "webhook" | "callback";
  /** In capitals. */
  readonly method: string;
  /** Path template, name of the webhook, or expression of the callback. */
  readonly path: string;
  /** Of a callback: its name, and the operation that it belongs to. */
  readonly callback?: { readonly name: string; readonly of: string };
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly tags: readonly string[];
  readonly documentation: string;
  /** Address that the path is appended to; a path, or "", where the description names no host. */
  readonly server: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly responses: readonly Response[];
  /** Alternative ways to authenticate; empty where none is needed. */
  readonly security: readonly SecurityChoice[];
  readonly samples: readonly CodeSample[];
}

/** A schema that is too large for the pages of the operations that use it. */
export interface SchemaPart extends AnyPart {
  readonly type: "schema";
  readonly name: string;
  readonly description: string;
  readonly schemaType: string;
  readonly fields: readonly Field[];
  readonly schema?: SampleSchema;
  readonly examples: readonly Example[];
}
