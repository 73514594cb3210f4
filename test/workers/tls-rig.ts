import { execFile, execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { connect, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether certificates can be made on this machine. */
export const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Files of an authority, with certificates for a server (localhost and 127.0.0.1) and a client. */
export interface Certificates {
  readonly folder: string;
  /** Path of one of the files: ca.pem, server.pem, server.key, client.pem, client.key. */
  file(name: string): string;
}

/** Makes an authority with a server's and a client's certificate in an existing folder. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test CA");
  const names = { server: "subjectAltName=DNS:localhost,IP:127.0.0.1", client: "subjectAltName=DNS:lectern" };
  for (const [name, extension] of Object.entries(names)) {
    const request = [...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`];
    await openssl("req", ...request, "-addext", extension);
    const issue = ["-req", "-in", `${name}.csr`, "-copy_extensions", "copy", "-days", "2", "-out", `${name}.pem`];
    await openssl("x509", ...issue, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial");
  }
  return { folder, file: (name) => join(folder, name) };
}

/** A test server. */
export interface Endpoint {
  /** host:port. */
  readonly address: string;
  close(): Promise<void>;
}

/** TLS of an endpoint: none, with the server's certificate, or with a client's certificate as well. */
export interface EndpointOptions {
  readonly certificates?: Certificates;
  readonly wantsClient?: boolean;
}

/** Answers every gRPC call with an empty message and this gRPC status, and keeps the headers. */
export async function startGrpcEcho(
  options: EndpointOptions & { readonly status?: number } = {},
): Promise<Endpoint & { readonly seen: readonly IncomingHttpHeaders[] }> {
  const { certificates, wantsClient = false, status = 0 } = options;
  const seen: IncomingHttpHeaders[] = [];
  const server = certificates ? createSecureServer(await tlsOptions(certificates, wantsClient)) : createServer();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    seen.push(headers);
    stream.on("error", () => undefined);
    stream.resume();
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(status), "grpc-message": "said so" }));
    stream.end(status === 0 ? Buffer.alloc(5) : undefined);
  });
  return { ...(await listen(server)), seen };
}

/** A proxy that terminates TLS for a server without it. */
export async function startTlsProxy(
  options: Required<EndpointOptions> & { readonly target: string },
): Promise<Endpoint> {
  const { certificates, wantsClient, target } = options;
  const [host = "", port = ""] = target.split(":");
  const server = createTlsServer(
    { ...(await tlsOptions(certificates, wantsClient)), ALPNProtocols: ["h2"] },
    (outer) => {
      const inner = connect(Number(port), host);
      outer.on("error", () => inner.destroy()).pipe(inner);
      inner.on("error", () => outer.destroy()).pipe(outer);
    },
  );
  return listen(server);
}

/** A server that accepts connections and never answers. */
export async function startSilence(): Promise<Endpoint> {
  const { createServer: createTcpServer } = await import("node:net");
  return listen(createTcpServer());
}

async function tlsOptions({ file }: Certificates, wantsClient: boolean) {
  return {
    key: await readFile(file("server.key")),
    cert: await readFile(file("server.pem")),
    ...(wantsClient && { requestCert: true, rejectUnauthorized: true, ca: await readFile(file("ca.pem")) }),
  };
}

async function listen(server: Pick<Server, "on" | "listen" | "address" | "close">): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
