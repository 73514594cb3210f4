import * as z from "zod";
import { may } from "../../../domain/authorizing.ts";
import { ownTeamspace } from "../../routes/teamspaces.ts";
import { oneOf } from "../../parameters.ts";
import type { Agents, List } from "../../answer-types.ts";
import { fieldsOf } from "../form-bodies.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import { servedAddress } from "../session.ts";
import { agentNames, agentTitle, connectView, waitingView, type Connecting } from "../views/connect.ts";
import { exampleQuestion } from "../views/examples.ts";
import { html } from "../html.ts";

const agent = oneOf(agentNames).default("claude");

/** Connecting an agent, and a question for it about `library`. */
export const connectPage: Described = page({
  path: "/-/connect",
  entry: "Connect",
  parameters: z.object({ agent, library: z.string().max(500).optional() }),
  show: async (visit) => showConnecting(visit, visit.parameters.agent, { library: visit.parameters.library }),
});

/** Makes a key that can only read, with the name of the agent. */
export const connectForm: Described = form({
  path: "/-/connect",
  scope: "admin",
  body: fieldsOf(z.object({ agent })),
  async submit(visit, { agent: chosen }) {
    const name = chosen === "other" ? "Agent" : agentTitle(chosen);
    const body = { name, scopes: ["read"], libraries: visit.caller.libraries };
    const reply = await visit.call<NonNullable<Connecting["made"]>>("POST", "/v2/keys", { body });
    if (reply.failure) return showConnecting(visit, chosen, { problem: reply.failure.message, status: reply.status });
    return showConnecting(visit, chosen, { made: reply.body });
  },
});

/** Whether an agent has connected, for htmx; without scripts as a page that is loaded again. */
export const waitingPage: Described = page({
  path: "/-/connect/waiting",
  scope: "read",
  isPolled: true,
  parameters: z.object({ key: z.string().max(100).optional() }),
  async show({ ask, isPart, parameters: { key } }) {
    const part = waitingView(await ask<Agents>("/v2/agents"), key, Date.now());
    return isPart
      ? { part }
      : {
          title: "Connect an agent",
          main: html`<h1>Connect an agent</h1>
            ${part}`,
        };
  },
});

async function showConnecting(
  visit: Visit,
  chosen: Connecting["agent"],
  {
    library,
    made,
    problem,
    status = 200,
  }: Pick<Connecting, "made" | "problem"> & { library?: string | undefined; status?: number },
): Promise<PageResult> {
  const { caller, ask, formToken } = visit;
  const isSignedIn = caller.keyId !== null;
  const subject = { teamspace: ownTeamspace(caller), libraries: caller.libraries };
  const [seen, list] = isSignedIn
    ? await Promise.all([ask<Agents>("/v2/agents"), ask<List>("/v2/libs", { limit: "50" })])
    : [];
  const example = exampleQuestion(list?.libraries ?? []);
  const main = connectView({
    url: `${servedAddress(visit.request, visit.dashboard)}/mcp`,
    agent: chosen,
    formToken,
    keys: !isSignedIn ? "none" : may(caller, "keys", subject) ? "make" : "own",
    made,
    problem,
    prompt: promptOf(library ?? example?.library, library === undefined ? example?.question : undefined),
    waiting: seen && waitingView(seen, made?.id, Date.now()),
  });
  return { title: "Connect an agent", main, status };
}

function promptOf(library: string | undefined, question = "How do I …?"): string {
  return library === undefined
    ? "Find a library with lectern, and ask it something."
    : `${question} Ask lectern, library ${library}.`;
}
