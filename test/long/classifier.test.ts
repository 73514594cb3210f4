import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { createClassifier } from "../../sources/classifier/index.ts";
import { openHealing } from "../contracts/healing.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** Stands in for the package of the example, as its models cannot be fetched: texts with "elephant" are injections. */
const standIn = `
export async function pipeline() {
  return async (text) => [text.includes("elephant") ? { label: "INJECTION", score: 0.99 } : { label: "SAFE", score: 0.99 }];
}
`;

/** Runs the example of docs/guides/add-a-classifier.md. */
async function startExample(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const [, example = ""] = /```js\n([\s\S]*?)```/.exec(await readFile("docs/guides/add-a-classifier.md", "utf8")) ?? [];
  const stub = join(folder.path, "node_modules/@huggingface/transformers");
  await mkdir(stub, { recursive: true });
  await writeFile(join(stub, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  await writeFile(join(stub, "index.js"), standIn);
  await writeFile(join(folder.path, "classifier.mjs"), example);
  const child = spawn(process.execPath, ["classifier.mjs"], {
    cwd: folder.path,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return `http://127.0.0.1:${/port (\d+)/.exec(line)?.[1] ?? ""}/`;
}

it("the example in docs/guides/add-a-classifier.md works", async () => {
  const url = new URL(await startExample());
  const { judge } = createClassifier({ url, token: null, fails: "closed", onProblem: () => undefined });
  const texts = ["Call make().", `${"a ".repeat(2000)}elephant`];
  const findings = await judge(
    texts.map((text, at) => ({ id: String(at), text })),
    new AbortController().signal,
  );
  expect(findings).toEqual(new Map([["1", ["classified"]]]));
});

it("a run waits for an unavailable classifier, says so, and publishes nothing until then", async () => {
  let isAway = true;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (isAway) response.writeHead(503).end();
      else response.end('{ "findings": {} }');
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { add, live, catalog } = await openHealing({
    SCREEN_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  });
  const id = "/acme/widgets";
  const adding = add(id);
  const lastFailure = async (): Promise<string | undefined> => {
    const [run] = await catalog.runs.openRuns();
    return run?.lastFailure?.message;
  };
  await expect.poll(lastFailure, { timeout: 30_000 }).toContain("does not work: it answers 503. Nothing is published");
  await expect(live(id)).rejects.toThrow("nothing live");
  isAway = false;
  await adding;
  expect((await live(id)).counts).toMatchObject({ passages: 1, quarantined: 0 });
});
