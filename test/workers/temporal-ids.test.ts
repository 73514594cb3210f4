import { describe, expect, it } from "vitest";
import { fairnessKey, libraryWorkflowId } from "../../workers/temporal-engine.ts";

const id = (libraryId: string, version = "", teamspace = ""): string =>
  libraryWorkflowId({ teamspace, libraryId, version });

describe("a run's workflow ID", () => {
  it("names teamspace, library and version", () => {
    expect(id("/Vercel/Next.js")).toBe("library:-:/vercel/next.js");
    expect(id("/vercel/next.js", "V15.1")).toBe("library:-:/vercel/next.js@V15.1");
    expect(id("/docs/handbook", "", "platform")).toBe("library:platform:/docs/handbook");
  });

  it("ignores the case of an ID, but not that of a version", () => {
    expect(id("/VERCEL/next.js")).toBe(id("/vercel/Next.JS"));
    expect(id("/a/b", "v1")).not.toBe(id("/a/b", "V1"));
  });

  it("has a length that servers accept, and is unique for long library IDs too", () => {
    const long = [
      `/a/${"x".repeat(400)}1`,
      `/a/${"x".repeat(400)}2`,
      `/a/${"é".repeat(120)}`,
      `/a/${"日".repeat(480)}`,
    ];
    const ids = long.map((each) => id(each));
    for (const each of ids) expect(Buffer.byteLength(each)).toBeLessThanOrEqual(255);
    expect(new Set(ids).size).toBe(long.length);
  });

  it("of a short library ID is never that of a long one", () => {
    const hashed = id(`/a/${"x".repeat(400)}`);
    expect(id(hashed.replace(/^library:-:/, ""))).not.toBe(hashed);
  });
});

describe("a run's fairness key", () => {
  it("is the host of a public library, the teamspace of a private one, in at most 64 bytes", () => {
    expect(fairnessKey("", null)).toBe("-");
    expect(fairnessKey("", "github.com")).toBe("github.com");
    expect(fairnessKey("platform", "github.com")).toBe("@platform");
    expect(Buffer.byteLength(fairnessKey("é".repeat(60), null))).toBeLessThanOrEqual(64);
    expect(Buffer.byteLength(fairnessKey("", `${"a".repeat(80)}.example.com`))).toBeLessThanOrEqual(64);
  });
});
