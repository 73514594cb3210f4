"use strict";
// Swagger UI in the page. It asks this server alone: no validator of others, and what is tried out goes to the same origin.
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
