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
// A button whose answer is shown part by part, in the element that it names.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  const target = document.getElementById(button?.dataset.stream ?? "");
  if (!target) return;
  event.preventDefault();
  void show(event.target, button, target);
});
async function show(form, button, target) {
  // Without a button that is disabled.
  const body = new URLSearchParams(new FormData(form, button));
  button.disabled = true;
  target.innerHTML = '<p class="notice busy">Reading…</p>';
  target.scrollIntoView({ block: "nearest" });
  try {
    const answer = await fetch(form.getAttribute("action"), {
      method: "POST",
      body,
      headers: { accept: "text/event-stream" },
    });
    if (answer.headers.get("content-type")?.startsWith("text/event-stream")) await showParts(answer.body, target);
    else {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      target.innerHTML = (page.querySelector("main") ?? page.body).innerHTML;
    }
  } catch {
    target.innerHTML = '<p class="notice bad" role="alert">The server cannot be reached. Try again.</p>';
  }
  button.disabled = false;
  target.scrollIntoView({ block: "start" });
  target.querySelector("h2")?.focus({ preventScroll: true });
}
async function showParts(stream, target) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (waiting + part.value).split("\n\n");
    waiting = events.pop();
    for (const event of events) {
      const lines = event.split("\n").filter((line) => line.startsWith("data: "));
      if (lines.length > 0) target.innerHTML = lines.map((line) => line.slice(6)).join("\n");
    }
  }
}
