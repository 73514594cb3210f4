import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { settings } from "../cli/config.ts";
import { createCertificate } from "./support/certificate.ts";
import { textOf } from "./support/documents.ts";
import { folderOfTest } from "./support/of-test.ts";

const root = join(import.meta.dirname, "..");
const chart = "deploy/helm/lectern";
const templates = globSync(`${chart}/templates/*`, { cwd: root }).map(textOf).join("\n");
const schema = JSON.parse(textOf(`${chart}/values.schema.json`)) as {
  properties: Record<"settings" | "secretSettings", { propertyNames: { anyOf: [{ enum: string[] }, object] } }>;
};
const namesIn = (map: "settings" | "secretSettings") => schema.properties[map].propertyNames.anyOf[0].enum;

/** Settings that the templates set themselves. */
const ownSettings = [...templates.matchAll(/"([A-Z]+(?:_[A-Z]+)*)" (?:"|\(printf|\$queue)/g)].map(
  ([, name = ""]) => name,
);

describe("the values of the chart", () => {
  const rows = Object.values(settings);

  it("have every setting that the templates do not set, secrets apart from others", () => {
    const plain = rows.filter(({ secret }) => !secret).map(({ env }) => env);
    const secret = rows.filter((row) => row.secret).map(({ env }) => env);
    const isOwn = (name: string): boolean =>
      name !== "BLOB_URL" && ownSettings.some((own) => own === name || own === `${name}_FILE`);
    expect(namesIn("settings")).toEqual(plain.filter((name) => !isOwn(name)).toSorted());
    expect(namesIn("secretSettings")).toEqual(secret.filter((name) => !isOwn(name)).toSorted());
  });

  it("set only settings that exist", () => {
    const known = rows.flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env]));
    expect(ownSettings.length).toBeGreaterThan(8);
    expect(ownSettings.filter((name) => name !== "NODE_EXTRA_CA_CERTS" && !known.includes(name))).toEqual([]);
  });

  it.each(globSync("deploy/helm/examples/*.yaml", { cwd: root }))("are right in %s", (name) => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    const defaults = parse(textOf(`${chart}/values.yaml`)) as Record<string, object>;
    const given = parse(textOf(name)) as Record<string, object>;
    const merged = Object.fromEntries(
      Object.keys({ ...defaults, ...given }).map((key) => {
        const [before, after] = [defaults[key], given[key]];
        return [key, typeof before === "object" && after !== undefined ? { ...before, ...after } : (after ?? before)];
      }),
    );
    validate(merged);
    expect(validate.errors).toBeNull();
    validate({ ...merged, settings: { ...merged["settings"], MEILLI_URL: "http://meilisearch" } });
    expect(validate.errors).not.toBeNull();
  });
});

it("the chart has the version of the program", () => {
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  expect(parse(textOf(`${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
});

it("the guide says of every alert what it means, what to look at, and what to do", () => {
  const { groups } = parse(textOf(`${chart}/files/prometheus-alerts.yaml`)) as {
    groups: { rules: { alert: string; labels: { severity: string } }[] }[];
  };
  const sections = textOf("docs/guides/answer-alerts.md").split(/^## /m).slice(1);
  const told = sections.map((section) => [section.split("\n", 1)[0], /^\*(\w+)\.\*/m.exec(section)?.[1]]);
  expect(told).toEqual(groups.flatMap(({ rules }) => rules.map(({ alert, labels }) => [alert, labels.severity])));
  for (const section of sections) for (const part of ["**Look at**", "**Do**"]) expect(section).toContain(part);
});

it("the Job of setup stores the keys of Meilisearch in a Secret by Kubernetes' API", async () => {
  const folder = await folderOfTest();
  const { key, cert } = await createCertificate(folder, ["localhost"]);
  const requests: object[] = [];
  let status = 200;
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    const { method, url, headers } = request;
    void text(request).then((body) => {
      const { authorization, "content-type": type } = headers;
      requests.push({ method, url, authorization, type, body: JSON.parse(body) as object });
      response.writeHead(status).end('{"message":"secrets is forbidden"}');
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const given = {
    token: "jwt",
    namespace: "docs",
    "meili-api.key": "of-the-api\n",
    "meili-worker.key": "of-workers\n",
  };
  for (const [name, content] of Object.entries(given)) await writeFile(join(folder, name), content);
  const run = () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", textOf(`${chart}/files/store-keys.mjs`)], {
      env: {
        KUBERNETES_SERVICE_HOST: "localhost",
        KUBERNETES_SERVICE_PORT: String((server.address() as AddressInfo).port),
        NODE_EXTRA_CA_CERTS: cert,
        TOKEN_FOLDER: folder,
        KEYS_FOLDER: folder,
        SECRET_NAME: "lectern-meilisearch",
      },
    });
  expect((await run()).stdout).toBe("The Secret lectern-meilisearch has the keys.\n");
  expect(requests).toEqual([
    {
      method: "PATCH",
      url: "/api/v1/namespaces/docs/secrets/lectern-meilisearch?fieldManager=lectern-setup&force=true",
      authorization: "Bearer jwt",
      type: "application/apply-patch+yaml",
      body: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "lectern-meilisearch" },
        data: { api: btoa("of-the-api"), worker: btoa("of-workers") },
      },
    },
  ]);
  status = 403;
  await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("403 {") as string });
});
