// Stores the Meilisearch keys that `lectern setup` wrote in a Secret, by server-side apply. Runs in the Job of setup.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, ...given } = process.env;
const read = (folder, name) => readFileSync(join(folder, name), "utf8").trim();
const [token, namespace] = ["token", "namespace"].map((name) => read(given.TOKEN_FOLDER, name));
const encoded = (role) => Buffer.from(read(given.KEYS_FOLDER, `meili-${role}.key`)).toString("base64");

const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
const path = `/api/v1/namespaces/${namespace}/secrets/${given.SECRET_NAME}?fieldManager=lectern-setup&force=true`;
const response = await fetch(server + path, {
  method: "PATCH",
  headers: { authorization: `Bearer ${token}`, "content-type": "application/apply-patch+yaml" },
  body: JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: given.SECRET_NAME },
    data: { api: encoded("api"), worker: encoded("worker") },
  }),
});
if (!response.ok) {
  console.error(`The Secret ${given.SECRET_NAME} cannot be written: ${response.status} ${await response.text()}`);
  process.exit(1);
}
console.log(`The Secret ${given.SECRET_NAME} has the keys.`);
