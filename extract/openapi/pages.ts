import type { Document } from "../blocks.ts";
import { firstSentences } from "../sentences.ts";
import { bodiesOf } from "./bodies.ts";
import { fieldList, createBlockList } from "./page-blocks.ts";
import { readOperationPage } from "./operation-page.ts";
import type { AuthenticationPart, OverviewPart, Part, SchemaPart, ServersPart, TagPart } from "./part.ts";
import { plain } from "./description-text.ts";
import { authenticationWords, schemeWords } from "./security.ts";

/** Reads the page of a part, which is JSON from `cutDescription`. */
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
    page.prose(`**\`${scheme.name}\`**: ${schemeWords(scheme)[1]}${scheme.deprecated ? " Deprecated." : ""}`);
    page.markdown(scheme.description, null);
    page.prose(scheme.flows.map((flow) => `- ${flow}`).join("\n"));
    const scopes = scheme.scopes.map(
      ({ name, meaning }) => `- \`${name}\`${meaning === "" ? "" : `: ${plain(meaning)}`}`,
    );
    page.prose(scopes.length === 0 ? "" : `Scopes:\n\n${scopes.join("\n")}`);
  }
  return page.document(api, "");
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

function schemaPage(part: SchemaPart): Document {
  const { api, name, description, schemaType, fields } = part;
  const page = createBlockList();
  page.heading(2, `${name} schema`);
  page.markdown(description, null);
  page.prose(schemaType === "" ? "" : `\`${name}\` is of type ${schemaType}.`);
  page.prose(fieldList(fields));
  const [body] = bodiesOf({ ...part, mediaType: "application/json" });
  if (body !== undefined) {
    page.lead(firstSentences(plain(description), 300) || `A value of the schema \`${name}\`.`);
    const { name: _name, text, ...shown } = body;
    page.codes([{ label: "", code: text, ...shown }]);
  }
  // The additional words rank operations first, unless a question is about a schema.
  return {
    ...page.document(api, firstSentences(plain(description), 300)),
    subject: `${name.split(".").at(-1)} schema fields object`,
  };
}
