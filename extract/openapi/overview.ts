import { addressOf, below, itemsOf, textsOf } from "./located.ts";
import type { Cutting } from "./cutting.ts";
import { documentationOf } from "./description-text.ts";
import type { OperationPart, OverviewPart, TagPart } from "./part.ts";
import { schemesIn } from "./security.ts";
import { encoded, joined, toText } from "./values.ts";
import { objectOf } from "../json.ts";

/** Maximum length of a line about contact, licence, terms or further documentation, in characters. */
const maxFact = 500;

/** An operation as listed on the page of a tag. */
export interface TaggedOperation extends Pick<OperationPart, "tags"> {
  readonly name: string;
}

/** The facts about the API, and warnings about its description. */
export function readOverview({ root, api }: Cutting, warnings: readonly string[]): OverviewPart {
  const at = below(root, "info");
  const info = objectOf(at.value);
  const { name, email, url } = objectOf(info["contact"]);
  const licence = objectOf(info["license"]);
  const line = (label: string, ...values: readonly unknown[]): string[] => {
    const text = joined(values, ", ");
    return text === "" ? [] : [`${label}: ${text}`.slice(0, maxFact)];
  };
  return {
    type: "overview",
    api,
    from: addressOf(at),
    version: toText(info["version"]),
    summary: toText(info["summary"]),
    description: toText(info["description"]),
    facts: [
      ...line("Documentation", documentationOf(objectOf(root.value)["externalDocs"])),
      ...line("Contact", name, email, url),
      ...line("Licence", licence["name"] ?? licence["identifier"], licence["url"]),
      ...line("Terms of service", info["termsOfService"]),
    ],
    groups: itemsOf(below(root, "x-tagGroups")).map((group) => [
      toText(objectOf(group.value)["name"]),
      textsOf(below(group, "tags")),
    ]),
    warnings,
  };
}

/** The servers, if any, with the key of their page. */
export function* readServers({ root, api, servers }: Cutting) {
  const from = addressOf(below(root, "servers"));
  if (servers.length > 0) yield { key: from, part: { type: "servers", api, from, servers } as const };
}

/** The ways to authenticate, if any, with the key of their page. */
export function* readAuthentication({ api, schemes, security, description }: Cutting) {
  const from = addressOf(schemesIn(description));
  if (schemes.size === 0) return;
  yield {
    key: from,
    part: { type: "authentication", api, from, schemes: [...schemes.values()], required: security } as const,
  };
}

/** The tags with a description or operations, each with the key of its page. */
export function* readTags(
  cutting: Cutting,
  operations: readonly TaggedOperation[],
): Generator<{ key: string; part: TagPart }> {
  const { root, api } = cutting;
  const declared = new Map(itemsOf(below(root, "tags")).map((at) => [toText(objectOf(at.value)["name"]), at]));
  const tagged = operations.flatMap(({ name, tags }) => [...new Set(tags)].map((tag) => ({ tag, name })));
  const byTag = Map.groupBy(tagged, ({ tag }) => tag);
  for (const name of new Set([...declared.keys(), ...byTag.keys()])) {
    const at = declared.get(name);
    const tag = objectOf(at?.value);
    const names = byTag.get(name)?.map((operation) => operation.name) ?? [];
    const title = toText(tag["x-displayName"]);
    const description = joined([title === name ? "" : title, tag["summary"], tag["description"]]);
    if (name === "" || (names.length === 0 && description === "")) continue;
    // The key has the name, as the index changes with the tags before it.
    const key = `${addressOf(below(root, "tags"))}/${encoded(name)}`;
    const part: TagPart = {
      type: "tag",
      api,
      from: addressOf(at ?? below(root, "tags")),
      name,
      description,
      parent: toText(tag["parent"]),
      documentation: documentationOf(tag["externalDocs"]),
      operations: names,
    };
    yield { key, part };
  }
}
