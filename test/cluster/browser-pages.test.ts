import { describe, expect, inject, it } from "vitest";
import { freePort } from "../../tools/dev/program.ts";
import { browserFor, render, siteWith } from "./support/browser.ts";

/** What stands in the body. */
const bodyOf = (html: string): string => /<body[^>]*>(.*)<\/body>/s.exec(html)?.[1] ?? "";

describe.skipIf(inject("chromium") === null)("a page in Chromium", () => {
  it("is read when its scripts have made it, with status, address and X-Robots-Tag", async () => {
    const site = await siteWith({
      "/": {
        status: 203,
        headers: { "content-type": "text/html", "x-robots-tag": "noindex" },
        body: `<div id="root"></div><style>p {}</style><noscript>No</noscript><!-- no --><script>
          setTimeout(async () => (root.innerHTML = await (await fetch("/api")).text()), 300);</script>`,
      },
      "/api": (response) => void setTimeout(() => response.end('<p title="&quot;">Made &amp; <b>late</b></p>'), 700),
    });
    const page = await render(browserFor([site.host]), `${site.origin}/`);
    expect(bodyOf(page.html)).toBe('<div id="root"><p title="&quot;">Made &amp; <b>late</b></p></div>');
    expect(page).toMatchObject({ status: 203, xRobotsTag: "noindex" });
    expect(page.url.href).toBe(`${site.origin}/`);
    expect(site.requests[0]?.headers["user-agent"]).toMatch(/Chrome\/\d+\.0\.0\.0 .*Lectern\/test \(\+https/);
    expect(site.requests.map(({ path }) => path)).toEqual(["/", "/api"]);
  });

  it("has what stands in shadow roots and frames of its origin in place", async () => {
    const site = await siteWith({
      "/": `<x-box>light<b slot="b">named</b></x-box><iframe src="/inner/frame.html"></iframe>
        <iframe src="http://localhost:1/"></iframe><script>
        customElements.define("x-box", class extends HTMLElement { connectedCallback() {
          this.attachShadow({ mode: "open" }).innerHTML = "<i>shadow</i><slot name=b></slot><slot></slot><slot name=c>else</slot>";
        } });</script>`,
      "/inner/frame.html": `<p>Framed <a href="next.html">link</a></p><script>document.body.append("by script")</script>`,
    });
    const { html } = await render(browserFor([site.host]), `${site.origin}/`);
    expect(bodyOf(html).replaceAll(/\s+/g, " ")).toBe(
      '<x-box><i>shadow</i><slot name="b"><b slot="b">named</b></slot><slot>light</slot><slot name="c">else</slot></x-box>' +
        `<div><p>Framed <a href="${site.origin}/inner/next.html">link</a></p>by script</div> `,
    );
  });

  it("keeps code to the byte, whatever the page has done to its own world", async () => {
    const code = "\n\n  if (a < b && c > d) {\n\t\u00a0é 𝒳\n  }\n";
    const site = await siteWith({
      "/": `<pre></pre><textarea></textarea><script>
        for (const area of ["pre", "textarea"]) document.querySelector(area).append(${JSON.stringify(code)});
        Array.prototype.push = String.prototype.replace = Array.prototype.join = () => "stolen";
        Object.defineProperty(Node.prototype, "childNodes", { get: () => [] });
        Object.defineProperty(document, "documentElement", { get: () => null });</script>`,
    });
    const { html } = await render(browserFor([site.host]), `${site.origin}/`);
    const escaped = code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    expect(bodyOf(html)).toBe(`<pre>\n${escaped}</pre><textarea>\n${escaped}</textarea>`);
  });

  it("is where redirects of servers and scripts lead, with the status of that", async () => {
    const site = await siteWith({
      "/": { status: 302, headers: { location: "/one" } },
      "/one": `<script>location = "/two"</script>One`,
      "/two": `<meta http-equiv="refresh" content="0;url=/three">Two`,
      "/three": `Three<script>history.pushState(0, "", "/three/deep#part")</script>`,
    });
    const page = await render(browserFor([site.host]), `${site.origin}/`);
    expect([page.url.href, page.status, bodyOf(page.html)]).toEqual([`${site.origin}/three/deep#part`, 200, "Three"]);
    expect(await render(browserFor([site.host]), `${site.origin}/gone`)).toMatchObject({ status: 404 });
  });

  it("is not held up by dialogs, by what it opens, nor by what never comes", async () => {
    const site = await siteWith({
      "/": `<script>alert(1); confirm(2); prompt(3); print(); window.open("/popup");
        addEventListener("beforeunload", (event) => event.preventDefault());
        fetch("/never"); setInterval(() => (document.body.dataset.tick = Date.now()), 10);</script><p>Content</p>`,
      "/never": () => undefined,
    });
    const { html } = await render(browserFor([site.host]), `${site.origin}/`);
    expect(bodyOf(html)).toContain("<p>Content</p>");
    expect(site.requests.map(({ path }) => path)).not.toContain("/popup");
  });

  it("is read with what workers, modules and styles make of it", async () => {
    const site = await siteWith({
      "/": `<link rel="stylesheet" href="/style.css"><script type="module">
        import { text } from "/module.js"; document.body.append(text);
        const worker = new Worker("/worker.js"); worker.onmessage = ({ data }) => document.body.append(data);</script>`,
      "/module.js": { headers: { "content-type": "text/javascript" }, body: `export const text = "module ";` },
      "/worker.js": {
        headers: { "content-type": "text/javascript" },
        body: `fetch("/data").then((answer) => answer.text()).then(postMessage);`,
      },
      "/data": "worker",
      "/style.css": { headers: { "content-type": "text/css" }, body: "p {}" },
    });
    const { html } = await render(browserFor([site.host]), `${site.origin}/`);
    expect(bodyOf(html)).toBe("module worker");
    expect(site.requests.map(({ path }) => path)).toContain("/style.css");
  });

  it("loads no images, media or fonts", async () => {
    const site = await siteWith({
      "/": `<style>@font-face { font-family: f; src: url(/font) } p { font-family: f; background: url(/background) }</style>
        <p>Text</p><img src="/image"><video src="/video" autoplay></video><script>new Image().src = "/made"</script>`,
    });
    await render(browserFor([site.host]), `${site.origin}/`);
    expect(site.requests.map(({ path }) => path)).toEqual(["/"]);
  });

  it("sends headers to its own origin only, at each hop", async () => {
    const token = { authorization: "Bearer t0ken" };
    const other = await siteWith({ "/landed": "Landed", "/data": { headers: { "access-control-allow-origin": "*" } } });
    const site = await siteWith({
      "/": { status: 301, headers: { location: "/page" } },
      "/page": `<script>fetch("/own"); fetch("/moved").catch(() => {}); fetch("${other.origin}/data")</script>Page`,
      "/own": "own",
      "/moved": { status: 307, headers: { location: `${other.origin}/landed`, "access-control-allow-origin": "*" } },
      "/away": { status: 302, headers: { location: `${other.origin}/landed` } },
    });
    const browser = browserFor([site.host, other.host]);
    await render(browser, `${site.origin}/`, token);
    await render(browser, `${site.origin}/away`, token);
    expect(site.requests.map(({ path, headers }) => `${path} ${headers.authorization}`).toSorted()).toEqual(
      ["/", "/away", "/moved", "/own", "/page"].map((path) => `${path} ${token.authorization}`),
    );
    expect(other.requests.map(({ path }) => path).toSorted()).toEqual(["/data", "/landed", "/landed"]);
    for (const { headers } of other.requests) expect(headers.authorization).toBeUndefined();
    await render(browser, `${site.origin}/page`);
    expect(site.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it("fails with a sentence that says why", async () => {
    const site = await siteWith({
      "/large": `<p>${"x".repeat(6_000_000)}</p>`,
      "/zip": { headers: { "content-type": "application/zip" }, body: "PK" },
      "/attachment": { headers: { "content-disposition": "attachment" }, body: "text" },
      "/json": { headers: { "content-type": "application/json" }, body: "{}" },
      "/nothing": { status: 204 },
      "/loop": { status: 302, headers: { location: "/loop" } },
      "/reload": "<script>location.reload()</script>",
      "/blob": `<script>location = URL.createObjectURL(new Blob(["x"], { type: "text/html" }))</script>`,
      "/cut": (response) => {
        response.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
        response.write("<p>Half of it</p>", () => setTimeout(() => response.destroy(), 100));
      },
      "/broken": (response) => void response.destroy(),
    });
    const away = `127.0.0.1:${await freePort()}`;
    const browser = browserFor([site.host, away]);
    const failureAt = async (url: string): Promise<unknown> =>
      render(browser, url).then(
        () => "no failure",
        ({ code, message }) => [code, message],
      );
    expect(await failureAt(`${site.origin}/large`)).toEqual(["library_too_large", expect.stringMatching(/too large/)]);
    for (const path of ["/zip", "/attachment", "/nothing"])
      expect(await failureAt(site.origin + path)).toEqual([
        "source_invalid",
        expect.stringMatching(/in place of a page/),
      ]);
    expect(await failureAt(`${site.origin}/json`)).toEqual([
      "source_invalid",
      expect.stringMatching(/application.json/),
    ]);
    expect(await failureAt(`${site.origin}/loop`)).toEqual(["source_invalid", expect.stringMatching(/endlessly/)]);
    expect(await failureAt(`${site.origin}/reload`)).toEqual(["source_invalid", expect.stringMatching(/endlessly/)]);
    expect(await failureAt(`${site.origin}/blob`)).toEqual(["source_invalid", expect.stringMatching(/blob:/)]);
    expect(await failureAt(`${site.origin}/cut`)).toEqual([
      "source_unreachable",
      expect.stringMatching(/out of reach/),
    ]);
    expect(await failureAt(`${site.origin}/broken`)).toEqual([
      "source_unreachable",
      expect.stringMatching(/closed the connection/),
    ]);
    expect(await failureAt(`http://${away}/`)).toEqual(["source_unreachable", expect.stringMatching(/refuses/)]);
  });
});
