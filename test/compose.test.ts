import { describe, expect, it } from "vitest";
import { loadConfig, settings } from "../cli/config.ts";
import { compose, schemaErrors } from "./support/compose.ts";
import { textOf } from "./support/documents.ts";

describe("compose.yaml", () => {
  const file = compose("compose.yaml", {});
  const [service] = Object.values(file.services);

  it("matches the schema of the Compose specification", () => {
    expect(schemaErrors(file)).toBeNull();
  });

  it("runs one process on the data of one volume, from this folder's image", () => {
    const { version } = JSON.parse(textOf("package.json")) as { version: string };
    expect(Object.keys(file.services)).toEqual(["lectern"]);
    expect(service).toMatchObject({
      image: `lectern:${version}`,
      build: { context: ".", target: "lectern" },
      command: ["serve"],
      volumes: ["data:/data"],
    });
    expect(textOf("Dockerfile")).toContain("DATA_DIR=/data");
    expect(compose("compose.yaml", { LECTERN_IMAGE: "ghcr.io/a/b:1" }).services["lectern"]?.image).toBe(
      "ghcr.io/a/b:1",
    );
  });

  it("has settings that exist, with the defaults of the program", () => {
    const environment = service?.environment ?? {};
    expect({ ...loadConfig(environment), publicUrl: null }).toEqual({ ...loadConfig({}), publicUrl: null });
    expect(environment["PUBLIC_URL"]).toBe(`http://127.0.0.1:${settings.port.default}`);
  });

  it("is reached from this machine only, and asks the process itself how it is", () => {
    const port = settings.port.default;
    expect(service?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(service?.healthcheck?.test.join(" ")).toContain(`http://127.0.0.1:${port}/api/health`);
  });

  it("has the limits and the rights of the processes of a cluster", () => {
    const limits = ({ mem_limit, cpus, pids_limit, read_only, cap_drop, restart }: typeof service & object) => ({
      mem_limit,
      cpus,
      pids_limit,
      read_only,
      cap_drop,
      restart,
    });
    const all = { POSTGRES_PASSWORD: "p", DATABASE_PASSWORD: "d", MEILI_MASTER_KEY: "m" };
    const { api } = compose("compose.cluster.yaml", all).services;
    if (!api || !service) throw new Error("A service is missing.");
    expect(limits(service)).toEqual(limits(api));
  });
});
