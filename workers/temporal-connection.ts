import { Client, Connection } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import {
  loadClientConfigProfile,
  toClientOptions,
  type ClientConfigProfile,
  type ClientConnectConfig,
} from "@temporalio/envconfig";
import type { NativeConnection } from "@temporalio/worker";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import { grpcStatus, isRefused } from "./temporal-failures.ts";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The address of Temporal, and the options of connections to it. */
export interface TemporalTarget {
  /** host:port of the frontend. */
  readonly address: string;
  readonly namespace: string;
  readonly options: ClientConnectConfig["connectionOptions"];
}

/** Options of a connection. */
export interface ConnectOptions {
  readonly env: Environment;
  readonly log: Logger;
  /** The result of `createDataConverter`; not needed if no data of runs is read or written. */
  readonly dataConverter?: DataConverter;
}

/** The client of processes that start runs. */
export interface TemporalClient {
  readonly connection: Connection;
  readonly client: Client;
  readonly namespace: string;
  /** Sends one request, without retries, so that the failure names the reason. @throws Failure service_unavailable, within 2 s */
  check(): Promise<void>;
  close(): Promise<void>;
}

const defaultNamespace = "lectern";

/** Timeouts of the check, and of a worker's connection, in milliseconds. */
const checkTimeout = 1500;
const connectTimeout = 5000;

/** gRPC status of a method that an old server lacks: the server is reachable all the same. */
const unimplemented = 12;

/**
 * Reads Temporal's standard variables (TEMPORAL_ADDRESS, _NAMESPACE, _API_KEY, _TLS, _TLS_*, _GRPC_META_*) and the
 * profile that TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE name. A variable wins over the profile; an empty one counts as
 * absent. An API key or any TLS setting switches TLS on unless TEMPORAL_TLS says otherwise.
 * @throws Failure internal_error naming the variable to correct
 */
export function parseTemporalTarget(env: Environment): TemporalTarget {
  checkVariables(env);
  const { namespace = defaultNamespace, connectionOptions } = load(env);
  const { address } = connectionOptions;
  if (address === undefined) throw misconfigured("The Temporal address is missing. Set TEMPORAL_ADDRESS to host:port.");
  return { address, namespace, options: connectionOptions };
}

/**
 * A client that connects at first use, so that a process can start while Temporal is down, and reconnects whenever the
 * connection is lost. Its calls are not retried: callers set a deadline, and retry where that helps.
 * @throws Failure internal_error if the environment is wrong
 */
export function connectTemporal({ env, log, dataConverter }: ConnectOptions): TemporalClient {
  const target = parseTemporalTarget(env);
  const { namespace } = target;
  const connection = open(target);
  log.info(logged(target), "Temporal client configured");
  return {
    connection,
    client: new Client({ connection, namespace, ...(dataConverter && { dataConverter }) }),
    namespace,
    check: () => check(target),
    close: () => connection.close(),
  };
}

/**
 * Opens a worker's connection; call `installRuntime` first. The native part of the SDK is loaded only here, so that
 * processes without a worker do not need it.
 * @throws Failure service_unavailable if Temporal does not answer, internal_error if the environment is wrong
 */
export async function connectTemporalWorker({
  env,
  log,
}: Pick<ConnectOptions, "env" | "log">): Promise<{ connection: NativeConnection; namespace: string }> {
  const target = parseTemporalTarget(env);
  const { address, namespace, options } = target;
  await check(target);
  const { NativeConnection: Native } = await import("@temporalio/worker");
  const connecting = Native.connect(options);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(unreachable(address, `no answer in ${connectTimeout} ms`)),
    connectTimeout,
  );
  try {
    const connection = await Promise.race([connecting, late.promise]);
    log.info(logged(target), "Temporal worker");
    return { connection, namespace };
  } catch (error) {
    // A late connection must not stay open; a late error has been reported by then.
    connecting.then((connection) => connection.close()).catch(() => undefined);
    throw error instanceof Failure ? error : unreachable(address, messageOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks on a new connection, which is not in backoff after an earlier failure. */
async function check(target: TemporalTarget): Promise<void> {
  const connection = open(target);
  try {
    await connection.withDeadline(Date.now() + checkTimeout, () => connection.workflowService.getSystemInfo({}));
  } catch (error) {
    if (grpcStatus(error) === unimplemented) return;
    throw isRefused(error)
      ? unavailable(`Temporal at ${target.address} rejected the credentials. Check TEMPORAL_API_KEY.`, error)
      : unreachable(target.address, reasonOf(error), error);
  } finally {
    await connection.close();
  }
}

/** gRPC's default backoff grows to two minutes while a server is down. */
const reconnecting = { "grpc.max_reconnect_backoff_ms": 3000 };

/**
 * Opens a connection without the SDK's own retries: they continue beyond a call's deadline, and report the deadline instead of the
 * reason (measured with 1.24.0).
 */
function open({ options }: TemporalTarget): Connection {
  try {
    return Connection.lazy({ ...options, channelArgs: reconnecting, interceptors: [] });
  } catch (error) {
    throw misconfigured(`Temporal's settings are invalid: ${messageOf(error)}. Check TEMPORAL_TLS_*.`, error);
  }
}

function load(env: Environment): ClientConnectConfig {
  // Compose files pass unset variables on as empty ones; only an empty header has a meaning of its own.
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (entry[1] !== "" || entry[0].startsWith("TEMPORAL_GRPC_META_")),
  );
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: Object.fromEntries(given) });
    checkClientCertificate(profile);
    return toClientOptions(profile);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = `Temporal's settings cannot be read: ${messageOf(error)}. Check TEMPORAL_TLS_*, TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE.`;
    throw misconfigured(message, error);
  }
}

/** Rejects values that the SDK would silently misread or ignore. */
function checkVariables(env: Environment): void {
  const switched = env["TEMPORAL_TLS"];
  if (switched && !["true", "1", "false", "0"].includes(switched))
    throw misconfigured('TEMPORAL_TLS must be "true" or "false".');
  if (["true", "1"].includes(env["TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"] ?? ""))
    throw misconfigured(
      "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported. Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate.",
    );
}

function checkClientCertificate({ tls }: ClientConfigProfile): void {
  if ((tls?.clientCert === undefined) !== (tls?.clientKey === undefined))
    throw misconfigured("TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH go together. Set both.");
}

function logged({ address, namespace, options: { tls, apiKey } }: TemporalTarget): object {
  return { address, namespace, tls: Boolean(tls), apiKey: apiKey !== undefined };
}

/** The reason of an error, for operators. */
function reasonOf(error: unknown): string {
  if (grpcStatus(error) === 4) return `no answer in ${checkTimeout} ms`;
  const details = error instanceof Error && "details" in error ? String(error.details) : messageOf(error);
  const last = /Last error: (?:Error(?: \[\w+\])?: )?(?<last>.*?)(?: \(\d{4}-[^)]*\))?\. Resolution note/s.exec(
    details,
  );
  const text = last?.groups?.["last"] ?? details;
  // OpenSSL's errors are lists of codes, file and line, with the text in the middle.
  const openssl = /:SSL routines:[^:]*:(?<words>[^:]+)/.exec(text)?.groups?.["words"];
  if (text === "Failed to connect") return "it closed the connection (is TLS on at one end only?)";
  return openssl ?? text.trim().replace(/\.$/, "");
}

function unreachable(address: string, reason: string, cause?: unknown): Failure {
  const message = `Temporal at ${address} cannot be reached: ${reason}. Check TEMPORAL_ADDRESS, and TEMPORAL_TLS_* if it uses TLS.`;
  return unavailable(message, cause);
}

function unavailable(message: string, cause: unknown): Failure {
  return new Failure("service_unavailable", message, { cause });
}

function misconfigured(message: string, cause?: unknown): Failure {
  return new Failure("internal_error", message, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
