import about from "../package.json" with { type: "json" };

/** The version of the program, as its package says it. That of the API is another one. */
export const programVersion: string = about.version;

/** What servers are told: who asks, and where they can read why. */
export const userAgent = `Lectern/${programVersion} (+https://github.com/lectern-docs/lectern)`;
