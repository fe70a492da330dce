// Sets Swagger UI up on the page. It is a file of its own because the page's
// policy runs no scripts written into it.
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#viewer",
  deepLinking: true,
  // One page shows every operation closed, so that all fit on a screen.
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  showExtensions: true,
  // Keys are not kept in the browser, and the document is not sent to a validator.
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
});
