import type { Field } from "./fields.ts";
import { below, entriesOf, itemsOf } from "./located.ts";
import type { Description, Located } from "./located.ts";
import type { Server } from "./part.ts";
import { toArray, toObject, toText } from "./values.ts";

/** Maximum number of servers. */
const maxServers = 30;

/** The servers of a description, a path or an operation; those of Swagger 2.0 by its host, schemes and base path. */
export function serversOf({ base, version }: Description, at: Located): Server[] {
  if (version === "2.0") return oldServers(at);
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

function oldServers(at: Located): Server[] {
  const { host, basePath, schemes } = toObject(at.value);
  const known = toArray(schemes)
    .map(toText)
    .filter((scheme) => /^https?$/.test(scheme));
  if (toText(host) === "" && toText(basePath) === "") return [];
  const scheme = known.includes("https") || known.length === 0 ? "https" : "http";
  // The file itself mostly comes from the host of a repository or of documentation.
  const url = toText(host) === "" ? absolute(toText(basePath), "") : `${scheme}://${toText(host)}${toText(basePath)}`;
  return [{ url: url.replace(/(?<!\/)\/+$/, ""), description: "", variables: [] }];
}

/** An address without a slash at its end; a path where it is relative to an unknown host, and "" for the root of that. */
function absolute(url: string, base: string): string {
  // What begins with a variable has no default for its host. What is in a tree, or was uploaded, is relative to no server.
  const isWhole = URL.canParse(url) || url.startsWith("{");
  const found = isWhole
    ? url
    : (URL.parse(url, /^https?:/.test(base) ? base : "relative://server/")?.href ?? "").replace(
        /^relative:\/\/server/,
        "",
      );
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
