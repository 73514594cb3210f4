import type { Logger } from "pino";

import type { AnsweringPorts } from "../domain/answering.ts";
import type { AuditRecord } from "../domain/audit.ts";
import type { CountedAnswer } from "../domain/metrics.ts";
import type { PreviewingPorts } from "../domain/previewing.ts";
import type { ReleasingPorts } from "../domain/releasing.ts";
import type { Lockfile } from "../domain/lockfile.ts";
import type { RegistryAccess } from "../domain/packages.ts";
import type { Limiter } from "../domain/ports.ts";
import type { Telemetry } from "../domain/telemetry.ts";
import type { Manifest } from "../domain/generation.ts";
import type { Deployment } from "./schemas/deployment.ts";
import type { Issuer } from "./tokens.ts";

/** What the routes need of the world beyond HTTP. */
export type ApiPorts = AnsweringPorts &
  ReleasingPorts &
  PreviewingPorts & {
    /** The manifest of a generation; undefined where it has none (yet). */
    readonly manifest: (generation: string) => Promise<Manifest | undefined>;
  };

/** A payload of Temporal's: a value and how it is encoded. */
export interface Payload {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
}

/** Turns payloads into what Temporal stores, and back. `decode` @throws Failure naming the key that is missing or wrong */
export interface Codec {
  encode(payloads: Payload[]): Promise<Payload[]>;
  decode(payloads: Payload[]): Promise<Payload[]>;
}

/** The part of the configuration that answers depend on. */
export interface ApiSettings {
  /** What callers without a key may do: search and context on public libraries, or nothing. */
  readonly anonymous: "search" | "off";
  /** Requests a minute of one key, submissions not counted. */
  readonly rateLimitReads: number;
  /** Submissions a minute of one key. */
  readonly rateLimitSubmissions: number;
  /** Requests a minute of one address without a key. */
  readonly rateLimitAnonymous: number;
  /** Requests a minute of all keys of a teamspace, submissions not counted; 0: no limit. */
  readonly rateLimitTeamspaceReads: number;
  /** Submissions a minute of all keys of a teamspace; 0: no limit. */
  readonly rateLimitTeamspaceSubmissions: number;
  /** Requests that are answered concurrently. */
  readonly requestsAtOnce: number;
  /** Time for the answer to a read, in seconds. */
  readonly readTimeoutSeconds: number;
  /** Status streams that one key may have open. */
  readonly streamsPerKey: number;
  /** Addresses and CIDR blocks of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Header in which these proxies name the client's country; null: none does. */
  readonly countryHeader: string | null;
  /** Where clients reach the server, without `/api`, so that Host and Origin have to be its own or local; null: unknown. */
  readonly publicUrl: string | null;
  /** The server listens on loopback only, so that Host and Origin have to be local. */
  readonly loopback: boolean;
  /** Web origins that may call the API from a browser. */
  readonly allowedOrigins: readonly string[];
  /** Web origins of Temporal's Web UI, which may have payloads decrypted from a browser and nothing else. */
  readonly temporalUiOrigins: readonly string[];
  /** Send a Location header with 301, so that clients follow by themselves. */
  readonly sendLocation: boolean;
  /** Serve the rules that libraries' own sources supply. */
  readonly sourceRules: boolean;
  /** How long clients may keep an answer, in seconds. */
  readonly maxAgeSeconds: number;
  /** Hosts (`host` or `host:port`) of each kind, beyond the hosted services' own. */
  readonly gitHosts: Readonly<Record<"github" | "gitlab" | "bitbucket" | "gitea", readonly string[]>>;
  /** Days after which a version of a package goes that nobody asks for; 0: never. */
  readonly unusedVersionDays: number;
  /** The registries that packages are read from. */
  readonly registries: RegistryAccess;
}

/** Everything that the API is built from. */
export interface ApiOptions {
  /** Version of the program. */
  readonly version: string;
  readonly ports: ApiPorts;
  readonly limiter: Limiter;
  readonly log: Logger;
  /** Refuses an address that the server must not fetch. @throws Failure */
  readonly checkUrl: (url: URL) => void | Promise<void>;
  /** The real path of a folder inside the permitted ones. @throws Failure */
  readonly checkFolder: (path: string) => Promise<string>;
  /** Counts an answered read of a library's version, "" being the default one. */
  readonly countRead: (libraryUid: string, version: string) => void;
  /** Counts an answer for the metrics of its library. */
  readonly countAnswer: (answer: CountedAnswer) => void;
  /** A sentence for each disk that is nearly full; absent: nobody looks. */
  readonly diskWarnings?: () => Promise<readonly string[]>;
  /** Reads a lockfile, by its name, off the event loop. @throws Failure validation_error */
  readonly readLockfile: (name: string, bytes: Uint8Array) => Promise<Lockfile>;
  /** Notes a question that found nothing in a library. */
  readonly noteMiss: (libraryUid: string, question: string) => void;
  /** Told of every request; absent: nobody is. */
  readonly telemetry?: Pick<Telemetry, "answered">;
  /** What the deployment is made of, and how it is doing; absent: that is not known. */
  readonly deployment?: () => Promise<Omit<Deployment, "warnings">>;
  /** All metrics in the text format of Prometheus; absent: they are not served. */
  readonly scrape?: () => Promise<string>;
  /** Is told of each act and refusal that the audit log has, once it is over. */
  readonly onAudited?: (record: AuditRecord) => Promise<void>;
  /** Time for one exchange with an agent, in milliseconds; a minute unless told. */
  readonly exchangeTimeout?: number;
  /** What payloads are encrypted with; absent where runs execute without Temporal, or nothing is encrypted. */
  readonly codec?: Codec;
  /** SHA-256 of the configured admin key, hex; null: none is configured. */
  readonly adminKeyHash: string | null;
  /** Whose tokens are believed; absent: nobody signs in. */
  readonly issuer?: Issuer;
  readonly settings: ApiSettings;
  /** The document served at /api/openapi.json. */
  readonly openapi: object;
}
