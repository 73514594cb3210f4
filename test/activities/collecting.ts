import { collect, type CollectContext, type CollectInput, type CollectPorts } from "../../activities/collect.ts";
import { parsePage } from "../../activities/parse-page.ts";
import { gitSpec } from "../support/git-spec.ts";

/** Settings of a run; what is left out is that of a small public repository. */
interface CollectSettings
  extends Pick<CollectPorts, "blobs" | "source">, Partial<Pick<CollectPorts, "parse" | "screen">> {
  readonly input: Partial<CollectInput> & Pick<CollectInput, "generation">;
  readonly context: Partial<CollectContext> & Pick<CollectContext, "scratch">;
}

/** The `resolve` of a source that is only read. */
export const neverResolved: CollectPorts["source"]["resolve"] = () =>
  Promise.reject(new Error("It is not resolved here."));

/** Collects a generation in this thread. */
export function collectHere({ blobs, source, parse = parsePage, screen, input, context }: CollectSettings) {
  return collect(
    { blobs, source, parse, screen },
    {
      library: { teamspace: "", id: "/acme/widgets" },
      version: "",
      optionsHash: "",
      spec: gitSpec("https://example.com/acme/widgets"),
      state: { revision: "r", ref: null, location: "" },
      title: "",
      description: "",
      upload: null,
      live: undefined,
      ...input,
    },
    {
      signal: new AbortController().signal,
      credential: null,
      keepFailed: 5,
      limits: { pages: 100, bytes: 1e8, pageBytes: 1e8 },
      report: () => undefined,
      ...context,
    },
  );
}
