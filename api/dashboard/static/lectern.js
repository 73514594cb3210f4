"use strict";
// What pages do beyond htmx. Each works without it: a form has a button, and a page can be loaded again.
document.addEventListener("change", (event) => {
  const form = event.target instanceof HTMLElement ? event.target.closest("form[data-submit-on-change]") : null;
  if (form instanceof HTMLFormElement) form.requestSubmit();
});
// What followed a run has come to its end: the page says what became of it.
document.addEventListener("htmx:sseClose", (event) => {
  if (event.detail?.type === "message") window.location.reload();
});
