/** Path segments of log-in pages. */
const named = /^(?:log-?in|sign-?in|sso|auth|authorize|oauth2?|openid-connect|saml2?)(?:\.[a-z]{2,5})?$/i;

/**
 * Whether a redirect leads to a log-in: its path is named so, unless the original's is too, or its query has the address to return to.
 */
export function asksLogIn(from: URL, to: URL): boolean {
  return (isNamed(to) && !isNamed(from)) || [...to.searchParams.values()].some((value) => leadsBack(value, from));
}

function isNamed({ pathname }: URL): boolean {
  return pathname.split("/").some((segment) => named.test(segment));
}

function leadsBack(value: string, from: URL): boolean {
  if (!/^(?:\/|https?:)/i.test(value)) return false;
  const back = URL.parse(value, from.href);
  return back !== null && back.host === from.host && back.pathname === from.pathname;
}
