import { expect, it } from "vitest";
import type { Servers } from "../e2e/setup.ts";

/** What any catalog makes of control characters in titles, some of which PostgreSQL refuses. */
export function describeControlCharacters({ git, server, add, context }: Servers): void {
  it("indexes pages whose titles and descriptions have NUL and other control characters, which become spaces", async () => {
    const escaped = String.raw`---
title: "Odd\0widgets\x07"
description: "Widgets\0for \e[31meverybody, in a sentence that says so."
---

## Make\u0001one

Make a widget with the factory, then paint the widget in any colour that you like.
`.replace(String.raw`\u0001`, "\u0001");
    const repository = await git.repository("acme/odd.git", { "README.md": escaped });
    await add(repository.url);
    expect(await server.settled("/acme/odd")).toMatchObject({
      state: "finalized",
      title: "Odd widgets",
      description: expect.stringMatching(/^Widgets for \[31meverybody/) as unknown,
    });
    const search = await server.call("GET", "/v2/libs/search?libraryName=odd&query=widgets");
    expect(search.body).toMatchObject({ results: [{ id: "/acme/odd", title: "Odd widgets" }] });
    const { body } = await context("/acme/odd", "make a widget");
    expect(body).toMatchObject({ infoSnippets: [{ breadcrumb: expect.stringContaining("Odd widgets") as unknown }] });
    // The escapes of JSON.
    expect(JSON.stringify(body).replaceAll("\\n", "")).not.toMatch(/\\u00[01]|\\b/);
  });
}
