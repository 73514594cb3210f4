import { expect, it } from "vitest";
import { hashKey } from "../../api/keys.ts";
import { startedLines, startedMessages } from "../../cli/start-messages.ts";
import { terminalSignIn, type TerminalSignIn } from "../../cli/first-sign-in.ts";

const config = {
  dashboard: true,
  host: "127.0.0.1",
  publicUrl: null,
  adminKey: null,
  indexOwnDocs: false,
  anonymous: "search",
} as const;
const keyOf = ({ link }: TerminalSignIn): string => link.take(link.path.replace(/.*=/, "")) ?? "";

it("signs in with the configured key, else with the new key, else with a key of this process", () => {
  const configured = terminalSignIn({ ...config, adminKey: "an-admin-key-of-an-operator" }, null, true);
  expect(configured && keyOf(configured)).toBe("an-admin-key-of-an-operator");
  expect(configured?.adminKeyHash).toBe(hashKey("an-admin-key-of-an-operator"));
  const first = terminalSignIn(config, "lct_first", true);
  expect(first && [keyOf(first), first.adminKeyHash]).toEqual(["lct_first", null]);
  const later = terminalSignIn(config, null, true);
  expect(later && hashKey(keyOf(later))).toBe(later?.adminKeyHash);
});

it("creates no link if others may read it or reach the server", () => {
  expect(terminalSignIn(config, null, false)).toBeUndefined();
  expect(terminalSignIn({ ...config, host: "0.0.0.0" }, null, true)).toBeUndefined();
  expect(terminalSignIn({ ...config, publicUrl: "https://docs.example.com" }, null, true)).toBeUndefined();
  expect(terminalSignIn({ ...config, dashboard: false }, null, true)).toBeUndefined();
});

it("is shown on a terminal, but not in the messages for a pipe", () => {
  const started = {
    config,
    url: "http://127.0.0.1:8080",
    folder: "/data",
    key: null,
    link: "http://127.0.0.1:8080/-/sign-in?once=x",
  };
  expect(startedLines(started).join("\n")).toContain("dashboard    http://127.0.0.1:8080/-/sign-in?once=x");
  expect(startedMessages(started).join("\n")).not.toContain("once=");
});
