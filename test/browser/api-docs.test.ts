import { expect, it } from "vitest";
import { complaintsOf, describeDashboard, expectAccessible, expectNarrow, narrow, picture } from "./harness.ts";

describeDashboard("the description of the API", (dashboard) => {
  it("is shown, requests nothing from other origins, and violates no content security policy", async () => {
    const { page } = await dashboard().openSignedIn();
    const complaints = complaintsOf(page);
    const requestedUrls: string[] = [];
    page.on("request", (request) => requestedUrls.push(request.url()));
    await page.goto("/");
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.getByText("/v2/context/explain").first().waitFor();
    await page.getByText("/v2/context", { exact: true }).first().click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await expectAccessible(page);
    await picture(page, "api-docs");
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.locator(".opblock").getByText("List the API keys of the teamspace").waitFor();
    expect(await page.getByText("/v2/context", { exact: true }).count()).toBe(0);
    expect(
      requestedUrls.filter((url) => new URL(url).origin !== dashboard().server.url && !url.startsWith("data:")),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("works in dark mode on a narrow screen, and links to openapi.json without script", async () => {
    const { page } = await dashboard().openSignedIn({ ...narrow, colorScheme: "dark" });
    await page.goto("/api/docs");
    await page.getByText("/v2/context", { exact: true }).first().waitFor();
    expect(await page.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(true);
    await expectAccessible(page);
    await expectNarrow(page);
    await picture(page, "api-docs-narrow-dark");
    const { page: plain } = await dashboard().openSignedIn({ javaScriptEnabled: false });
    await plain.goto("/api/docs");
    await plain
      .getByRole("row", { name: /GET \/v2\/context\b/ })
      .first()
      .waitFor();
    await plain.getByRole("link", { name: "openapi.json" }).waitFor();
  });

  it("is served to browsers only", async () => {
    const answer = await fetch(`${dashboard().server.url}/api/docs`);
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, "route_not_found"]);
  });
});
