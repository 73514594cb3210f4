import type { Parameter } from "./part.ts";
import type { SecurityChoice } from "./security.ts";
import { variableFor } from "./shell.ts";
import type { Word } from "./shell.ts";

/** What authentication adds to a request: arguments of curl, and parameters of its address. */
export interface Authentication {
  readonly lines: readonly Word[][];
  readonly query: readonly Word[];
}

/** How a request authenticates, with shell variables for the credentials. A parameter that is declared as such is not added again. */
export function authenticationArguments(choice: SecurityChoice, parameters: readonly Parameter[]): Authentication {
  const lines: Word[][] = [];
  const query: Word[] = [];
  for (const { scheme } of choice) {
    const { type, detail, parameter } = scheme;
    const declared = parameters.some(
      ({ in: place, name, required }) => required && place === detail && name === parameter,
    );
    if (type === "apiKey" && !declared) {
      const key = variableFor(/key|token|secret|auth/i.test(parameter) ? parameter : `${parameter} key`);
      if (detail === "query") query.push([`${encodeURIComponent(parameter)}=`, key]);
      else if (detail === "cookie") lines.push([["-b"], [`${parameter}=`, key]]);
      else lines.push([["-H"], [`${parameter}: `, key]]);
    } else if (type === "oauth2" || type === "openIdConnect") lines.push(bearer());
    else if (type === "mutualTLS") lines.push([["--cert"], ["client.pem"], ["--key"], ["client.key"]]);
    else if (type === "http") lines.push(httpScheme(detail));
  }
  return { lines, query };
}

function httpScheme(name: string): Word[] {
  const user: Word = [{ variable: "API_USER" }, ":", { variable: "API_PASSWORD" }];
  if (/^basic$/i.test(name)) return [["-u"], user];
  if (/^digest$/i.test(name)) return [["--digest"], ["-u"], user];
  return name === "" || /^bearer$/i.test(name)
    ? bearer()
    : [["-H"], [`Authorization: ${name} `, { variable: "CREDENTIALS" }]];
}

function bearer(): Word[] {
  return [["-H"], ["Authorization: Bearer ", { variable: "ACCESS_TOKEN" }]];
}
