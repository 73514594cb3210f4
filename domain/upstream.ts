import type { ContentKind } from "./passage.ts";

/** A library in a search result of the upstream, screened and cut. */
export interface UpstreamLibrary {
  /** Without a version. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly branch: string;
  /** ISO 8601; absent: unknown. */
  readonly lastUpdateDate?: string;
  /** -1: unknown. */
  readonly totalTokens: number;
  /** -1: unknown. */
  readonly totalSnippets: number;
  readonly stars?: number;
  /** 0 to 10. */
  readonly trustScore?: number;
  readonly versions: readonly string[];
}

/** A search result of the upstream. */
export interface UpstreamFound {
  /** In the order of the upstream. */
  readonly libraries: readonly UpstreamLibrary[];
  /** Some may be missing because of a policy of the upstream. */
  readonly filtered: boolean;
}

/** Default budget in tokens, and default number of passages, here and at the upstream. */
export const defaultTokens = 5000;
export const defaultLimit = 50;

/** A question to a library of the upstream. */
export interface UpstreamQuestion {
  /** With its version, if one is requested. */
  readonly libraryId: string;
  readonly query: string;
  readonly type: "txt" | "json";
  /** Budget for the whole answer. */
  readonly tokens: number;
  /** Maximum number of items. */
  readonly limit: number;
  readonly kind?: ContentKind;
  readonly language?: string;
}

/** A page of a library of the upstream to read, in text form. */
export interface UpstreamPage extends Pick<UpstreamQuestion, "libraryId" | "tokens"> {
  readonly page: string;
  readonly section?: string | undefined;
  readonly from?: number | undefined;
}

/** The members of the JSON form that are passed on. */
export interface UpstreamContext {
  readonly codeSnippets: readonly {
    readonly codeTitle: string;
    readonly codeDescription: string;
    readonly codeLanguage: string;
    readonly codeTokens: number;
    readonly codeId: string;
    readonly pageTitle: string;
    readonly codeList: readonly { readonly language: string; readonly code: string }[];
  }[];
  readonly infoSnippets: readonly {
    readonly pageId: string;
    readonly breadcrumb: string;
    readonly content: string;
    readonly contentTokens: number;
  }[];
  readonly notes: readonly string[];
}

/** An answer of the upstream, without withheld items. */
export interface UpstreamAnswer {
  /** Items of the text form, or the JSON form, as requested. */
  readonly body: readonly string[] | UpstreamContext;
  /** Number of items that were withheld because of findings of the screen. */
  readonly withheld: number;
}

/**
 * Another server of the same API, whose public libraries complement the local ones. Requests have the key of this server, and
 * nothing of the caller. It may be unavailable, slow or hostile.
 */
export interface Upstream {
  /** Its host, for people. */
  readonly host: string;
  /** True while the circuit breaker is open. */
  isDown(): boolean;
  /** Finds libraries by name. `known`: local libraries match, so the timeout is shorter. Undefined: no answer in time. */
  search(sought: { readonly name: string; readonly query: string }, known: boolean): Promise<UpstreamFound | undefined>;
  /**
   * Answers a question from a library.
   * @throws Failure library_not_found and other failures of the upstream about the library; library_redirected with an ID;
   * service_unavailable for all others
   */
  ask(question: UpstreamQuestion): Promise<UpstreamAnswer>;
  /** Reads a page of a library. @throws Failure as `ask`, and page_not_found, also if the upstream has no pages to read */
  readPage(asked: UpstreamPage): Promise<UpstreamAnswer>;
}
