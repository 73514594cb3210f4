import type { Summary } from "../../answer-types.ts";

/** A question that a library of this server answers. */
export interface ExampleQuestion {
  readonly library: string;
  readonly question: string;
}

/** The documentation of this program, which a new server has. */
export const ownDocs = "/docs/lectern";

/** A question about the first library that is ready, this program's own last; undefined: none is ready. */
export function exampleQuestion(libraries: readonly Summary[]): ExampleQuestion | undefined {
  const ready = libraries.filter(({ state, private: isPrivate }) => state === "finalized" && !isPrivate);
  const other = ready.find(({ libraryId }) => libraryId !== ownDocs);
  if (other) return { library: other.libraryId, question: `How do I get started with ${other.title}?` };
  return ready.length === 0 ? undefined : { library: ownDocs, question: "How do I add a repository?" };
}
