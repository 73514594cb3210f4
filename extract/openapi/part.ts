import type { Field, Shape } from "./fields.ts";
import type { SampleSchema } from "./sample-schema.ts";
import type { Scheme, SecurityChoice } from "./security.ts";
import type { Json } from "../json.ts";

/**
 * A part of a description with everything that its page needs from other parts and files. Each part is a page: JSON of the media
 * type `openApiPartType`, with verbatim texts of the description.
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
  /** Names of groups of tags, each with its tags. */
  readonly groups: readonly (readonly [name: string, tags: readonly string[]])[];
  /** Sentences about problems of the description. */
  readonly warnings: readonly string[];
}

/** A server, with its variables filled in. */
export interface Server {
  /** Address; a path, or "" for the root, if the host is unknown. */
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
  /** Default for operations without `security`. */
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
  /** Names of its operations, without paths, which would make the operations' own pages harder to find. */
  readonly operations: readonly string[];
}

/** An example from the description. */
export interface Example {
  readonly name: string;
  /** Its summary and description. */
  readonly summary: string;
  /** Verbatim text from the file; absent if only the value is known. */
  readonly text?: string;
  readonly value?: unknown;
  readonly from: string;
}

/** A body in one media type. */
export interface Content extends Shape {
  readonly mediaType: string;
  /** Other media types with the same schema. */
  readonly others: readonly string[];
  /** Absent if no sample is shown. */
  readonly schema?: SampleSchema;
  /** How the fields of a form are written: the Encoding Object of each. */
  readonly encoding?: Json;
  readonly examples: readonly Example[];
  /** Index of the first example that fits the schema; absent if none does. */
  readonly fitting?: number;
  /** Sentences about the encoding of the fields of a form. */
  readonly notes: readonly string[];
  /** The body in media types with other schemas. */
  readonly variants: readonly Content[];
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
  readonly headers: readonly Field[];
  /** Operations that take values of the response, in Markdown. */
  readonly links: readonly string[];
  /** Absent without a body. */
  readonly content?: Content;
}

export interface Parameter extends Field {
  readonly in: "path" | "query" | "header" | "cookie" | "querystring";
  /** Value to show. */
  readonly example?: unknown;
  /** Value to send where there is no value to show: an array or object that is required, or a property of one. */
  readonly sample?: unknown;
  /** How arrays and objects are written in an address. */
  readonly style: string;
  readonly explode: boolean;
  /** The fields in its value. */
  readonly inside?: readonly Field[];
  /** Of the first of an object's properties, which are parameters: the object. */
  readonly above?: Parameter;
  readonly allowReserved?: true;
}

/** Verbatim code from the description. */
export interface CodeSample {
  readonly language: string;
  readonly label: string;
  readonly source: string;
}

/** An operation of the API, or a request that the API itself sends: a webhook or callback. */
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
  /** Address that the path is appended to; a path, or "", if the description names no host. */
  readonly server: string;
  /** Those of the operation or its path, if they have their own. */
  readonly servers: readonly Server[];
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly responses: readonly Response[];
  /** Alternative ways to authenticate; empty if none is needed. */
  readonly security: readonly SecurityChoice[];
  readonly samples: readonly CodeSample[];
  /** Requests that the API sends because of it, which have pages of their own. */
  readonly callbacks: readonly string[];
  /** Sentences that count what is left out. */
  readonly leftOut: readonly string[];
}

/** A named schema that is too large for the pages that use it. */
export interface SchemaPart extends AnyPart, Pick<Content, "about" | "fields" | "schema" | "examples"> {
  readonly type: "schema";
  readonly name: string;
}
