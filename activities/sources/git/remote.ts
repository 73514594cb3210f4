/** Where a commit is fetched from, checked and ready to connect to. */
export interface Remote {
  /** Address without a slash at its end. */
  readonly url: URL;
  readonly revision: string;
  /** Short name of the branch or tag that has the commit; null where there is none. */
  readonly ref: string | null;
  /** The addresses the host was checked to have; Git connects to no other. Empty behind a proxy. */
  readonly addresses: readonly string[];
  readonly proxy: URL | undefined;
  /** Value of the authorization header; null where there is no token. */
  readonly authorization: string | null;
  /** What must never appear in a message. */
  readonly secrets: readonly string[];
}
