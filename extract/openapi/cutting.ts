import { below, itemsOf } from "./references.ts";
import type { Description, Located } from "./references.ts";
import type { Example, Server } from "./part.ts";
import { rootOf, schemesOf, toChoices } from "./security.ts";
import type { Scheme, SecurityChoice } from "./security.ts";
import { serversOf } from "./servers.ts";
import { toObject, toText } from "./values.ts";

/** A description that is being cut into parts, with what all parts share. */
export interface Cutting {
  readonly description: Description;
  readonly root: Located;
  readonly api: string;
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly security: readonly SecurityChoice[];
  readonly servers: readonly Server[];
  /** Examples of which only the value is known, with their places: their text is looked up at last. */
  readonly examples: { readonly at: Located; readonly example: { -readonly [K in keyof Example]: Example[K] } }[];
  /** Media types that bodies have where an operation of Swagger 2.0 says nothing else. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** How many paths are too long to be read. */
  readonly leftOut: { paths: number };
}

/** Most of the title that each part says, in characters. */
const maxTitle = 200;

/** Reads what all parts share. */
export function startCutting(description: Description): Cutting {
  const root = rootOf(description);
  const schemes = schemesOf(description);
  return {
    description,
    root,
    api:
      toText(toObject(below(root, "info").value)["title"])
        .slice(0, maxTitle)
        .toWellFormed() || "API",
    schemes,
    security: toChoices(below(root, "security"), schemes),
    servers: serversOf(description, root),
    examples: [],
    consumes: textsOf(below(root, "consumes")),
    produces: textsOf(below(root, "produces")),
    leftOut: { paths: 0 },
  };
}

/** The texts of an array. */
export function textsOf(at: Located): string[] {
  return itemsOf(at)
    .map(({ value }) => toText(value))
    .filter((text) => text !== "");
}

/** Address of a place: its file's, `#`, and the pointer as a fragment (RFC 6901, section 6). */
export function addressOf({ file, pointer }: Pick<Located, "file" | "pointer">): string {
  const path = treePath(file) ?? (URL.canParse(file) ? undefined : file);
  const name = path === undefined ? file : path.split("/").map(encodeURIComponent).join("/");
  return `${name}#${pointer.split("/").map(encodeURIComponent).join("/")}`;
}

/** Where the description says that there is more to read; "" without. */
export function documentationOf(value: unknown): string {
  const { url, description } = toObject(value);
  return [toText(description), toText(url)].filter((text) => text !== "").join(": ");
}

/** Files of a tree have addresses of a scheme of their own, so that references to them are resolved as others are. */
const treeScheme = "tree:/";

/** Address of the file at a path of a tree. */
export function treeAddress(path: string): string {
  return `${treeScheme}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Path of a file with such an address; undefined for any other address, and for what is no path within a tree. */
export function treePath(address: string): string | undefined {
  if (!address.startsWith(treeScheme)) return undefined;
  try {
    const steps = address.slice(treeScheme.length).split("/").map(decodeURIComponent);
    return steps.every((step) => !/^\.{0,2}$|[/\\]/.test(step)) ? steps.join("/") : undefined;
  } catch {
    return undefined;
  }
}
