import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../wire/errors.ts';
import { EncodedBytes, sendEncoded } from '../answers/encoded-bytes.ts';
import type { Log } from '../../runtime/log.ts';
import { BuiltFolder } from './built-folder.ts';

/** Everything from this server, and no code inside a page. */
const strict = {
  'default-src': "'none'",
  'style-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};
const policyOf = (directives: Readonly<Record<string, string>>): string =>
  Object.entries(directives)
    .map((directive) => directive.join(' '))
    .join('; ');

/** A page for people: its address below the server's, its name for them, and its headers. */
interface ServedPage {
  readonly name: keyof BuiltPages;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A page of one file, which people save: it never runs at an address of this server. */
  readonly saved?: string;
}

/** The output of the build by the page's address. */
export interface BuiltPages {
  readonly app: BuiltFolder;
  readonly office: BuiltFolder;
  readonly evidence: BuiltFolder;
}

/** @param folder with a folder for each page, as `npm run build:web` writes it */
export const openPages = (folder: string, log: Log): BuiltPages => ({
  app: new BuiltFolder(join(folder, 'app'), log),
  office: new BuiltFolder(join(folder, 'office'), log),
  evidence: new BuiltFolder(join(folder, 'evidence'), log),
});

const driverApp: ServedPage = {
  name: 'app',
  title: 'driver app',
  headers: {
    'content-security-policy': policyOf({
      ...strict,
      // The barcode reader is WebAssembly.
      'script-src': "'self' 'wasm-unsafe-eval'",
      'connect-src': "'self'",
      // Photos and signatures of the phone, before and after they are stored.
      'img-src': "'self' blob: data:",
      'media-src': "'self' blob:",
      'font-src': "'self'",
      'worker-src': "'self'",
      'manifest-src': "'self'",
    }),
    'permissions-policy': 'camera=(self), geolocation=(self), microphone=(), payment=(), usb=()',
  },
};
const officeConsole: ServedPage = {
  name: 'office',
  title: 'office console',
  headers: {
    'content-security-policy': policyOf({
      ...strict,
      'script-src': "'self'",
      'connect-src': "'self'",
      // Photos and signatures: the page fetches them with its token.
      'img-src': "'self' blob:",
    }),
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  },
};
/** For the recipient of a link, whose secret is in the fragment of the address: the page alone reads it. */
const evidencePage: ServedPage = {
  name: 'evidence',
  title: 'evidence page',
  headers: {
    'content-security-policy': policyOf({
      ...strict,
      'script-src': "'self'",
      'connect-src': "'self'",
      'img-src': "'self'",
    }),
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-robots-tag': 'noindex',
  },
  saved: 'verify.html',
};
const doorsHeaders = { 'content-security-policy': policyOf(strict), 'permissions-policy': 'camera=(), geolocation=()' };

/** A year; a changed file gets another name. */
const forGood = 'public, max-age=31536000, immutable';

/**
 * Pages for people: the doors (`/`), the driver app (`/app/`), the office console (`/office/`) and the page of a link to
 * evidence (`/evidence/`). They are open under any
 * ACCESS, because they contain no data. Addresses in pages and redirects are relative, for proxies that add a prefix.
 */
export function mountPages(app: FastifyInstance, built: BuiltPages): void {
  for (const page of [driverApp, officeConsole, evidencePage]) mountPage(app, page, built[page.name]);
  mountDoors(app);
}

function mountPage(app: FastifyInstance, { name: path, title, headers, saved }: ServedPage, built: BuiltFolder): void {
  const send = async (name: string, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const file = await built.find(name);
    if (file) {
      const cacheControl = file.hashed ? forGood : 'no-cache';
      void reply.headers(headers);
      if (name === saved) void reply.header('content-disposition', `attachment; filename="${name}"`);
      return sendEncoded(file.content, { type: file.type, cacheControl }, request, reply);
    }
    if (await built.isBuilt()) throw new AppError('NOT_FOUND');
    return reply.code(503).type('text/html; charset=utf-8').send(notBuilt(title));
  };
  app.get(`/${path}`, (request, reply) => {
    // The files of the page are relative to its folder.
    const [address = '', query] = request.url.split(/(?=\?)/);
    if (!address.endsWith('/')) return reply.redirect(`${path}/${query ?? ''}`);
    return send('index.html', request, reply);
  });
  app.get<{ Params: { '*': string } }>(`/${path}/*`, (request, reply) => send(request.params['*'], request, reply));
}

const notBuilt = (title: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tailgate</title>
<p>This server has no ${title} yet. The command <code>npm run build:web</code> builds it; then load this page again.</p>
</html>
`;

function mountDoors(app: FastifyInstance): void {
  const files = {
    '/': { name: 'doors.html', type: 'text/html; charset=utf-8' },
    '/doors.css': { name: 'doors.css', type: 'text/css; charset=utf-8' },
  };
  for (const [url, { name, type }] of Object.entries(files)) {
    let loaded: EncodedBytes | undefined;
    app.get(url, async (request, reply) => {
      // The bare address is a page for people only; programs get the usual 404.
      if (url === '/' && !request.headers.accept?.includes('text/html')) throw new AppError('NOT_FOUND');
      loaded ??= new EncodedBytes(await readFile(new URL(name, import.meta.url)));
      void reply.headers(doorsHeaders);
      const varies = url === '/' ? ['accept'] : [];
      return sendEncoded(loaded, { type, cacheControl: 'no-cache', varies }, request, reply);
    });
  }
}
