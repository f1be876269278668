import type { Part } from './directions.ts';

/** Programs that run elsewhere: the verifier, and the pages: a build, parts of every page, driver app, office console. */
export const pages: readonly Part[] = [
  {
    path: 'server/verify/',
    uses: [],
    why: 'a third party runs it alone: it needs nothing else of the tree',
  },
  {
    path: 'server/web/',
    uses: [],
    why: 'the server serves a folder of built files: pages and server share the protocol by the SDK alone',
  },
  {
    path: 'server/web/build/',
    uses: [],
    why: 'the build reads the sources of the pages as files',
  },
  {
    path: 'server/web/ui/',
    uses: ['client-sdk/', 'sync-protocol/', 'server/verify/src/words/'],
    usesTypes: ['server/verify/src/verify-pack.ts'],
    why: 'parts of every page: they know no screen',
  },
  {
    path: 'server/web/driver/',
    uses: ['client-sdk/', 'sync-protocol/', 'server/web/ui/', 'server/web/development/'],
    why: 'the driver app is a user of the SDK, as any other app',
  },
  {
    path: 'server/web/office/',
    uses: ['client-sdk/', 'sync-protocol/', 'server/web/ui/', 'server/web/development/', 'server/verify/src/words/'],
    usesTypes: ['server/src/ops/operations.ts'],
    why: 'the console is a user of the ops API: its types come from the schemas, its data by requests alone',
  },
  {
    path: 'server/web/evidence/',
    uses: ['server/web/ui/', 'server/web/development/'],
    why: 'the recipient of a link has no account: the page knows one operation',
  },
  {
    path: 'server/web/verify/',
    uses: ['server/web/ui/', 'server/verify/'],
    why: 'the verifier as one file: it runs without a server',
  },
  {
    path: 'server/web/office/model/',
    uses: ['client-sdk/', 'sync-protocol/', 'server/web/ui/'],
    usesTypes: ['server/web/office/'],
    why: 'a model is a pure function of what the API returns: it knows no screen',
  },
  {
    path: 'server/web/driver/model/',
    uses: ['client-sdk/', 'sync-protocol/', 'server/web/ui/'],
    usesTypes: ['server/web/driver/words/'],
    why: 'a model is a pure function of what the SDK returns: it knows no screen',
  },
];
