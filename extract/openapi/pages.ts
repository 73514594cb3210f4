import type { Document } from "../blocks.ts";
import { firstSentences } from "../sentences.ts";
import { bodiesOf } from "./bodies.ts";
import { addServers, createBlockList, factsOf, fieldList, longFacts } from "./page-blocks.ts";
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

function overviewPage({ api, version, summary, description, facts, groups, warnings }: OverviewPart): Document {
  const page = createBlockList();
  page.prose(version === "" ? "" : `${api}, version ${version}.`);
  page.markdown(summary, 1);
  page.markdown(description, 1);
  page.prose(facts.map((fact) => `- ${fact}`).join("\n"));
  if (groups.length > 0) page.heading(2, `Groups of operations`);
  page.prose(groups.map(([name, tags]) => `- ${name}: ${tags.join(", ")}`).join("\n"));
  const document = page.document(api, firstSentences(plain(summary || description), 300));
  return warnings.length === 0 ? document : { ...document, warnings };
}

function serversPage({ api, servers }: ServersPart): Document {
  const page = createBlockList();
  page.heading(2, `Servers of ${api}`);
  addServers(page, servers);
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
  page.markdown(description, 2);
  if (operations.length > 0 && /^ {0,3}#/m.test(description)) page.heading(3, `Operations of ${name}`);
  page.prose(operations.map((operation) => `- ${operation}`).join("\n"));
  page.prose(documentation === "" ? "" : `**More**: ${documentation}`);
  return page.document(api, firstSentences(plain(description), 300));
}

function schemaPage(part: SchemaPart): Document {
  const { api, name, about, fields } = part;
  const { meaning = "", ...facts } = about;
  const page = createBlockList();
  page.heading(2, `${name} schema`);
  page.markdown(meaning, null);
  const words = factsOf({ ...facts, type: about.type === name ? "object" : about.type }, []).join(", ");
  page.prose(words === "" ? "" : `\`${name}\` is of type ${words}.`);
  for (const piece of longFacts(facts)) page.prose(`\`${name}\`: ${piece}`);
  page.prose(fieldList(fields));
  const [body] = bodiesOf({ ...part, mediaType: "application/json" });
  if (body !== undefined) {
    page.lead(firstSentences(plain(meaning), 300) || `A value of the schema \`${name}\`.`);
    const { name: _name, text, ...shown } = body;
    page.codes([{ label: "", code: text, ...shown }]);
  }
  // The additional words rank operations first, unless a question is about a schema.
  return {
    ...page.document(api, firstSentences(plain(meaning), 300)),
    subject: `${name.split(".").at(-1)} schema fields object`,
  };
}
