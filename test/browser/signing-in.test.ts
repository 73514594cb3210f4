import { expect, it } from "vitest";
import {
  adminKey,
  complaintsOf,
  describeDashboard,
  expectAccessible,
  weightOf,
  narrow,
  picture,
  signIn,
} from "./harness.ts";

describeDashboard("signing in", (dashboard) => {
  it("leads back to the requested page", async () => {
    const { page } = await dashboard().open();
    const complaints = complaintsOf(page);
    await page.goto("/acme/nothing?tab=pages");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/-/sign-in");
    await expectAccessible(page);
    await picture(page, "sign-in");
    await page.getByLabel("API key").fill(adminKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/acme/nothing?tab=pages");
    await picture(page, "not-found");
    expect(complaints).toEqual([]);
  });

  it("says why a key is refused", async () => {
    const { page } = await dashboard().open({ ...narrow, colorScheme: "dark" });
    await page.goto("/-/sign-in");
    await page.getByLabel("API key").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("This server did not make the API key").waitFor();
    await expectAccessible(page);
    await picture(page, "sign-in-refused-narrow-dark");
    expect(await page.getByRole("banner").getByRole("link", { name: "Sign in" }).count()).toBe(1);
  });

  it("works without script, and by keyboard alone", async () => {
    const { page } = await dashboard().open({ javaScriptEnabled: false });
    await page.goto("/-/sign-in");
    await page.keyboard.type(adminKey);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(await page.getByRole("banner").getByRole("link", { name: "Sign in" }).count()).toBe(1);
  });

  it("ends immediately when the key is revoked", async () => {
    const { server, open } = dashboard();
    const body = { name: "short", scopes: ["read"], teamspace: "default" };
    const { key, id } = (await server.call("POST", "/v2/keys", body)).body as { key: string; id: string };
    const { page, context } = await open();
    await signIn(page, key);
    await server.call("DELETE", `/v2/keys?id=${id}&teamspace=default`);
    await page.goto("/");
    await page.getByText("You were signed out. The API key was revoked.").waitFor();
    await page.goto("/");
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    expect((await context.cookies()).filter(({ name }) => name.includes("session"))).toHaveLength(1);
  });

  it("has small pages", async () => {
    const { page } = await dashboard().openSignedIn();
    expect(await weightOf(page, "/")).toBeLessThan(100_000);
    expect(await weightOf(page, "/-/sign-in")).toBeLessThan(100_000);
  });
});
