"use strict";
// Swagger UI. It sends requests to this server only: there is no external validator, and "Try it out" stays on this origin.
{
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
  window.SwaggerUIBundle({
    url: document.getElementById("api-description").href,
    domNode: document.getElementById("api-docs"),
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    validatorUrl: null,
    deepLinking: true,
    filter: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    supportedSubmitMethods: ["get", "post", "patch", "delete"],
  });
}
