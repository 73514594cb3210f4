import { below, entriesOf, itemsOf } from "./references.ts";
import type { Description, Located } from "./references.ts";
import type { Field } from "./fields.ts";
import type { Server } from "./part.ts";
import { toArray, toObject, toText } from "./values.ts";

/** Servers that are looked at. */
const maxServers = 30;

/** The servers of a description, a path or an operation; those of Swagger 2.0 by its host, schemes and base path. */
export function serversOf({ base, version }: Description, at: Located): Server[] {
  if (version === "2.0") return oldServers(base, at);
  return itemsOf(below(at, "servers"))
    .slice(0, maxServers)
    .map((server) => {
      const { url, description, name } = toObject(server.value);
      const variables = entriesOf(below(server, "variables"));
      const defaults = new Map(variables.map(([key, { value }]) => [key, toText(toObject(value)["default"])]));
      const filled = toText(url).replace(/\{([^{}]*)\}/g, (all, key: string) => defaults.get(key) || all);
      return {
        url: absolute(filled, base),
        description: [toText(name), toText(description)].filter((text) => text !== "").join(": "),
        variables: variables.map(([key, { value }]) => toField(key, toObject(value))),
      };
    });
}

/** Address that the paths of a description without servers are below: the root of the host that it was read from; "" for none. */
export function ownServer({ base }: Description): string {
  return absolute("/", base);
}

function oldServers(base: string, at: Located): Server[] {
  const { host, basePath, schemes } = toObject(at.value);
  const known = toArray(schemes)
    .map(toText)
    .filter((scheme) => /^https?$/.test(scheme));
  if (toText(host) === "" && toText(basePath) === "") return [];
  const scheme = known.includes("https") || known.length === 0 ? "https" : "http";
  const url = toText(host) === "" ? absolute(toText(basePath), base) : `${scheme}://${toText(host)}${toText(basePath)}`;
  return [{ url: url.replace(/(?<!\/)\/+$/, ""), description: "", variables: [] }];
}

/** Without a slash at the end; "" for an address that is relative to an unknown one. */
function absolute(url: string, base: string): string {
  // What is in a tree, or was uploaded, is relative to no server.
  const found = URL.canParse(url) ? url : /^https?:/.test(base) ? (URL.parse(url, base)?.href ?? "") : "";
  return found.replace(/(?<!\/)\/+$/, "");
}

function toField(name: string, said: Readonly<Record<string, unknown>>): Field {
  const allowed = toArray(said["enum"]).map(toText);
  const meaning = toText(said["description"]);
  return {
    name,
    type: "string",
    required: false,
    default: toText(said["default"]),
    ...(allowed.length > 0 && { allowed: `one of ${allowed.map((one) => `\`${one}\``).join(", ")}` }),
    ...(meaning !== "" && { meaning }),
  };
}
