import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { listen } from "../sources/fetch/setup.ts";
import { folderOfTest } from "../support/of-test.ts";
import { browserFor, openCanary, render, siteWith } from "./support/browser.ts";

/** Every way in which a page can reach out, each to a place of its own at the same port. */
const waysOut = (port: number): Readonly<Record<string, string>> => {
  const at = (name: string, scheme = "http"): string => `${scheme}://127.0.0.1:${port}/${name}`;
  const script = (code: string): string => `<script>try { ${code} } catch {}</script>`;
  const notations = [
    "localhost",
    "127.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "a.localhost",
  ];
  return {
    image: `<img src="${at("image")}">`,
    style: `<link rel="stylesheet" href="${at("style")}"><p style="background: url(${at("background")})">x</p>`,
    hints: ["preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "prerender", "icon", "manifest"]
      .map((rel) => `<link rel="${rel}" as="script" href="${at(rel)}">`)
      .join(""),
    speculation: `<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["${at("speculation")}"]}],
      "prerender": [{"source": "list", "urls": ["${at("prerender")}"]}]}</script>`,
    script: `<script src="${at("script")}"></script>`,
    frames: `<iframe src="${at("frame")}"></iframe><iframe srcdoc='<img src="${at("srcdoc")}"><script src="${at("inner")}"></script>'></iframe>
      <object data="${at("object")}"></object><embed src="${at("embed")}">`,
    media: `<video src="${at("video")}" autoplay poster="${at("poster")}"></video><audio src="${at("audio")}" autoplay></audio>`,
    fetch: script(
      `fetch("${at("fetch")}", { mode: "no-cors" }); fetch("${at("keep")}", { keepalive: true, method: "POST" })`,
    ),
    xhr: script(`const x = new XMLHttpRequest(); x.open("POST", "${at("xhr")}"); x.send("x")`),
    beacon: script(`navigator.sendBeacon("${at("beacon")}", "x")`),
    events: script(`new EventSource("${at("events")}")`),
    socket: script(`new WebSocket("${at("socket", "ws")}"); new WebSocket("${at("socket", "wss")}")`),
    transport: script(`new WebTransport("${at("transport", "https")}")`),
    rtc: script(`const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" },
      { urls: ["turn:127.0.0.1:${port}?transport=udp", "turn:127.0.0.1:${port}?transport=tcp"], username: "u", credential: "c" }] });
      c.createDataChannel("x"); c.createOffer().then((offer) => c.setLocalDescription(offer))`),
    worker:
      script(`new Worker(URL.createObjectURL(new Blob(['fetch("${at("worker")}", { mode: "no-cors" }); importScripts("${at("import")}")'])));
      new SharedWorker(URL.createObjectURL(new Blob(['fetch("${at("shared")}", { mode: "no-cors" })'])))`),
    service: script(`ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, "/service.js")`),
    popup: script(
      `open("${at("popup")}"); const a = document.createElement("a"); a.href = "${at("link")}"; a.target = "_blank"; a.ping = "${at("ping")}"; a.click()`,
    ),
    form: `<form id="f" target="_blank" action="${at("form")}" method="post"></form><script>f.submit()</script>`,
    redirect: script(`fetch("/redirect", { mode: "no-cors" })`),
    notations: script(
      notations.map((host) => `fetch("http://${host}:${port}/notation", { mode: "no-cors" })`).join(";"),
    ),
    names: script(
      `fetch("http://private.test:${port}/", { mode: "no-cors" }); fetch("http://rebinding.test:${port}/", { mode: "no-cors" })`,
    ),
    files: `<iframe src="file:///etc/passwd"></iframe><script>fetch("file:///etc/passwd")</script>`,
  };
};

/** Ways in which a page goes elsewhere as a whole. */
const leaving = (port: number): Readonly<Record<string, string>> => ({
  location: `Text<script>location = "http://127.0.0.1:${port}/location"</script>`,
  later: `Text<script>setTimeout(() => location.replace("http://127.0.0.1:${port}/later"), 200)</script>`,
  refresh: `<meta http-equiv="refresh" content="0;url=http://127.0.0.1:${port}/refresh">Text`,
  form: `<form id="f" action="http://127.0.0.1:${port}/form"></form><script>f.submit()</script>`,
});

describe.skipIf(inject("chromium") === null)("the way out of Chromium", () => {
  const toHtml = (body: string) => ({ headers: { "content-type": "text/html" }, body });

  it("lets nothing of a page reach a private address", async () => {
    const canary = await openCanary();
    const ways = waysOut(canary.port);
    const site = await siteWith({
      ...Object.fromEntries(
        Object.entries(ways).map(([name, body]) => [`/${name}`, toHtml(`<p>${name} is here</p>${body}`)]),
      ),
      "/redirect": { status: 302, headers: { location: `http://127.0.0.1:${canary.port}/redirected` } },
      "/service.js": {
        headers: { "content-type": "text/javascript" },
        body: `fetch("http://127.0.0.1:${canary.port}/service", { mode: "no-cors" })`,
      },
    });
    let asked = 0;
    const lookup = async (name: string) => {
      if (name === "rebinding.test") asked += 1;
      return [{ address: name === "rebinding.test" && asked === 1 ? "93.184.216.34" : "127.0.0.1", family: 4 }];
    };
    const browser = browserFor([site.host], { lookup });
    for (const name of Object.keys(ways)) {
      if (name === "redirect") continue;
      const { html } = await render(browser, `${site.origin}/${name}`);
      expect(html, name).toContain(`${name} is here`);
      expect(canary.arrivals, name).toEqual([]);
    }
    // What is under way when a page has been read.
    await sleep(1000);
    expect(canary.arrivals).toEqual([]);
  });

  it("lets through what is allowed, by the same ways", async () => {
    const canary = await openCanary();
    const ways = waysOut(canary.port);
    const names = ["script", "fetch", "xhr", "events", "worker", "socket"];
    const site = await siteWith(Object.fromEntries(names.map((name) => [`/${name}`, toHtml(`${ways[name]}`)])));
    const browser = browserFor([site.host, `127.0.0.1:${canary.port}`]);
    for (const name of names) await render(browser, `${site.origin}/${name}`);
    const lines = canary.arrivals.filter((line) => line.includes(" "));
    for (const path of ["script", "fetch", "xhr", "events", "worker", "socket"])
      expect(lines.filter((line) => line.includes(`/${path} `)).length, path).toBeGreaterThan(0);
  });

  it("fails a page that goes to a private address, with the reason", async () => {
    const canary = await openCanary();
    const pages = leaving(canary.port);
    const site = await siteWith({
      ...Object.fromEntries(Object.entries(pages).map(([name, body]) => [`/${name}`, toHtml(body)])),
      "/redirect": { status: 302, headers: { location: `http://127.0.0.1:${canary.port}/redirected` } },
    });
    const browser = browserFor([site.host]);
    for (const name of [...Object.keys(pages), "redirect"])
      await expect(render(browser, `${site.origin}/${name}`), name).rejects.toMatchObject({
        code: "address_not_allowed",
        message: expect.stringContaining("FETCH_ALLOW") as string,
      });
    for (const url of [
      `http://127.0.0.1:${canary.port}/`,
      "http://169.254.169.254/",
      "http://[::1]/",
      "file:///etc/passwd",
    ])
      await expect(render(browser, url), url).rejects.toMatchObject({
        code: url.startsWith("file:") ? "validation_error" : "address_not_allowed",
      });
    expect(canary.arrivals).toEqual([]);
  });

  it("gives pages no peer connections, in frames neither", async () => {
    const site = await siteWith({
      "/": toHtml(`<body><script>const frame = document.body.appendChild(document.createElement("iframe"));
        document.body.append([typeof RTCPeerConnection, typeof frame.contentWindow.RTCPeerConnection].join(" "))</script>`),
    });
    expect((await render(browserFor([site.host]), `${site.origin}/`)).html).toContain("undefined undefined");
  });

  it("resolves no names but through the guard, and connects to what was checked", async () => {
    const site = await siteWith({ "/": "Resolved" });
    const port = new URL(site.origin).port;
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const page = await render(browserFor(["docs.test"], { lookup }), `http://docs.test:${port}/`);
    expect([page.html.includes("Resolved"), new Set(asked)]).toEqual([true, new Set(["docs.test"])]);
  });

  it("sends headers that may be a credential over https, or to hosts that are allowed", async () => {
    await expect(
      render(browserFor([]), "http://93.184.216.34/", { authorization: "Bearer t0ken" }),
    ).rejects.toMatchObject({ code: "address_not_allowed" });
  });

  it("trusts a private authority that is named, and no other", async () => {
    const folder = await folderOfTest();
    const openssl = (...args: string[]): void => void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
    const key = (name: string, subject: string): string[] =>
      `-newkey rsa:2048 -nodes -keyout ${name}.key -subj /CN=${subject}`.split(" ");
    openssl("req", "-x509", ...key("ca", "Authority"), "-out", "ca.pem", "-days", "2");
    openssl("req", "-x509", ...key("other", "Other"), "-out", "other.pem", "-days", "2");
    openssl("req", ...key("site", "docs.test"), "-out", "site.csr");
    await writeFile(join(folder, "names"), "subjectAltName=DNS:docs.test");
    openssl(
      ..."x509 -req -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out site.pem -days 2 -extfile names".split(
        " ",
      ),
    );
    const read = (name: string): Promise<string> => readFile(join(folder, name), "utf8");
    const server = createServer({ key: await read("site.key"), cert: await read("site.pem") }, (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("Private");
    });
    const host = await listen(server);
    onTestFinished(() => void server.close());
    const url = `https://docs.test:${host.split(":")[1]}/`;
    const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
    await expect(render(browserFor(["docs.test"], { lookup }), url)).rejects.toMatchObject({
      code: "source_invalid",
      message: expect.stringContaining("NODE_EXTRA_CA_CERTS") as string,
    });
    await writeFile(join(folder, "both.pem"), (await read("other.pem")) + (await read("ca.pem")));
    const trusting = browserFor(["docs.test"], { lookup, authorities: join(folder, "both.pem") });
    expect((await render(trusting, url)).html).toContain("Private");
    const mistrusting = browserFor(["docs.test"], { lookup, authorities: join(folder, "other.pem") });
    await expect(render(mistrusting, url)).rejects.toMatchObject({ code: "source_invalid" });
  });
});
