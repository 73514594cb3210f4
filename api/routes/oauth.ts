import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import { metadataPath, resourcePaths } from "../oauth.ts";
import { route, success, type Route } from "../route.ts";

const metadataSchema = z
  .object({
    resource: z.string().describe("The resource of the tokens; the path of this address selects it."),
    resource_name: z.string().describe("Display name."),
    authorization_servers: z.array(z.string()).describe("The issuer whose tokens are accepted."),
    bearer_methods_supported: z.array(z.literal("header")).describe("How tokens are sent."),
    scopes_supported: z.array(z.string()).optional().describe("Scopes to request from the issuer."),
  })
  .meta({ id: "ProtectedResource" });

/** Protected resource metadata (RFC 9728). */
export const oauthRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: `/api${metadataPath}`,
    // Clients look at the root of the host (RFC 9728 §3.1).
    aliases: resourcePaths.map((path) => `${metadataPath}${path}`),
    scope: "open",
    limit: "open",
    about: {
      operationId: "getProtectedResource",
      tag: "Server",
      summary: "Get the OAuth metadata of the server",
      description:
        "OAuth 2.0 Protected Resource Metadata (RFC 9728). Clients find it at the root of the host, without `/api`, also followed by `/mcp` or `/api/mcp`. 404 if no issuer is configured.",
    },
    answers: success(metadataSchema),
    failures: ["route_not_found"],
    async handler({ request, options: { issuer } }) {
      if (!issuer) throw new Failure("route_not_found", "Nobody signs in to this server. Send an API key.");
      const [, path = ""] = request.path.split(metadataPath);
      return jsonAnswer({
        resource: `${issuer.resource}${path}`,
        resource_name: "Lectern",
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ["header"],
        ...(issuer.scopes.length > 0 && { scopes_supported: issuer.scopes }),
      });
    },
  }),
];
