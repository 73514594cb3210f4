import { agents, ruleText, type Agent, type Reach } from "../../../domain/agents.ts";
import { snippetOf } from "../../agent-snippets.ts";
import type { Agents } from "../../answer-types.ts";
import { withQuery } from "../../request.ts";
import { html, nothing, type Html } from "../html.ts";
import { age, block, copied, hiddenFields, notice } from "./parts.ts";

/** Names of the choices: the supported agents, and any other. */
export const agentNames = [...(Object.keys(agents) as (keyof typeof agents)[]), "other"] as const;
export type AgentName = (typeof agentNames)[number];

/** The name of an agent for people. */
export function agentTitle(name: AgentName): string {
  return name === "other" ? "Any MCP client" : agents[name].title;
}

/** State of the page that connects agents. */
export interface Connecting {
  /** Address of the tools. */
  readonly url: string;
  readonly agent: AgentName;
  readonly formToken: string;
  /** `make`: the visitor can make keys; `own`: it has a key; `none`: it asks without one. */
  readonly keys: "make" | "own" | "none";
  /** The key that was made. */
  readonly made?: { readonly id: string; readonly key: string; readonly name: string } | undefined;
  readonly problem?: string | undefined;
  /** What to ask the agent. */
  readonly prompt: string;
  /** The state of the connection; absent: the visitor may not see it. */
  readonly waiting?: Html | undefined;
}

/** In place of a key that the page does not have. */
const placeholder = "YOUR_KEY";

/** The page that connects agents: a choice of the agent, and three steps. */
export function connectView(connecting: Connecting): Html {
  const { agent, made, keys, prompt, waiting, problem } = connecting;
  const key = made ? { text: made.key } : keys === "none" ? null : { text: placeholder };
  const reach = { url: connecting.url, key };
  return html`<div class="head">
      <h1>Connect an agent</h1>
      <p class="muted">Your agent then looks up documentation on this server by itself, over MCP.</p>
    </div>
    ${problem === undefined ? nothing : notice("bad", problem)}
    <form class="connect stack" method="post" action="/-/connect">
      ${keys === "make" ? hiddenFields(connecting.formToken) : nothing}
      <fieldset class="agents">
        <legend class="hidden">Your agent</legend>
        ${agentNames.map(
          (name) =>
            html`<label class="chip"
              ><input type="radio" name="agent" id="agent-${name}" value="${name}" ${name === agent ? "checked" : ""} />
              ${agentTitle(name)}</label
            >`,
        )}
      </fieldset>
      <ol class="steps">
        <li class="card">
          <h2>A key</h2>
          ${keyView(connecting)}
        </li>
        <li class="card">
          <h2>Its configuration</h2>
          ${agentNames.map((name) => html`<div id="with-${name}" class="stack">${howTo(name, reach)}</div>`)}
        </li>
        <li class="card">
          <h2>A first question</h2>
          ${block(prompt, "Question for the agent")} ${waiting ?? nothing}
        </li>
      </ol>
    </form>`;
}

function keyView({ keys, made }: Connecting): Html {
  if (made !== undefined)
    return html`<div class="stack" role="status">
      <p>
        <strong>The key <bdi>${made.name}</bdi> was made.</strong> It can only read, and is in the text below. Copy it
        now: it is not shown again.
      </p>
      ${block(made.key, "The new key")}
    </div>`;
  if (keys === "none") return html`<p>Public libraries need no key on this server.</p>`;
  if (keys === "own")
    return html`<p>
      Put your key in place of <code>${placeholder}</code> below. Ask an administrator for one that can only read.
    </p>`;
  return html`<p class="actions">
    <button class="button primary">Make a key</button
    ><span class="hint">It can only read. You can revoke it under <a href="/-/admin/keys">Keys</a>.</span>
  </p>`;
}

function howTo(name: AgentName, reach: Reach & { readonly url: string }): Html {
  if (name === "other") {
    const header = reach.key !== null && typeof reach.key === "object" ? `Authorization: Bearer ${reach.key.text}` : "";
    return html`<p>Add a server of the type <em>Streamable HTTP</em>. Its address:</p>
      ${block(reach.url, "Address")}
      ${
        header === ""
          ? nothing
          : html`<p>Its header:</p>
              ${block(header, "Header")}`
      }`;
  }
  const { file, opens, rule, next, ...agent }: Agent = agents[name];
  return html`<p>Add this to <code>${file[0]}</code>${opens === undefined ? nothing : ` (${opens})`}:</p>
    ${block(snippetOf({ ...agent }, reach), "Configuration")}
    <p>${next}</p>
    <details>
      <summary>So that it asks without being told</summary>
      <p>Add this rule to <code>${rule[0]}</code>, or to <code>${rule[1]}</code> in a project:</p>
      ${block(`${agent.ruleHead ?? ""}${ruleText}`, "Rule")}
    </details>`;
}

/** Whether an agent has connected: with a key, else any one. Asks again every two seconds until one has. */
export function waitingView({ agents: seen }: Agents, key: string | undefined, now: number): Html {
  const found = key === undefined ? seen[0] : seen.find(({ keyId }) => keyId === key);
  const path = withQuery("/-/connect/waiting", { key });
  if (found)
    return html`<p id="waiting" class="notice good" role="status">
      <strong>Connected:</strong> <bdi>${found.client}</bdi>, ${age(found.askedAt, now)}.
    </p>`;
  return html`<p
    id="waiting"
    class="notice busy"
    role="status"
    hx-get="${path}"
    hx-trigger="every 2s"
    hx-swap="outerHTML"
  >
    Waiting for the first question… <a class="unscripted" href="${path}">Check again</a>
  </p>`;
}

/** The ID of a library to copy, and a link to this page if agents can ask it. */
export function useView(id: string, isReady: boolean): Html {
  const use = html`<a href="${withQuery("/-/connect", { library: id })}">Use it in your agent</a>`;
  return html`<span class="inline">${copied(html`<code>${id}</code>`, "the ID")}${isReady ? use : nothing}</span>`;
}
