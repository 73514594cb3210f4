/** Writes docs/openapi.json, and the tables of docs/reference/ that are made from the code: `npm run reference`. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "../../api/app.ts";
import { manifestSchema } from "../../api/manifests/schema.ts";
import { describeRoutes } from "../../api/openapi.ts";
import { commands } from "../../cli/commands.ts";
import { settings } from "../../cli/config.ts";
import { kindOptions } from "../../cli/source-argument.ts";
import { failures } from "../../domain/failures.ts";
import { skipCodes } from "../../domain/skip-codes.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");

type Row = readonly string[];

/** A table that documents show in parts: a marker names the groups of its rows, or none for all. */
interface Table {
  readonly columns: Row;
  readonly rows: readonly { readonly group: string; readonly cells: Row }[];
}

/** A marked table, with the name and the groups of its marker. */
const marked = /<!-- table: ([a-z-]+) ?(.*?) -->\n[\s\S]*?<!-- end of table -->/g;

const tables: Readonly<Record<string, Table>> = {
  settings: {
    columns: ["variable", "default", "meaning"],
    rows: Object.values(settings).map(({ env, secret, meaning, default: text, defaultInDocs }) => ({
      group: env,
      cells: [
        code(env),
        `${defaultInDocs ?? (text === "" ? "not set" : code(text))}${secret ? ", secret" : ""}`,
        meaning,
      ],
    })),
  },
  commands: {
    columns: ["command", "options", "what it does"],
    rows: Object.entries(commands).map(([name, { takes, options = [], moreOptions, summary }]) => ({
      group: name.split(" ")[0] ?? "",
      cells: [
        code(["lectern", name, takes].filter(Boolean).join(" ")),
        [
          ...options.filter(({ hidden }) => !hidden).map(({ flag }) => code(flag)),
          ...(moreOptions ? ["[those of the kind](#options-of-each-kind)"] : []),
        ].join(" "),
        summary,
      ],
    })),
  },
  "kind-options": {
    columns: ["option", "meaning"],
    rows: kindOptions.map(({ flag, about }) => ({ group: "", cells: [code(flag), about] })),
  },
  routes: {
    columns: ["request", "scope", "what it does"],
    rows: routes.map(({ method, path, scope, about }) => ({
      group: about.tag,
      cells: [code(`${method} ${path.replace(/^\/api/, "")}`), scope, about.summary],
    })),
  },
  errors: {
    columns: ["code", "status", "retry", "when"],
    rows: Object.entries(failures).map(([name, { status, retryable, when }]) => ({
      group: "",
      cells: [code(name), String(status), retryable ? "yes" : "no", when],
    })),
  },
  "skip-codes": {
    columns: ["code", "why the page is left out"],
    rows: Object.entries(skipCodes).map(([name, why]) => ({ group: "", cells: [code(name), why] })),
  },
};

/** The files that are made from the code, by path below docs/, with what is in them. @throws Error for rows in no document */
export function referenceFiles(): ReadonlyMap<string, string> {
  const shown = new Map(Object.keys(tables).map((name) => [name, new Set<string>()]));
  const files = globSync("reference/*.md", { cwd: docs }).map((path) => {
    const text = readFileSync(join(docs, path), "utf8");
    return [path, text.replaceAll(marked, (_, name: string, groups: string) => filled(name, groups))] as const;
  });
  for (const [name, { rows }] of Object.entries(tables)) {
    const missing = rows.filter(({ group }) => !shown.get(name)?.has(group)).map(({ cells }) => cells[0]);
    if (missing.length > 0) throw new Error(`No table in docs/reference/ shows these ${name}: ${missing.join(", ")}.`);
  }
  return new Map([
    ["openapi.json", `${JSON.stringify(describeRoutes(routes), null, 2)}\n`],
    ["reference/library-manifest.schema.json", `${JSON.stringify(manifestSchema(), null, 2)}\n`],
    ...files,
  ]);

  function filled(name: string, marker: string): string {
    const table = tables[name];
    if (table === undefined) throw new Error(`There is no table ${name}.`);
    const groups = marker === "" ? [...new Set(table.rows.map(({ group }) => group))] : marker.split(" ");
    for (const group of groups) shown.get(name)?.add(group);
    const rows = groups.flatMap((group) => table.rows.filter((row) => row.group === group).map(({ cells }) => cells));
    const [head = "", ...lines] = [table.columns, ...rows].map(
      (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
    );
    const text = [head, `|${"---|".repeat(table.columns.length)}`, ...lines].join("\n");
    return `<!-- table: ${[name, marker].filter(Boolean).join(" ")} -->\n\n${text}\n\n<!-- end of table -->`;
  }
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) for (const [path, text] of referenceFiles()) writeFileSync(join(docs, path), text);
