import type { ApiAnswer } from "./answers.ts";
import { createDispatcher } from "./http.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";
import type { Route } from "./route.ts";
import { agentsRoute } from "./routes/agents.ts";
import { accessRoutes } from "./routes/access.ts";
import { askRoute } from "./routes/ask.ts";
import { auditRoute } from "./routes/audit.ts";
import { changesRoute } from "./routes/changes.ts";
import { codecRoutes } from "./routes/codec.ts";
import { contextRoute } from "./routes/context.ts";
import { explainRoute } from "./routes/explain.ts";
import { credentialRoutes } from "./routes/credentials.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { hookRoutes } from "./routes/hooks.ts";
import { repositoryRoutes } from "./routes/repositories.ts";
import { receiverRoutes } from "./routes/receivers.ts";
import { systemRoutes } from "./routes/system.ts";
import { keyRoutes } from "./routes/keys.ts";
import { libraryRoutes } from "./routes/libraries.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { pageRoutes } from "./routes/pages.ts";
import { manifestRoutes } from "./routes/manifests.ts";
import { metricsRoute } from "./routes/metrics.ts";
import { policyRoutes } from "./routes/policies.ts";
import { resolveRoutes } from "./routes/resolve.ts";
import { settingsRoute } from "./routes/settings.ts";
import { searchRoute } from "./routes/search.ts";
import { quarantineRoutes } from "./routes/quarantine.ts";
import { statusRoutes } from "./routes/status.ts";
import { previewRoutes } from "./routes/preview.ts";
import { submissionRoutes } from "./routes/submissions.ts";
import { teamspaceRoutes } from "./routes/teamspaces.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import { olderRoutes } from "./routes/v1.ts";

/** Every operation of the API, from which `npm run openapi` makes docs/openapi.json. */
export const routes: readonly Route[] = [
  searchRoute,
  contextRoute,
  explainRoute,
  askRoute,
  ...pageRoutes,
  ...resolveRoutes,
  ...olderRoutes,
  ...mcpRoutes,
  ...oauthRoutes,
  ...submissionRoutes,
  ...previewRoutes,
  ...libraryRoutes,
  ...quarantineRoutes,
  ...feedbackRoutes,
  changesRoute,
  settingsRoute,
  ...statusRoutes,
  metricsRoute,
  ...credentialRoutes,
  ...hookRoutes,
  ...manifestRoutes,
  ...repositoryRoutes,
  ...receiverRoutes,
  ...keyRoutes,
  agentsRoute,
  ...teamspaceRoutes,
  ...accessRoutes,
  ...policyRoutes,
  auditRoute,
  ...codecRoutes,
  ...systemRoutes,
];

/** The API and the dashboard as a function from request to answer. server.ts serves it on a socket. */
export function createApp(
  options: ApiOptions,
  pages: readonly Route[] = [],
): (request: ApiRequest) => Promise<ApiAnswer> {
  return createDispatcher([...routes, ...pages], options);
}
