import { withQuery } from "../../request.ts";
import { html, nothing, type Html } from "../html.ts";
import type { ExampleQuestion } from "./examples.ts";

/** What is left to do on a new server. */
export interface FirstSteps {
  readonly mayAdd: boolean;
  /** A question that this server answers; absent: no library is ready. */
  readonly example: ExampleQuestion | undefined;
  readonly isConnected: boolean;
}

/** The three things to do on a new server: add a library, ask, connect an agent. */
export function firstStepsView({ mayAdd, example, isConnected }: FirstSteps): Html {
  const add = mayAdd
    ? html`<form class="stack" action="/-/add">
        <label for="address">Address, package or folder</label>
        <div class="row">
          <input
            id="address"
            name="address"
            required
            maxlength="4096"
            autocomplete="off"
            spellcheck="false"
            placeholder="https://github.com/owner/name"
          /><button class="button primary">Add</button>
        </div>
        <p class="hint">Or <a href="/-/add">upload a file, or the packages of a project</a>.</p>
      </form>`
    : html`<p class="muted">Sign in with a key that has the scope <code>submit</code>.</p>`;
  return html`<section class="stack" aria-labelledby="first-steps">
    <h1 id="first-steps">Three things to do</h1>
    <ol class="steps three">
      <li class="card">
        <h2>Add a library</h2>
        ${add}
      </li>
      <li class="card">
        <h2>Ask</h2>
        ${askView("Ask all libraries", example, false)}
      </li>
      <li class="card">
        <h2>Connect an agent</h2>
        ${connectStep(isConnected)}
      </li>
    </ol>
  </section>`;
}

/** The form that asks all libraries, with an example that this server answers. */
export function askView(label: string, example: ExampleQuestion | undefined, isLarge = true): Html {
  const question = example?.question ?? "";
  const hint =
    example === undefined || isLarge
      ? nothing
      : html`<p class="hint">
          For example:
          <a href="${withQuery("/-/answer", { query: question, library: example.library })}">${question}</a>
        </p>`;
  return html`<form class="${isLarge ? "ask card" : "stack"}" action="/-/answer" role="search">
    <label for="query">${label}</label>
    <div class="row">
      <input id="query" name="query" required maxlength="500" autocomplete="off" placeholder="${question}" /><button
        class="button primary"
      >
        Ask
      </button>
    </div>
    ${hint}
  </form>`;
}

/** The line that leads to connecting an agent, while none has connected. */
export function connectLine(): Html {
  return html`<p class="card row between">
    <span>No agent has asked yet.</span><a class="button" href="/-/connect">Connect an agent</a>
  </p>`;
}

function connectStep(isConnected: boolean): Html {
  if (isConnected) return html`<p class="notice good">An agent is connected.</p>`;
  return html`<p>Claude Code, Cursor, VS Code or another agent then looks things up here by itself.</p>
    <p><a class="button primary" href="/-/connect">Connect an agent</a></p>`;
}
