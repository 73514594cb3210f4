import type { Document } from "../blocks.ts";
import { firstSentences } from "../sentences.ts";
import { bodiesOf } from "./bodies.ts";
import { plain } from "./prose-text.ts";
import { authenticationWords, fieldList } from "./lists.ts";
import { readOperationPage } from "./operation-page.ts";
import type { AuthenticationPart, OverviewPart, Part, SchemaPart, ServersPart, TagPart } from "./part.ts";
import { createBlockList } from "./prose.ts";
import type { Scheme } from "./security.ts";

/** Reads the page of a part, JSON that `cutDescription` has written. */
export function readPart(source: string): Document {
  const part = JSON.parse(source) as Part;
  switch (part.type) {
    case "operation":
      return readOperationPage(part);
    case "overview":
      return overviewPage(part);
    case "servers":
      return serversPage(part);
    case "authentication":
      return authenticationPage(part);
    case "tag":
      return tagPage(part);
    case "schema":
      return schemaPage(part);
  }
}

function overviewPage({ api, version, summary, description, facts, warnings }: OverviewPart): Document {
  const page = createBlockList();
  page.prose(version === "" ? "" : `${api}, version ${version}.`);
  page.markdown(summary, 1);
  page.markdown(description, 1);
  page.prose(facts.map((fact) => `- ${fact}`).join("\n"));
  const document = page.document(api, firstSentences(plain(summary || description), 300));
  return warnings.length === 0 ? document : { ...document, warnings };
}

function serversPage({ api, servers }: ServersPart): Document {
  const page = createBlockList();
  page.heading(2, `Servers of ${api}`);
  for (const { url, description, variables } of servers) {
    page.prose(`- \`${url === "" ? "/" : url}\`${description === "" ? "" : `: ${plain(description)}`}`);
    page.prose(fieldList(variables));
  }
  return page.document(api, "");
}

function authenticationPage({ api, schemes, required }: AuthenticationPart): Document {
  const page = createBlockList();
  page.heading(2, `Authentication of ${api}`);
  const words = authenticationWords(required);
  page.prose(words === "" ? "" : `Operations that say nothing else need ${words}.`);
  for (const scheme of schemes) {
    page.prose(`**\`${scheme.name}\`**: ${kindOfScheme(scheme)}${scheme.deprecated ? " Deprecated." : ""}`);
    page.markdown(scheme.description, null);
    page.prose(scheme.flows.map((flow) => `- ${flow}`).join("\n"));
    const scopes = scheme.scopes.map(
      ({ name, meaning }) => `- \`${name}\`${meaning === "" ? "" : `: ${plain(meaning)}`}`,
    );
    page.prose(scopes.length === 0 ? "" : `Scopes:\n\n${scopes.join("\n")}`);
  }
  return page.document(api, "");
}

function kindOfScheme({ type, detail, parameter }: Scheme): string {
  if (type === "apiKey") return `API key, sent as ${detail} \`${parameter}\`.`;
  if (type === "http") return `HTTP ${detail} authentication, in the header \`Authorization\`.`;
  if (type === "oauth2") return "OAuth 2, an access token in the header `Authorization`.";
  return type === "openIdConnect"
    ? "OpenID Connect."
    : type === "mutualTLS"
      ? "A client certificate (mutual TLS)."
      : type;
}

function tagPage({ api, name, description, parent, documentation, operations }: TagPart): Document {
  const page = createBlockList();
  page.heading(2, `${name}: operations`);
  page.prose(parent === "" ? "" : `Part of ${parent}.`);
  page.markdown(description, null);
  page.prose(operations.map((operation) => `- ${operation}`).join("\n"));
  page.prose(documentation === "" ? "" : `**More**: ${documentation}`);
  return page.document(api, firstSentences(plain(description), 300));
}

function schemaPage({ api, from, name, description, schemaType, fields, schema, examples }: SchemaPart): Document {
  const page = createBlockList();
  page.heading(2, `${name} schema`);
  page.markdown(description, null);
  page.prose(schemaType === "" ? "" : `\`${name}\` is of type ${schemaType}.`);
  page.prose(fieldList(fields));
  const content = {
    mediaType: "application/json",
    others: [],
    type: "",
    fields,
    examples,
    from,
    ...(schema && { schema }),
  };
  const [body] = bodiesOf(content);
  if (body !== undefined) {
    page.lead(firstSentences(plain(description), 300) || `A value of the schema \`${name}\`.`);
    const { text, language, madeFrom } = body;
    page.codes([{ label: "", language, code: text, ...(madeFrom !== undefined && { madeFrom }) }]);
  }
  // The more words, the less its name says: operations come first unless a schema is asked for.
  return {
    ...page.document(api, firstSentences(plain(description), 300)),
    subject: `${name.split(".").at(-1)} schema fields object`,
  };
}
