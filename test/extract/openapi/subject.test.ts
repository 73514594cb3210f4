import { expect, it } from "vitest";
import { subjectOf } from "../../../extract/openapi/operation-names.ts";

const nothing = { kind: "path", operationId: "", summary: "", description: "", deprecated: false } as const;

it.each([
  ["POST", "/v1/customers", "create customers operationtocreate"],
  ["GET", "/v1/customers", "list customers operationtolist operationtoread"],
  ["GET", "/v1/customers/{customer}", "get customers operationtoread"],
  ["POST", "/v1/customers/{customer}", "update customers operationtochange"],
  ["PATCH", "/v1/customers/{customer}", "update customers operationtochange"],
  ["DELETE", "/v1/customers/{customer}", "delete customers operationtoremove"],
  ["POST", "/v1/customers/{customer}/bank_accounts", "create bank accounts customers operationtocreate"],
  ["POST", "/v1/payment_intents/{intent}/capture", "capture payment intents"],
  ["GET", "/api/v2.1/balance", "get balance operationtoread"],
  ["QUERY", "/apis/apps.example.com/v1beta1/orders", "query orders operationtoread"],
])("%s %s is about: %s", (method, path, subject) => {
  expect(subjectOf({ ...nothing, method, path })).toBe(subject);
});

it("is what the summary says, without what every summary has", () => {
  const operation = { ...nothing, method: "POST", path: "/orgs/{org}/repos", operationId: "repos/create-in-org" };
  expect(subjectOf({ ...operation, summary: "Create an organization repository" })).toBe(
    "Create organization repository operationtocreate",
  );
  expect(subjectOf({ ...operation, summary: "Star a repository for the authenticated user" })).toBe("Star repository");
  expect(subjectOf({ ...operation, summary: "Remove the member", deprecated: true })).toBe(
    "deprecated Remove member obsolete legacy superseded retired",
  );
});

it("is what the id says, unless that was made of method and path", () => {
  const operation = { ...nothing, method: "GET", path: "/api/v1/pods" };
  expect(subjectOf({ ...operation, operationId: "listCoreV1PodForAllNamespaces" })).toBe(
    "list Core Pod operationtolist operationtoread",
  );
  expect(subjectOf({ ...operation, operationId: "GetPods" })).toBe("list pods operationtolist operationtoread");
});

it("is done as the description begins with it", () => {
  const operation = { ...nothing, method: "DELETE", path: "/v1/subscriptions/{id}" };
  expect(subjectOf({ ...operation, description: "Cancels a subscription at once." })).toBe(
    "Cancels delete subscriptions operationtoremove",
  );
  expect(subjectOf({ ...operation, description: "Deletes a subscription." })).toBe(
    "delete subscriptions operationtoremove",
  );
});

it("of a webhook is its name, after its kind", () => {
  expect(subjectOf({ ...nothing, kind: "webhook", method: "POST", path: "order.shipped" })).toBe(
    "webhook event order shipped",
  );
});

it("is one short sentence at most: of the description where that says it in fewer words than a long summary or an id", () => {
  const operation = { ...nothing, method: "POST", path: "/chat.postMessage", operationId: "chat_postMessage" };
  expect(subjectOf({ ...operation, description: "Sends a message to a channel. It may have **blocks**." })).toBe(
    "Sends message channel operationtocreate",
  );
  const long =
    "Sends a message to a channel that the calling app has joined before, with text, blocks, attachments, metadata and more";
  expect(subjectOf({ ...operation, summary: long, description: long })).toBe("chat post Message");
  expect(subjectOf({ ...operation, summary: "Send a message. Needs a token with the scope chat." })).toBe(
    "Send message operationtocreate",
  );
});

it.each([
  ["GET", "/servers", "Browse all servers", "operationtolist operationtoread"],
  ["POST", "/servers", "Server create", "operationtocreate"],
  ["POST", "/members.kick", "Removes a member", "operationtoremove"],
  ["PUT", "/members/{id}", "Add a member", "operationtocreate"],
  ["PATCH", "/servers/{id}", "Server settings", "operationtochange"],
  ["DELETE", "/servers/{id}", "Cancel a server", "operationtoremove"],
  ["POST", "/servers/search", "Search servers", "operationtoread"],
  ["POST", "/servers/{id}/cancel", "Cancel a server", "operationtoremove"],
])("%s %s is marked by what it does: %s", (method, path, summary, marks) => {
  expect(subjectOf({ ...nothing, method, path, summary })).toMatch(new RegExp(`[a-z] ${marks}$`));
});

it("has no mark where neither method nor summary is clear", () => {
  expect(subjectOf({ ...nothing, method: "POST", path: "/servers/{id}/reboot", summary: "Reboot a server" })).toBe(
    "Reboot server",
  );
});
