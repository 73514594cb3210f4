import { expect, it } from "vitest";
import type { ApiAnswer } from "../../api/answers.ts";
import { setup } from "./setup.ts";

const url = "https://chat.example.com/lectern";

const errorOf = ({ body }: ApiAnswer): unknown => (body as { readonly error?: string }).error;

/** An app with administrators of two teamspaces, by key. */
async function teams() {
  const app = await setup();
  const keys: Record<string, string> = {};
  for (const id of ["web", "mobile"]) {
    await app.send("POST", "/v2/teamspaces", { body: { id } });
    const made = await app.send("POST", "/v2/keys", { body: { name: id, scopes: ["admin"], teamspace: id } });
    keys[id] = (made.body as { key: string }).key;
  }
  return { ...app, keys };
}

it("adds receivers of a teamspace, whose secret is shown once and stored encrypted", async () => {
  const { send, catalog } = await setup();
  const made = (await send("POST", "/v2/receivers", { body: { url, events: ["library.failed"] } })).body as {
    readonly id: string;
    readonly secret: string;
  };
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { body } = await send("GET", "/v2/receivers");
  expect(body).toMatchObject({
    receivers: [{ id: made.id, url, events: ["library.failed"], waiting: 0, result: null }],
  });
  expect(JSON.stringify(body)).not.toContain(made.secret);
  expect((await catalog.receivers.get(made.id))?.sealed).not.toContain(made.secret);
  const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
  expect((await send("POST", "/v2/receivers", { body: { url, secret } })).body).toMatchObject({ secret });
});

it("refuses addresses and secrets that cannot be right, and more receivers than a teamspace may have", async () => {
  const { send } = await setup();
  const refusal = async (body: object) => errorOf(await send("POST", "/v2/receivers", { body }));
  expect(await refusal({ url: "chat" })).toBe("validation_error");
  expect(await refusal({ url: "https://10.0.0.1/" })).toBe("address_not_allowed");
  expect(await refusal({ url: "http://chat.example.com/" })).toBe("address_not_allowed");
  expect(await refusal({ url, events: ["library.renamed"] })).toBe("validation_error");
  expect(await refusal({ url, secret: "whsec_c2hvcnQ=" })).toBe("validation_error");
  expect(await refusal({ url, teamspace: "none" })).toBe("validation_error");
  for (let count = 0; count < 20; count += 1) await send("POST", "/v2/receivers", { body: { url } });
  expect(await refusal({ url })).toBe("validation_error");
});

it("hides receivers of other teamspaces", async () => {
  const { send, keys } = await teams();
  const made = await send("POST", "/v2/receivers", { body: { url }, key: keys["web"] ?? "" });
  const { id } = made.body as { readonly id: string };
  const asMobile = async (method: string, path: string) =>
    errorOf(await send(method, path, { key: keys["mobile"] ?? "" }));
  expect(await asMobile("DELETE", `/v2/receivers/${id}`)).toBe("receiver_not_found");
  expect(await asMobile("POST", `/v2/receivers/${id}/test`)).toBe("receiver_not_found");
  expect(await asMobile("GET", "/v2/receivers?teamspace=web")).toBe("forbidden");
  expect((await send("GET", "/v2/receivers", { key: keys["mobile"] ?? "" })).body).toEqual({ receivers: [] });
  expect((await send("GET", "/v2/receivers", { key: keys["web"] ?? "" })).body).toMatchObject({ receivers: [{ id }] });
});

it("enables a receiver again that accepts a test", async () => {
  const { send, catalog, clock } = await setup();
  for (const address of [url, "https://chat.example.com/gone"]) {
    const { id } = (await send("POST", "/v2/receivers", { body: { url: address } })).body as { readonly id: string };
    await catalog.receivers.failed(id, "x", { result: "No.", dueAt: null, nextAt: 9e15, disable: true }, clock.now);
    const { body } = await send("POST", `/v2/receivers/${id}/test`);
    const isGone = address !== url;
    expect(body).toMatchObject({ ok: !isGone });
    expect((await catalog.receivers.get(id))?.disabledAt).toBe(isGone ? clock.now : null);
  }
});
