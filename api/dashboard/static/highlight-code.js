"use strict";
// Colours the code near the screen, block by block, in a worker. The page stays as it is: ranges of its text are coloured.
(() => {
  const { highlighter, grammars } = document.querySelector("[data-highlighter]")?.dataset ?? {};
  if (highlighter === undefined || !("highlights" in CSS)) return;
  /** Longer code stays plain, in characters; a block that takes longer ends the worker, in milliseconds. */
  const maxLength = 50_000;
  const maxTime = 2000;
  const waiting = [];
  let worker;
  let isBusy = false;

  function colour(text, places) {
    for (const [kind, start, end] of places) {
      if (!CSS.highlights.has(kind)) CSS.highlights.set(kind, new Highlight());
      CSS.highlights
        .get(kind)
        .add(new StaticRange({ startContainer: text, startOffset: start, endContainer: text, endOffset: end }));
    }
  }

  function next() {
    const block = isBusy ? undefined : waiting.shift();
    if (block === undefined) return;
    isBusy = true;
    worker ??= new Worker(highlighter, { name: grammars });
    const end = (places) => {
      clearTimeout(timer);
      colour(block.firstChild, places);
      isBusy = false;
      next();
    };
    const timer = setTimeout(() => {
      worker.terminate();
      worker = undefined;
      end([]);
    }, maxTime);
    worker.onmessage = ({ data }) => end(data);
    worker.onerror = () => end([]);
    worker.postMessage({ code: block.textContent, language: block.dataset.language });
  }

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        waiting.push(target);
      }
      next();
    },
    { rootMargin: "600px" },
  );
  for (const block of document.querySelectorAll("code[data-language]"))
    if (block.dataset.language !== "" && block.textContent.length <= maxLength) near.observe(block);
})();
