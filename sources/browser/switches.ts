/** What Chromium is started with, beside what Playwright sets. */
export const switches: readonly string[] = [
  // Nothing goes past the proxy: no UDP of WebRTC, no QUIC. Chromium 156 takes the second for WebRTC, older ones the first.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--no-pings",
  "--dns-prefetch-disable",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  // What pages do not need to be read.
  "--disable-gpu",
  "--disable-3d-apis",
  "--disable-remote-fonts",
  "--disable-notifications",
  "--disable-speech-api",
  "--disable-print-preview",
  "--disable-crash-reporter",
  "--blink-settings=imagesEnabled=false",
  // Limits on the processes and the heap of a page.
  "--renderer-process-limit=4",
  "--js-flags=--max-old-space-size=512",
];

/** Playwright's own that are left out: popups are blocked, and a page cannot flood the browser with messages. */
export const withoutSwitches: readonly string[] = ["--disable-popup-blocking", "--disable-ipc-flooding-protection"];
