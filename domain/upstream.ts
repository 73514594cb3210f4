import type { ContentKind } from "./passage.ts";

/** A library of the upstream, as its search tells of it. What is told is the upstream's, screened and cut to what is shown. */
export interface UpstreamLibrary {
  /** Without a version. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly branch: string;
  /** ISO 8601; absent: not told. */
  readonly lastUpdateDate?: string;
  /** -1: not told. */
  readonly totalTokens: number;
  /** -1: not told. */
  readonly totalSnippets: number;
  readonly stars?: number;
  /** 0 to 10. */
  readonly trustScore?: number;
  readonly versions: readonly string[];
}

/** What the upstream finds for a name. */
export interface UpstreamFound {
  /** The upstream's best first. */
  readonly libraries: readonly UpstreamLibrary[];
  /** Some may be missing because of what the upstream allows. */
  readonly filtered: boolean;
}

/** Budget and number of passages that a question has by default, here and there. */
export const defaultTokens = 5000;
export const defaultLimit = 50;

/** A question to a library of the upstream. */
export interface UpstreamQuestion {
  /** With its version, if one is asked for. */
  readonly libraryId: string;
  readonly query: string;
  readonly type: "txt" | "json";
  /** Budget for the whole answer. */
  readonly tokens: number;
  /** Items at most. */
  readonly limit: number;
  readonly kind?: ContentKind;
  readonly language?: string;
}

/** The JSON form of an answer, as far as it is passed on. */
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

/** What the upstream answers, without what is withheld. */
export interface UpstreamAnswer {
  /** Items of the text form, or the JSON form, as it was asked for. */
  readonly body: readonly string[] | UpstreamContext;
  /** How many items are withheld, as they read like orders to agents. */
  readonly withheld: number;
}

/**
 * Another server of the same API, whose public libraries there are besides the local ones. It is asked with the key of this server
 * and nothing of the caller; it may be away, slow, or hostile.
 */
export interface Upstream {
  /** Its host, as people know it. */
  readonly host: string;
  /** True while it is not asked, as it failed too often. */
  isDown(): boolean;
  /**
   * Finds libraries by name. `known`: local libraries answer to the name, so that nobody waits for long.
   * Undefined where it does not answer, or not in time.
   */
  search(sought: { readonly name: string; readonly query: string }, known: boolean): Promise<UpstreamFound | undefined>;
  /**
   * Answers a question from one library.
   * @throws Failure library_not_found and what else the upstream says of the library; library_redirected with an ID;
   * service_unavailable for all that is not about the library
   */
  ask(question: UpstreamQuestion): Promise<UpstreamAnswer>;
}
