import { expect, it, onTestFinished } from "vitest";
import { startSite } from "../support/site.ts";
import { adminKey, describeDashboard, signIn } from "./harness.ts";

describeDashboard("a page of another origin", (dashboard) => {
  /** A site on another port of this host, to which browsers send the same cookies. */
  const openForeign = async (body: (server: string) => string) => {
    const { server, openSignedIn } = dashboard();
    const { page, context } = await openSignedIn();
    const site = await startSite({ "/": { headers: { "content-type": "text/html" }, body: body(server.url) } });
    onTestFinished(() => site.close());
    await page.goto(`${site.origin}/`);
    return { page, context, site };
  };

  it("cannot send a form", async () => {
    const { page } = await openForeign(
      (server) => `<form method="post" action="${server}/-/sign-out"><button>Win</button></form>`,
    );
    await page.getByRole("button", { name: "Win" }).click();
    await page.getByText("Web pages of this origin may not call this server.").waitFor();
    await page.goto(dashboard().server.url);
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
  });

  it("cannot sign a visitor in", async () => {
    const { open, server } = dashboard();
    const { page } = await open();
    await signIn(page, adminKey);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    const site = await startSite({
      "/": {
        headers: { "content-type": "text/html" },
        body: `<form method="post" action="${server.url}/-/sign-in"><input name="key" value="${adminKey}"><button>Win</button></form>`,
      },
    });
    onTestFinished(() => site.close());
    await page.goto(`${site.origin}/`);
    await page.getByRole("button", { name: "Win" }).click();
    await page.getByText("Web pages of this origin may not call this server.").waitFor();
    await page.goto(server.url);
    expect(await page.getByRole("banner").getByRole("link", { name: "Sign in" }).count()).toBe(1);
  });

  it("cannot read a page, frame it, or run it as a script", async () => {
    const { page } = await openForeign(
      (server) => `<title>Foreign</title><iframe src="${server}/"></iframe><script src="${server}/"></script>`,
    );
    const { url } = dashboard().server;
    const read = await page.evaluate(async (address) => {
      try {
        return await (await fetch(address, { credentials: "include", headers: { accept: "text/html" } })).text();
      } catch {
        return "nothing";
      }
    }, `${url}/`);
    expect(read).toBe("nothing");
    const [, frame] = page.frames();
    expect(
      (await frame
        ?.locator("body")
        .innerText()
        .catch(() => "")) ?? "",
    ).not.toContain("Libraries");
    expect(await page.title()).toBe("Foreign");
  });
});
