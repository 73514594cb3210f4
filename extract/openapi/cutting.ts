import { below, rootOf, textsOf, type Description, type Located } from "./located.ts";
import type { Example, Server } from "./part.ts";
import { schemesOf, toChoices, type Scheme, type SecurityChoice } from "./security.ts";
import { serversOf } from "./servers.ts";
import { toText } from "./values.ts";

/** A description while it is cut, with the data that all parts share. */
export interface Cutting {
  readonly description: Description;
  readonly root: Located;
  readonly api: string;
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly security: readonly SecurityChoice[];
  readonly servers: readonly Server[];
  /** Examples with their places. Their texts in the files are looked up once all are known. */
  readonly examples: { readonly at: Located; readonly example: { -readonly [K in keyof Example]: Example[K] } }[];
  /** Default media types of bodies in Swagger 2.0. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Number of paths that are too long to be read. */
  readonly leftOut: { paths: number };
}

/** Maximum length of the API's title in each part, in characters. */
const maxTitle = 200;

/** Reads the data that all parts share. */
export function startCutting(description: Description): Cutting {
  const root = rootOf(description);
  const schemes = schemesOf(description);
  const title = toText(below(root, "info", "title").value);
  return {
    description,
    root,
    api: title.slice(0, maxTitle).toWellFormed() || "API",
    schemes,
    security: toChoices(below(root, "security"), schemes),
    servers: serversOf(description, root),
    examples: [],
    consumes: textsOf(below(root, "consumes")),
    produces: textsOf(below(root, "produces")),
    leftOut: { paths: 0 },
  };
}
