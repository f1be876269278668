import type { FastifyInstance } from 'fastify';
import { readFile } from 'node:fs/promises';
import { hasIt } from '../conditional.ts';
import { AppError } from '../errors.ts';
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
  const files: Record<string, WebFile> = {
    '/docs': new WebFile('text/html; charset=utf-8', from(ours('page.html'))),
    '/docs/page.mjs': new WebFile(script, from(ours('page.mjs'))),
    '/docs/page.css': new WebFile(style, from(ours('page.css'))),
    '/docs/icon.svg': new WebFile('image/svg+xml', from(ours('icon.svg'))),
    '/docs/swagger-ui-bundle.js': new WebFile(
      script,
      from(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    ),
    '/docs/swagger-ui.css': new WebFile(style, from(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))),
    '/docs/openapi.json': new WebFile('application/json; charset=utf-8', async () => written(version)),
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
  app.get('/', ({ headers }, reply) => {
    // For people who type the bare address; to programs it is a path like any other that does not exist.
    if (!headers.accept?.includes('text/html')) throw new AppError('NOT_FOUND');
    return reply.redirect('docs');
  });
}

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
const ours = (name: string): string => new URL(name, import.meta.url).href;
const from = (url: string) => () => readFile(new URL(url));
const written = (version: string): Buffer => Buffer.from(JSON.stringify(openapiDocument(version)));
