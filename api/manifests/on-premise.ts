import type { Problem, WrittenEntry, WrittenManifest } from "./text.ts";

/** The fields of a kind of entry, each with its name in our forms; null: accepted and not needed. */
type Names = Readonly<Record<string, string | null>>;

const titles: Names = { title: "title", description: "description" };

/**
 * The fields of each type in the file of the on-premise product (its documentation of GitOps, "The manifest file"); without a
 * type it is `git`.
 */
const types: Readonly<Record<string, { readonly address: string; readonly fields: Names }>> = {
  git: {
    address: "docsRepoUrl",
    fields: {
      branch: "branch",
      folders: "folders",
      excludeFolders: "excludeFolders",
      excludeFiles: "excludeFiles",
      indexSourceCode: "generateDocs",
    },
  },
  confluence: {
    address: "siteUrl",
    fields: {
      ...titles,
      spaceKey: "spaceKey",
      spaceName: "spaceName",
      spaceId: null,
      pageUrls: "pageUrls",
      includeSubPages: "includeSubPages",
    },
  },
  website: {
    address: "websiteUrl",
    fields: { ...titles, maxPages: "maxPages", maxDepth: "maxDepth", excludePatterns: "excludePatterns" },
  },
  // The pages that an llms.txt lists are bounded by a setting of the server.
  llmstxt: { address: "llmstxtUrl", fields: { ...titles, maxPages: null } },
  openapi: { address: "openApiUrl", fields: titles },
};

/** Whether a manifest is the file of the on-premise product. */
export function isOnPremise({ members }: WrittenManifest): boolean {
  return Object.hasOwn(members, "repos");
}

/** The entries of the on-premise product's file in the names of our forms, with what is wrong. */
export function fromOnPremise({ members, entries, lineOf }: WrittenManifest): {
  readonly entries: readonly WrittenEntry[];
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const { defaults = {} } = members;
  for (const name of Object.keys(members).filter((one) => one !== "repos" && one !== "defaults"))
    problems.push({
      line: lineOf(name),
      field: name,
      message: "is not a member of a file with repos: defaults, repos.",
    });
  const translated = entries.map((entry) => {
    const { place, line, fields } = entry;
    const { type = "git", url, repoUrl, ...written } = fields;
    const { [String(type)]: of } = types;
    const problem = (field: string, message: string): void =>
      void problems.push({ line: entry.lineOf(field), field: `${place}.${field}`, message });
    if (!of) {
      problem("type", `must be one of ${Object.keys(types).join(", ")}.`);
      return entry;
    }
    if (typeof (url ?? repoUrl) !== "string") problem("url", "is missing.");
    const own: Record<string, unknown> = { [of.address]: url ?? repoUrl };
    const given = Object.entries({ ...known(defaults, of.fields), ...written });
    for (const [name, value] of given) {
      const { [name]: target } = of.fields;
      if (target === undefined)
        problem(name, `is not a field of the type ${String(type)}, which has ${Object.keys(of.fields).join(", ")}.`);
      else if (target !== null && value !== "") own[target] = value;
    }
    // An address of a page names its space.
    if (type === "confluence" && own["spaceKey"] === undefined) own["spaceKey"] = spaceOf(own["pageUrls"]);
    return { place, line, fields: own, lineOf: entry.lineOf };
  });
  return { entries: translated, problems };
}

function known(defaults: unknown, names: Names): Record<string, unknown> {
  if (typeof defaults !== "object" || defaults === null) return {};
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => Object.hasOwn(names, name)));
}

/** The space in the address of the first page (`/spaces/<key>/pages/…`). */
function spaceOf(pageUrls: unknown): string | undefined {
  const [first] = Array.isArray(pageUrls) ? (pageUrls as readonly unknown[]) : [];
  return typeof first === "string" ? /\/(?:spaces|display)\/([^/?#]{1,255})/.exec(first)?.[1] : undefined;
}
