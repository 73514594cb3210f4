/** Where a commit is fetched from. */
export interface Remote {
  /** Address without a slash at its end. */
  readonly url: URL;
  readonly revision: string;
  /** Short name of the branch or tag that has the commit; null where there is none. */
  readonly ref: string | null;
  /** Value of the authorization header; null where there is no token. */
  readonly authorization: string | null;
  /** What must never appear in a message. */
  readonly secrets: readonly string[];
}
