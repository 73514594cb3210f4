import type { Field } from "./fields.ts";
import { below, entriesOf, itemsOf, type Description, type Located } from "./located.ts";
import type { Server } from "./part.ts";
import { joined, toText } from "./values.ts";
import { type Json, listOf, objectOf } from "../json.ts";

/** Maximum number of servers. */
const maxServers = 30;

/** The servers of a description, a path or an operation; in Swagger 2.0 from host, schemes and base path. */
export function serversOf({ base, version }: Description, at: Located): Server[] {
  if (version === "2.0") return oldServers(at);
  return itemsOf(below(at, "servers"))
    .slice(0, maxServers)
    .map((server) => {
      const { url, description, name } = objectOf(server.value);
      const variables = entriesOf(below(server, "variables"));
      const values = new Map(variables.map(([key, { value }]) => [key, valueOf(objectOf(value))]));
      const filled = toText(url).replace(/\{([^{}]*)\}/g, (all, key: string) => values.get(key) || all);
      return {
        url: absolute(filled, base),
        description: joined([name, description], ": "),
        variables: variables.map(([key, { value }]) => toField(key, objectOf(value))),
      };
    });
}

function oldServers(at: Located): Server[] {
  const { host, basePath, schemes } = objectOf(at.value);
  const allowed = listOf(schemes).map(toText);
  if (toText(host) === "" && toText(basePath) === "") return [];
  const scheme = allowed.includes("https") || !allowed.includes("http") ? "https" : "http";
  // The file's own host is not used, as it is mostly that of a repository or of documentation.
  const url = toText(host) === "" ? absolute(toText(basePath), "") : `${scheme}://${toText(host)}${toText(basePath)}`;
  return [{ url: url.replace(/(?<!\/)\/+$/, ""), description: "", variables: [] }];
}

/** An address without a slash at its end; a path if it is relative to an unknown host, "" for its root. */
function absolute(url: string, base: string): string {
  // A host that is a variable without default stays. A file of a tree, or an uploaded one, has no host.
  const isWhole = URL.canParse(url) || url.startsWith("{");
  const hostBase = /^https?:/.test(base) ? base : "relative://server/";
  const address = isWhole ? url : (URL.parse(url, hostBase)?.href ?? "").replace(/^relative:\/\/server/, "");
  return address.replace(/(?<!\/)\/+$/, "");
}

/** The default of a variable, else the first of its choices. */
function valueOf({ default: standard, enum: choices }: Json): string {
  return toText(standard) || toText(listOf(choices)[0]);
}

function toField(name: string, variable: Json): Field {
  const allowed = listOf(variable["enum"]).map(toText);
  const meaning = toText(variable["description"]);
  return {
    name,
    type: "string",
    required: false,
    default: toText(variable["default"]),
    ...(allowed.length > 0 && { allowed: `one of ${allowed.map((one) => `\`${one}\``).join(", ")}` }),
    ...(meaning !== "" && { meaning }),
  };
}
