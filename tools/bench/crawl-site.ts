/** A generated documentation site on loopback, in its own process, which prints its port: `node tools/bench/crawl-site.ts PAGES`. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const count = Number(process.argv[2] ?? 2000);
const topics = ["connection", "request", "cache", "router", "schema", "worker", "queue", "stream", "session", "plugin"];
const pages = new Map<string, { readonly body: Buffer; readonly etag: string }>();
for (let number = 0; number < count; number += 1) {
  const html = pageOf(number);
  const etag = `"${createHash("sha256").update(html).digest("hex").slice(0, 20)}"`;
  pages.set(pathOf(number), { body: Buffer.from(html), etag });
}

const server = createServer((request, response) => {
  const page = pages.get(request.url ?? "");
  if (!page) return void response.writeHead(404).end();
  const { body, etag } = page;
  if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
  return void response.writeHead(200, { "content-type": "text/html; charset=utf-8", etag }).end(body);
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));

function pathOf(number: number): string {
  return number === 0 ? "/docs/" : `/docs/${topicOf(number)}/page-of-${word(number)}.html`;
}

/** A number in letters: addresses with numbers look like those of a calendar. */
function word(number: number): string {
  return Array.from(String(number), (digit) => "abcdefghij"[Number(digit)]).join("");
}

function topicOf(number: number): string {
  return topics[number % topics.length] ?? "";
}

/** A page of some 28 kB: navigation and eight sections of prose, four of them with code. */
function pageOf(number: number): string {
  const links = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((next) => (number * 10 + next) % count);
  const near = Array.from({ length: 60 }, (_, at) => (Math.floor(number / 60) * 60 + at) % count);
  const nav = [...new Set([...links, ...near])]
    .map(
      (to) =>
        `<li class="menu__list-item"><a class="menu__link" href="${pathOf(to)}">How to use ${topicOf(to)} ${word(to)}</a></li>`,
    )
    .join("");
  const sections = Array.from({ length: 8 }, (_, at) => section(number, at)).join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${word(number)} | Bench</title><meta name="generator" content="Docusaurus v3.5.2"></head><body><nav class="menu"><ul>${nav}</ul></nav><main><article><div class="theme-doc-markdown markdown"><h1>Use of ${topicOf(number)} ${word(number)}</h1>${sections}</div></article></main><footer>Made by a bench.</footer></body></html>`;
}

function section(number: number, at: number): string {
  const name = `${topicOf(number + at)} ${word(number)} ${word(at)}`;
  const prose = Array.from(
    { length: 5 },
    (_, line) =>
      `<p>The ${name} is opened with <code>open(${line})</code>, which returns a handle of ${topicOf(line)} that <strong>has to be closed</strong> again. Where it is not, ${topicOf(at + line)} stays in memory until the ${topicOf(number + line)} ends, and the next one waits for it, as <a href="${pathOf((number + at + line) % count)}">the other page</a> says.</p>`,
  ).join("");
  const lines = Array.from(
    { length: 10 },
    (_, line) =>
      `<span class="token-line"><span class="token keyword">const</span> value${line} = <span class="token function">open_${word(number)}_${at}</span>(${line}, &quot;${topicOf(line)}&quot;);</span><br>`,
  ).join("");
  const code =
    at % 2 === 0
      ? `<div class="language-ts codeBlockContainer"><pre class="prism-code language-ts"><code>${lines}</code></pre></div>`
      : "";
  return `<h2 id="s${at}">${name}<a class="hash-link" href="#s${at}">#</a></h2>${prose}${code}`;
}
