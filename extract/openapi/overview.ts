import { addressOf, below, itemsOf } from "./located.ts";
import { documentationOf } from "./cutting.ts";
import type { Cutting } from "./cutting.ts";
import type { OperationPart, OverviewPart, TagPart } from "./part.ts";
import { toObject, toText } from "./values.ts";

/** Maximum length of a line about contact, licence, terms or further documentation, in characters. */
const maxFact = 500;

/** An operation as the page of a tag lists it: by its name. */
export interface TaggedOperation extends Pick<OperationPart, "tags"> {
  readonly name: string;
}

/** What the API is, and what was wrong with its description. */
export function readOverview({ root, api }: Cutting, warnings: readonly string[]): OverviewPart {
  const at = below(root, "info");
  const info = toObject(at.value);
  const { name, email, url } = toObject(info["contact"]);
  const licence = toObject(info["license"]);
  const line = (label: string, ...values: readonly unknown[]): string[] => {
    const said = values.map(toText).filter((value) => value !== "");
    return said.length === 0 ? [] : [`${label}: ${said.join(", ")}`.slice(0, maxFact)];
  };
  return {
    type: "overview",
    api,
    from: addressOf(at),
    version: toText(info["version"]),
    summary: toText(info["summary"]),
    description: toText(info["description"]),
    facts: [
      ...line("Documentation", documentationOf(toObject(root.value)["externalDocs"])),
      ...line("Contact", name, email, url),
      ...line("Licence", licence["name"] ?? licence["identifier"], licence["url"]),
      ...line("Terms of service", info["termsOfService"]),
    ],
    warnings,
  };
}

/** The servers, with the key of their page; nothing where there are none. */
export function* readServers({ root, api, servers }: Cutting) {
  const from = addressOf(below(root, "servers"));
  if (servers.length > 0) yield { key: from, part: { type: "servers", api, from, servers } as const };
}

/** The ways to authenticate, with the key of their page; nothing where there are none. */
export function* readAuthentication({ root, api, schemes, security, description }: Cutting) {
  const keys = description.version === "2.0" ? ["securityDefinitions"] : ["components", "securitySchemes"];
  const from = addressOf(below(root, ...keys));
  if (schemes.size === 0) return;
  yield {
    key: from,
    part: { type: "authentication", api, from, schemes: [...schemes.values()], required: security } as const,
  };
}

/** The tags that say something or have operations, each with the key of its page. */
export function* readTags(
  cutting: Cutting,
  operations: readonly TaggedOperation[],
): Generator<{ key: string; part: TagPart }> {
  const { root, api } = cutting;
  const declared = new Map(itemsOf(below(root, "tags")).map((at) => [toText(toObject(at.value)["name"]), at]));
  const namesByTag = new Map<string, string[]>();
  for (const { name, tags } of operations)
    for (const tag of new Set(tags)) {
      const names = namesByTag.get(tag) ?? [];
      namesByTag.set(tag, names);
      names.push(name);
    }
  for (const name of new Set([...declared.keys(), ...namesByTag.keys()])) {
    const at = declared.get(name);
    const said = toObject(at?.value);
    const names = namesByTag.get(name) ?? [];
    const description = [toText(said["summary"]), toText(said["description"])]
      .filter((text) => text !== "")
      .join("\n\n");
    if (name === "" || (names.length === 0 && description === "")) continue;
    // By its name: its place changes with the tags before it.
    const key = `${addressOf(below(root, "tags"))}/${encodeURIComponent(name)}`;
    const part: TagPart = {
      type: "tag",
      api,
      from: addressOf(at ?? below(root, "tags")),
      name,
      description,
      parent: toText(said["parent"]),
      documentation: documentationOf(said["externalDocs"]),
      operations: names,
    };
    yield { key, part };
  }
}
