import type { Deployment } from "../../schemas/deployment.ts";
import { page, type Described } from "../page.ts";
import type { Caller } from "../../../domain/access.ts";
import { html, nothing, type Html } from "../html.ts";
import { external } from "../views/addresses.ts";
import { withQuery } from "../../request.ts";
import { administration } from "./administration.ts";
import { age, badge, count, counted, facts, notice, size, table } from "../views/parts.ts";
import { troubleLabels } from "../views/states.ts";

const names = {
  sqlite: "SQLite",
  postgresql: "PostgreSQL",
  meilisearch: "Meilisearch",
  folder: "Folder",
  bucket: "Bucket",
  process: "In this process",
  temporal: "Temporal",
} as const;

/** Free share below which a disk is shown as nearly full. */
const scarce = 0.1;

function systemView({
  deployment,
  problem,
  caller,
  now,
}: {
  readonly deployment: Deployment;
  readonly problem?: string;
  readonly caller: Caller;
  readonly now: number;
}): Html {
  const { version, node, startedAt, warnings, sweptAt, backedUpAt, postponedHosts } = deployment;
  const content = html`${warnings.map((one) => notice("warn", one))}
    <section class="card" aria-labelledby="parts">
      <h2 id="parts">Parts</h2>
      ${facts([
        ["Lectern", version],
        ["Node", node],
        ["Process started", age(startedAt, now)],
        ["Catalog", names[deployment.catalog]],
        ["Index", names[deployment.index]],
        ["Blobs", names[deployment.blobs]],
        ["Last sweep", age(sweptAt, now, "unknown")],
        ["Last backup", age(backedUpAt, now, "none by lectern backup")],
        ["Health", problem === undefined ? badge("good", "Catalog and index answer") : badge("bad", "Not ready")],
      ])}
    </section>
    <div class="columns">${engineView(deployment, now)} ${librariesView(deployment, postponedHosts)}</div>
    ${queuesView(deployment)} ${disksView(deployment)}`;
  return administration(caller, "system", "System", content, {
    problem,
    about: html`The present state, as this process sees it. For graphs over time, let Prometheus scrape
      <code>/api/metrics</code>.`,
  });
}

function engineView({ engine, runs }: Deployment, now: number): Html {
  const { kind, isReachable, namespace, webUi } = engine;
  const address = webUi === undefined ? undefined : external(webUi);
  return html`<section class="card" aria-labelledby="engine">
    <div class="between">
      <h2 id="engine">Engine</h2>
      ${isReachable ? badge("good", "Reachable") : badge("bad", "Unreachable")}
    </div>
    ${facts([
      ["Executes runs", names[kind]],
      ["Namespace", namespace],
      ["Running", runs.running],
      ["Waiting", runs.queued],
      ["Oldest waiting run", runs.queuedSince === null ? undefined : age(runs.queuedSince, now)],
    ])}
    ${address === undefined ? nothing : html`<p><a class="button" href="${address}" rel="noopener noreferrer">Open Temporal's Web UI</a></p>`}
  </section>`;
}

function librariesView({ libraries, troubles }: Deployment, postponedHosts: number): Html {
  const present = Object.entries(troubles).filter(([, number]) => number > 0);
  const list = present.map(([trouble, number]) => {
    const [tone, label] = troubleLabels[trouble as keyof typeof troubleLabels] ?? (["warn", trouble] as const);
    return html`<a href="${withQuery("/", { state: trouble })}">${badge(tone, `${label} ${count(number)}`)}</a>`;
  });
  return html`<section class="card" aria-labelledby="libraries">
    <h2 id="libraries">Libraries</h2>
    ${facts([
      ["In all teamspaces", libraries],
      ["Hosts that asked for a delay", postponedHosts],
    ])}
    ${present.length === 0 ? html`<p class="muted">No library has a problem.</p>` : html`<p class="badges">${list}</p>`}
  </section>`;
}

function queuesView({ engine: { kind, queues } }: Deployment): Html {
  if (kind === "process") return nothing;
  if (queues === undefined) return notice("warn", "Temporal does not report which workers poll its task queues.");
  const rows = queues.map(({ queue, workers, waiting }) => [
    html`<code>${queue}</code>`,
    workers.length === 0 ? badge("bad", "No worker: its steps wait") : badge("good", counted(workers.length, "worker")),
    waiting,
    html`<span class="small muted"><bdi>${workers.join(", ")}</bdi></span>`,
  ]);
  return html`<section class="stack" aria-labelledby="queues">
    <h2 id="queues">Task queues</h2>
    ${table("Task queues", ["Queue", "State", "Waiting", "Workers"], rows)}
  </section>`;
}

function disksView({ sizes, storageLimit, freeDisk }: Deployment): Html {
  const kept = Object.entries(sizes).map(([part, bytes]) => [part, size(bytes)] as const);
  const used = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  if (storageLimit !== null) kept.push(["Limit", `${size(storageLimit)}, ${percent(used / storageLimit)} used`]);
  const disks = Object.entries(freeDisk).map(
    ([setting, free]) =>
      html`<div class="field">
        <span class="between"
          ><label for="disk-${setting}">Disk of <code>${setting}</code></label
          ><span>${free < scarce ? badge("warn", `${percent(free)} free`) : `${percent(free)} free`}</span></span
        ><meter id="disk-${setting}" min="0" max="1" low="0.9" optimum="0" value="${(1 - free).toFixed(3)}">
          ${percent(1 - free)} used
        </meter>
      </div>`,
  );
  return html`<section class="card" aria-labelledby="disks">
    <h2 id="disks">Storage</h2>
    ${kept.length === 0 ? nothing : facts(kept.map(([part, bytes]) => [part.charAt(0).toUpperCase() + part.slice(1), bytes]))}
    ${disks}
  </section>`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The parts of the deployment and their state. */
export const systemPage: Described = page({
  path: "/-/admin/system",
  scope: "admin",
  async show({ ask, call, caller }) {
    const [deployment, ready] = await Promise.all([
      ask<Deployment>("/v2/system"),
      call<{ readonly checks: Readonly<Record<string, string>> }>("GET", "/ready"),
    ]);
    const main = systemView({
      deployment,
      ...(ready.failure && { problem: ready.failure.message }),
      caller,
      now: Date.now(),
    });
    return { title: "System", main };
  },
});
