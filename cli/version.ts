import about from "../package.json" with { type: "json" };

/** The version of the program, from its package.json. The API has its own. */
export const programVersion: string = about.version;

/** The User-Agent of requests, with an address for information. */
export const userAgent = `Lectern/${programVersion} (+https://github.com/lectern-docs/lectern)`;
