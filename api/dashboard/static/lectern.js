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
// Buttons that copy the text before them.
document.documentElement.classList.add("scripted");
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (button?.previousElementSibling) void copy(button, button.previousElementSibling);
});
async function copy(button, source) {
  // Browsers have a clipboard on HTTPS and on loopback only; elsewhere the selection is copied.
  if (navigator.clipboard) await navigator.clipboard.writeText(source.textContent);
  else {
    window.getSelection().selectAllChildren(source);
    document.execCommand("copy");
  }
  const label = button.innerHTML;
  button.textContent = "Copied";
  setTimeout(() => (button.innerHTML = label), 2000);
}
