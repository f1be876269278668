// Runs in the browser, beside Swagger UI's own bundle.
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode');

globalThis.SwaggerUIBundle({
  url: 'docs/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  // The page sends no request to another server and stores no token.
  validatorUrl: null,
  persistAuthorization: false,
});
