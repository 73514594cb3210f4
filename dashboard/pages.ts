import type { Described } from "./page.ts";
import { assetPage } from "./pages/assets.ts";
import { libraryPage, libraryElsewherePage } from "./pages/library.ts";
import { livePage } from "./pages/live.ts";
import { notFoundPage } from "./pages/not-found.ts";
import { signInForm, signInPage, signOutForm } from "./pages/sign-in.ts";
import { startPage } from "./pages/start.ts";

/** Every page and form. Entries of the navigation have this order. */
export const pages: readonly Described[] = [
  startPage,
  libraryPage,
  libraryElsewherePage,
  livePage,
  signInPage,
  signInForm,
  signOutForm,
  assetPage,
  notFoundPage,
];
