"use strict";
// What pages do beyond htmx. Each works without it: a form is sent without being asked, a table is there without its plot.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const question = form instanceof HTMLFormElement ? form.dataset.confirm : undefined;
  if (question !== undefined && !window.confirm(question)) event.preventDefault();
});
document.addEventListener("change", (event) => {
  const form = event.target instanceof HTMLElement ? event.target.closest("form[data-submit-on-change]") : null;
  if (form instanceof HTMLFormElement) form.requestSubmit();
});
// What followed a run has come to its end: the page says what became of it.
document.addEventListener("htmx:sseClose", (event) => {
  if (event.detail?.type === "message") window.location.reload();
});
