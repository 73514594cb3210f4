"use strict";
// Swagger UI. It sends requests to this server only: there is no external validator, and "Try it out" stays on this origin.
{
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
  const domNode = document.getElementById("api-docs");
  // Only what the page does not have itself, and no landmark inside of its own.
  const layout = ({ React: { createElement } }) => ({
    components: {
      OperationsOnly({ getComponent, specSelectors }) {
        if (specSelectors.loadingStatus() !== "success") return null;
        const parts = [["SvgAssets"], ["AuthorizeBtnContainer", true], ["errors", true], ["operations", true]];
        const views = parts.map(([name, isConnected], key) => createElement(getComponent(name, isConnected), { key }));
        return createElement("div", { className: "swagger-ui" }, views);
      },
    },
  });
  // Some of its fields have no names, and its examples scroll.
  const names = {
    ".examples-select-element": "Example",
    ".content-type": "Media type",
    textarea: "Body",
    select: "Value",
  };
  const complete = () => {
    for (const example of domNode.querySelectorAll("pre:not([tabindex])")) example.tabIndex = 0;
    for (const [selector, name] of Object.entries(names))
      for (const field of domNode.querySelectorAll(`${selector}:not([aria-label])`)) field.ariaLabel = name;
  };
  new MutationObserver(complete).observe(domNode, { childList: true, subtree: true });
  window.SwaggerUIBundle({
    url: domNode.dataset.description,
    domNode,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [layout],
    layout: "OperationsOnly",
    validatorUrl: null,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    supportedSubmitMethods: ["get", "post", "patch", "delete"],
  });
}
