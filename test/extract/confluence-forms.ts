import type { Sample, Words } from "./confluence-samples.ts";

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const address = "https://example.com/tools";

/** Blocks in storage format, as Confluence writes it. */
export function toStorage(samples: readonly Sample[]): string {
  return samples.map((sample) => storage(sample)).join("");
}

function inline(words: readonly Words[]): string {
  const tags = { strong: "strong", em: "em", code: "code" };
  return words
    .map(({ mark, text }) => {
      if (mark === "") return escaped(text);
      if (mark === "link") return `<a href="${address}">${escaped(text)}</a>`;
      return `<${tags[mark]}>${escaped(text)}</${tags[mark]}>`;
    })
    .join("");
}

const macro = (name: string, parameters: Readonly<Record<string, string>>, body: string): string =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${Object.entries(parameters)
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `<ac:parameter ac:name="${key}">${escaped(value)}</ac:parameter>`)
    .join("")}${body}</ac:structured-macro>`;
const rich = (body: string): string => `<ac:rich-text-body>${body}</ac:rich-text-body>`;

function storage(sample: Sample): string {
  switch (sample.type) {
    case "paragraph":
      return `<p>${inline(sample.words)}</p>`;
    case "heading":
      return `<h${sample.level}>${escaped(sample.text)}</h${sample.level}>`;
    case "code": {
      const { language, title, code } = sample;
      const body = `<ac:plain-text-body><![CDATA[${code.replaceAll("]]>", "]]]]><![CDATA[>")}]]></ac:plain-text-body>`;
      return macro("code", { language, title }, body);
    }
    case "callout":
      return macro(sample.kind, {}, rich(toStorage(sample.inside)));
    case "expand":
      return macro("expand", { title: sample.title }, rich(toStorage(sample.inside)));
    case "layout":
      return `<ac:layout><ac:layout-section ac:type="single"><ac:layout-cell>${toStorage(sample.inside)}</ac:layout-cell></ac:layout-section></ac:layout>`;
    case "list": {
      const name = sample.isOrdered ? "ol" : "ul";
      return `<${name}>${sample.items.map((item) => `<li>${toStorage(item)}</li>`).join("")}</${name}>`;
    }
    case "tasks":
      return `<ac:task-list>${sample.items
        .map(
          ({ isDone, words }, at) =>
            `<ac:task><ac:task-id>${at}</ac:task-id><ac:task-status>${isDone ? "complete" : "incomplete"}</ac:task-status><ac:task-body><span class="placeholder-inline-tasks">${inline(words)}</span></ac:task-body></ac:task>`,
        )
        .join("\n")}</ac:task-list>`;
    case "table":
      return `<table><tbody>${sample.rows
        .map(
          (row, at) =>
            `<tr>${row.map((cell) => (at === 0 ? `<th><p>${cell}</p></th>` : `<td><p>${cell}</p></td>`)).join("")}</tr>`,
        )
        .join("")}</tbody></table>`;
    case "quote":
      return `<blockquote><p>${inline(sample.words)}</p></blockquote>`;
  }
}

/** Blocks in the Atlas document format. It has no titles of code. */
export function toAdf(samples: readonly Sample[]): string {
  return JSON.stringify({ type: "doc", version: 1, content: samples.map((sample) => adf(sample)) });
}

function adfText(words: readonly Words[]): object[] {
  return words.map(({ mark, text }) => ({
    type: "text",
    text,
    ...(mark !== "" && { marks: [{ type: mark, ...(mark === "link" && { attrs: { href: address } }) }] }),
  }));
}

function adf(sample: Sample): object {
  const all = (inside: readonly Sample[]): object[] => inside.map((one) => adf(one));
  switch (sample.type) {
    case "paragraph":
      return { type: "paragraph", content: adfText(sample.words) };
    case "heading":
      return { type: "heading", attrs: { level: sample.level }, content: [{ type: "text", text: sample.text }] };
    case "code":
      return {
        type: "codeBlock",
        attrs: { language: sample.language },
        content: [{ type: "text", text: sample.code }],
      };
    case "callout":
      return { type: "panel", attrs: { panelType: sample.kind }, content: all(sample.inside) };
    case "expand":
      return { type: "expand", attrs: { title: sample.title }, content: all(sample.inside) };
    case "layout":
      return {
        type: "layoutSection",
        content: [{ type: "layoutColumn", attrs: { width: 100 }, content: all(sample.inside) }],
      };
    case "list":
      return {
        type: sample.isOrdered ? "orderedList" : "bulletList",
        content: sample.items.map((item) => ({ type: "listItem", content: all(item) })),
      };
    case "tasks":
      return {
        type: "taskList",
        content: sample.items.map(({ isDone, words }) => ({
          type: "taskItem",
          attrs: { state: isDone ? "DONE" : "TODO" },
          content: adfText(words),
        })),
      };
    case "table":
      return {
        type: "table",
        content: sample.rows.map((row, at) => ({
          type: "tableRow",
          content: row.map((cell) => ({
            type: at === 0 ? "tableHeader" : "tableCell",
            content: [{ type: "paragraph", content: [{ type: "text", text: cell }] }],
          })),
        })),
      };
    case "quote":
      return { type: "blockquote", content: [{ type: "paragraph", content: adfText(sample.words) }] };
  }
}

/** Blocks as Markdown, below a heading of the first level. */
export function toMarkdown(samples: readonly Sample[]): string {
  const isList = (sample: Sample | undefined): boolean => sample?.type === "list" || sample?.type === "tasks";
  return (
    samples
      .flatMap((sample, at) => {
        // Adjacent lists would be one list.
        const isNext = isList(sample) && isList(samples[at - 1]);
        return isNext ? ["<!-- -->", markdown(sample)] : [markdown(sample)];
      })
      .join("\n\n")
      // Two lists one after the other would be one.
      .replace(/^([ >]*)((?:[-*]|\d+\.) .*)\n\n(?=\1(?:[-*]|\d+\.) )/gm, "$1$2\n\n$1<!-- -->\n\n")
  );
}

function markdownText(words: readonly Words[]): string {
  return words
    .map(({ mark, text }) => {
      if (mark === "link") return `[${text}](${address})`;
      return { "": text, strong: `**${text}**`, em: `*${text}*`, code: `\`${text}\`` }[mark];
    })
    .join("");
}

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

function markdown(sample: Sample): string {
  switch (sample.type) {
    case "paragraph":
      return markdownText(sample.words);
    case "heading":
      return `${"#".repeat(sample.level + 1)} ${sample.text}`;
    case "code": {
      const language = { none: "", "c#": "csharp" }[sample.language] ?? sample.language;
      const title = sample.title === "" ? "" : `${language === "" ? "text" : language} title="${sample.title}"`;
      return `\`\`\`\`\`${title === "" ? language : title}\n${sample.code}\n\`\`\`\`\``;
    }
    case "callout":
      return `${"::::::".slice(depthOf(sample))}:::${sample.kind}\n\n${toMarkdown(sample.inside)}\n\n${"::::::".slice(depthOf(sample))}:::`;
    case "expand":
      return `<details>\n<summary>${sample.title}</summary>\n\n${toMarkdown(sample.inside)}\n\n</details>`;
    case "layout":
      return toMarkdown(sample.inside);
    case "list":
      return sample.items
        .map((item, at) => {
          const sign = sample.isOrdered ? `${at + 1}. ` : "- ";
          return sign + indented(toMarkdown(item), " ".repeat(sign.length)).trimStart();
        })
        .join("\n");
    case "tasks":
      return sample.items.map(({ isDone, words }) => `- [${isDone ? "x" : " "}] ${markdownText(words)}`).join("\n");
    case "table": {
      const [head = [], ...rows] = sample.rows;
      return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
    }
    case "quote":
      return `> ${markdownText(sample.words)}`;
  }
}

/** The colons that a callout does without: the fewer, the more callouts are nested in it. */
function depthOf(sample: Sample): number {
  return 6 - ("inside" in sample ? 1 + Math.max(0, ...sample.inside.map((one) => 6 - depthOf(one))) : 0);
}

/** The code in storage format, by a minimal independent reader. */
export function codeInStorage(source: string): readonly string[] {
  const bodies = source.split("<ac:plain-text-body><![CDATA[").slice(1);
  return bodies.map((rest) => rest.slice(0, endOf(rest)).replaceAll("]]]]><![CDATA[>", "]]>"));
}

function endOf(rest: string): number {
  let end = rest.indexOf("]]>");
  while (end >= 0 && !rest.startsWith("]]></ac:plain-text-body>", end)) end = rest.indexOf("]]>", end + 1);
  return end;
}

/** The code in the Atlas document format, by a minimal independent reader. */
export function codeInAdf(source: string): readonly string[] {
  const found: string[] = [];
  JSON.parse(source, (_key, value: unknown) => {
    const node = value as { type?: string; content?: readonly { text: string }[] } | null;
    if (node?.type === "codeBlock") found.push((node.content ?? []).map(({ text }) => text).join(""));
    return value;
  });
  return found;
}
