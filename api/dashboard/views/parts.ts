import { html, nothing, type Html, type Part } from "../html.ts";
import { external } from "./addresses.ts";

/** The tone of a badge: success, in progress, warning, failure. */
export type Tone = "good" | "busy" | "warn" | "bad" | "plain";

/** A badge with a state. */
export function badge(tone: Tone, label: Part): Html {
  return html`<span class="badge ${tone}">${label}</span>`;
}

/** A notice: a success, or an error. */
export function notice(tone: Tone, content: Part): Html {
  const role = tone === "bad" ? "alert" : "status";
  return html`<div class="notice ${tone}" role="${role}">${content}</div>`;
}

/** The placeholder of an empty list. */
export function empty(title: string, hint: Part = nothing): Html {
  return html`<div class="empty">
    <p class="empty-title">${title}</p>
    <p>${hint}</p>
  </div>`;
}

/** The hidden fields of a form: the CSRF token, required in every form, and others by name. */
export function hiddenFields(
  formToken: string,
  ...others: readonly (readonly [name: string, value: string])[]
): readonly Html[] {
  const all = [["formToken", formToken] as const, ...others];
  return all.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
}

/** Content with a button that copies its text; scripts show the button. `what` names it: "the ID". */
export function copied(content: Html, what: string): Html {
  return html`${content}<button type="button" class="button copy" data-copy>
      Copy<span class="hidden"> ${what}</span>
    </button>`;
}

/** A block of text to copy. */
export function block(text: string, label: string): Html {
  return html`<div class="block">
    ${copied(html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>`, label.toLowerCase())}
  </div>`;
}

/** The attribute of a link to the current page or choice. */
export function currentPage(isCurrent: boolean, kind: "page" | "true" = "page"): Html {
  return isCurrent ? html` aria-current="${kind}"` : nothing;
}

/** A link to a web page; text for other addresses. */
export function link(address: string, label: Part = address): Html {
  const target = external(address);
  if (target === undefined) return html`<bdi>${label}</bdi>`;
  return html`<a class="external" href="${target}" rel="noopener noreferrer nofollow" target="_blank"
    ><bdi>${label}</bdi></a
  >`;
}

/** A number for people: 12,345. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** A number and what it counts: "1 page", "2 pages". */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// Creating a format takes longer than using it a hundred times.
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A large number, shortened: 950, 12.3K, 4.1M. */
export function short(number: number): string {
  return compact.format(number);
}

/** A size in bytes for people, in powers of 1000. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

const steps = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [30, "d"],
  [12, "mo"],
  [Infinity, "y"],
] as const;

/** The age of a time, with the full time as its title; `none` for null. */
export function age(time: string | null, now: number, none = "never"): Html {
  if (time === null) return html`<span class="muted">${none}</span>`;
  const ahead = Date.parse(time) > now + 1000;
  let left = Math.abs(now - Date.parse(time)) / 1000;
  let shown = "";
  for (const [most, unit] of steps) {
    shown = `${Math.floor(left)} ${unit}`;
    if (left < most) break;
    left /= most;
  }
  const text = ahead ? `in ${shown}` : `${shown} ago`;
  return html`<time datetime="${time}" title="${moment(time)}">${text}</time>`;
}

/** A time in full, in UTC. */
export function moment(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

/** A list of names and values, without empty ones. Numbers are formatted. */
export function facts(pairs: readonly (readonly [name: string, value: Part])[]): Html {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${formatted(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A table with formatted numbers. On narrow screens each row is a card with labelled cells. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly Part[])[]): Html {
  const head = heads.map((name) => html`<th scope="col">${name}</th>`);
  const body = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell, place) => html`<td data-head="${heads[place]}">${formatted(cell)}</td>`)}
      </tr>`,
  );
  return html`<div class="table">
    <table>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

function formatted(value: Part): Part {
  return typeof value === "number" ? count(value) : value;
}

/** A link to the next page of a list, if there is one. */
export function more(path: string | null, label = "More"): Html {
  return path === null
    ? nothing
    : html`<nav class="more" aria-label="Pages of the list"><a class="button" href="${path}">${label}</a></nav>`;
}
