import type { FastifyInstance } from 'fastify';
import { readFile } from 'node:fs/promises';
import { EncodedBytes, sendEncoded } from '../answers/encoded-bytes.ts';

/** Swagger UI comes from its package, so the page works without a network. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI sets styles of single elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The documents of both doors: the REST interface (OpenAPI) and the sync channel (AsyncAPI). */
export interface Documents {
  readonly rest: () => object;
  readonly channel: () => object;
}

/**
 * The documentation for people (`/docs`, a page that can try everything, and `/docs/channel`) and for programs
 * (`/docs/openapi.json`, `/docs/asyncapi.json`). It is open under any ACCESS, because it contains no data. Addresses are
 * relative, for proxies that add a prefix.
 */
export function mountDocs(app: FastifyInstance, documents: Documents): void {
  const files: Record<string, WebFile> = {
    '/docs': { type: 'text/html; charset=utf-8', read: from(ownFile('page.html')) },
    '/docs/page.mjs': { type: script, read: from(ownFile('page.mjs')) },
    '/docs/page.css': { type: style, read: from(ownFile('page.css')) },
    '/docs/icon.svg': { type: 'image/svg+xml', read: from(ownFile('icon.svg')) },
    '/docs/swagger-ui-bundle.js': { type: script, read: from(theirs.bundle) },
    '/docs/swagger-ui.css': { type: style, read: from(theirs.style) },
    '/docs/openapi.json': { type: json, read: async () => Buffer.from(JSON.stringify(documents.rest())) },
    '/docs/channel': { type: 'text/html; charset=utf-8', read: from(ownFile('channel.html')) },
    '/docs/channel.mjs': { type: script, read: from(ownFile('channel.mjs')) },
    '/docs/channel.css': { type: style, read: from(ownFile('channel.css')) },
    '/docs/asyncapi.json': { type: json, read: async () => Buffer.from(JSON.stringify(documents.channel())) },
  };
  for (const [url, { type, read }] of Object.entries(files)) {
    let loaded: EncodedBytes | undefined;
    app.get(url, async (request, reply) => {
      // The links of the page are relative to `/docs` without a trailing slash.
      if (/^\/docs\/(?:\?|$)/.test(request.url)) return reply.redirect('../docs');
      if (/^\/docs\/channel\/(?:\?|$)/.test(request.url)) return reply.redirect('../channel');
      loaded ??= new EncodedBytes(await read());
      void reply.header('content-security-policy', policy);
      // RFC 8631: the link to the description of this interface.
      const described = descriptions[url];
      if (described) void reply.header('link', `<${described}>; rel="service-desc"; type="application/json"`);
      return sendEncoded(loaded, { type, cacheControl: 'no-cache' }, request, reply);
    });
  }
}

/** A file of the page, read on its first request. */
interface WebFile {
  readonly type: string;
  readonly read: () => Promise<Buffer>;
}

/** The document of each page, relative to it. */
const descriptions: Readonly<Record<string, string>> = {
  '/docs': 'docs/openapi.json',
  '/docs/channel': 'asyncapi.json',
};
const json = 'application/json; charset=utf-8';
const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
const ownFile = (name: string): string => new URL(name, import.meta.url).href;
const theirs = {
  bundle: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  style: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
};
const from = (url: string) => () => readFile(new URL(url));
