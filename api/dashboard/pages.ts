import { credentialsPage, deleteCredentialForm, newCredentialForm, testCredentialForm } from "./admin/credentials.ts";
import { auditPage } from "./admin/audit.ts";
import { assetPage } from "./pages/assets.ts";
import { actForm, actPage } from "./library/acts.ts";
import { administrationPage, keysPage, newKeyForm, revokeKeyForm } from "./admin/keys.ts";
import { manifestsPage, reconcileForm } from "./admin/manifests.ts";
import { deleteReceiverForm, newReceiverForm, receiversPage, testReceiverForm } from "./admin/receivers.ts";
import { policyForm, policyPage } from "./admin/policies.ts";
import { systemPage } from "./admin/system.ts";
import { deleteTeamspaceForm, newTeamspaceForm, rulesForm, teamspacesPage } from "./admin/teamspaces.ts";
import { page, type Described } from "./page.ts";
import { lockfileForm, packagesForm, uploadForm } from "./pages/add-files.ts";
import { addForm, addPage } from "./pages/add.ts";
import { repositoriesForm, repositoriesPage } from "./pages/repositories.ts";
import { connectForm, connectPage, waitingPage } from "./pages/connect.ts";
import { answerPage } from "./pages/answer.ts";
import { apiDocsPage, apiPartPage } from "./pages/api-docs.ts";
import { libraryPage, libraryElsewherePage } from "./pages/library.ts";
import { readPage } from "./pages/read.ts";
import { deletionForm, deletionPage, unservedForm, unservedPage } from "./pages/deletion.ts";
import { noteForm } from "./pages/note.ts";
import { releaseForm } from "./library/quarantine.ts";
import { settingsForm } from "./pages/settings.ts";
import { livePage } from "./library/progress.ts";
import { oidcCallbackPage, oidcRenewPage, oidcSignInPage } from "./pages/oidc.ts";
import { signInForm, signInPage, signOutForm } from "./pages/sign-in.ts";
import { startPage } from "./pages/start.ts";
import { Failure } from "../../domain/failures.ts";

/** Unknown paths below `/-/`. */
const notFoundPage: Described = page({
  path: "/-/**",
  async show() {
    throw new Failure("route_not_found", "There is no page at this address.");
  },
});

/** All pages and forms, in the order of the navigation. */
export const pages: readonly Described[] = [
  startPage,
  libraryPage,
  libraryElsewherePage,
  livePage,
  answerPage,
  readPage,
  addPage,
  addForm,
  uploadForm,
  lockfileForm,
  packagesForm,
  repositoriesPage,
  repositoriesForm,
  connectPage,
  connectForm,
  waitingPage,
  apiDocsPage,
  apiPartPage,
  actPage,
  actForm,
  releaseForm,
  settingsForm,
  noteForm,
  deletionPage,
  deletionForm,
  unservedPage,
  unservedForm,
  administrationPage,
  keysPage,
  newKeyForm,
  revokeKeyForm,
  credentialsPage,
  newCredentialForm,
  testCredentialForm,
  deleteCredentialForm,
  manifestsPage,
  reconcileForm,
  receiversPage,
  newReceiverForm,
  testReceiverForm,
  deleteReceiverForm,
  teamspacesPage,
  newTeamspaceForm,
  deleteTeamspaceForm,
  rulesForm,
  policyPage,
  policyForm,
  auditPage,
  systemPage,
  signInPage,
  signInForm,
  signOutForm,
  oidcSignInPage,
  oidcCallbackPage,
  oidcRenewPage,
  assetPage,
  notFoundPage,
];
