"use strict";
// Enhancements beyond htmx. Pages work without them: forms have buttons, and pages can be reloaded.
document.addEventListener("change", (event) => {
  const form = event.target instanceof HTMLElement ? event.target.closest("form[data-submit-on-change]") : null;
  if (form instanceof HTMLFormElement) form.requestSubmit();
});
// The stream of a run has ended: the reloaded page shows the outcome.
document.addEventListener("htmx:sseClose", (event) => {
  if (event.detail?.type === "message") window.location.reload();
});
