import type { FastifyInstance } from 'fastify';
import { readFile } from 'node:fs/promises';
import { hasIt } from '../conditional.ts';
import { openapiDocument } from '../openapi/document.ts';
import { WebFile } from './web-file.ts';

/** Swagger UI comes from its package, not from somebody's network: the page works where there is none. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI sets the styles of single elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The documentation for people (`/docs`, a page that can try everything) and for programs (`/docs/openapi.json`).
 * Open under any ACCESS: it tells nothing of anybody's data. Addresses are relative, for proxies that add a prefix.
 */
export function mountDocs(app: FastifyInstance, version: string): void {
  const ours = (name: string) => () => readFile(new URL(name, import.meta.url));
  const theirs = (name: string) => () => readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
  const files: Record<string, WebFile> = {
    '/docs': new WebFile('text/html; charset=utf-8', ours('page.html')),
    '/docs/openapi.json': new WebFile('application/json; charset=utf-8', async () => written(version)),
    '/docs/page.mjs': new WebFile('text/javascript; charset=utf-8', ours('page.mjs')),
    '/docs/page.css': new WebFile('text/css; charset=utf-8', ours('page.css')),
    '/docs/icon.svg': new WebFile('image/svg+xml', ours('icon.svg')),
    '/docs/swagger-ui-bundle.js': new WebFile('text/javascript; charset=utf-8', theirs('swagger-ui-bundle.js')),
    '/docs/swagger-ui.css': new WebFile('text/css; charset=utf-8', theirs('swagger-ui.css')),
  };
  for (const [url, file] of Object.entries(files)) {
    app.get(url, async (request, reply) => {
      const { etag, headers, bytes } = await file.answer(request.headers['accept-encoding']);
      void reply.headers({ ...headers, etag, 'cache-control': 'no-cache', 'content-security-policy': policy });
      // RFC 8631: where programs find the description of this interface.
      if (url === '/docs')
        void reply.header('link', '<docs/openapi.json>; rel="service-desc"; type="application/json"');
      return hasIt(request, etag) ? reply.code(304).send() : reply.send(bytes);
    });
  }
  app.get('/docs/', (_request, reply) => reply.redirect('../docs'));
  app.get('/', (_request, reply) => reply.redirect('docs'));
}

const written = (version: string): Buffer => Buffer.from(JSON.stringify(openapiDocument(version)));
