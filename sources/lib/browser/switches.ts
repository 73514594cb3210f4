/** Switches of Chromium in addition to Playwright's. */
export const switches: readonly string[] = [
  // Nothing bypasses the proxy: no UDP of WebRTC, no QUIC. The second switch is that of Chromium 156, the first that of older ones.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--no-pings",
  "--dns-prefetch-disable",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  // Reading a page does not need these.
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

/** Switches of Playwright that are left out, so that popups are blocked, and pages cannot flood the browser with messages. */
export const withoutSwitches: readonly string[] = ["--disable-popup-blocking", "--disable-ipc-flooding-protection"];
