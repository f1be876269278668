/**
 * Import directions between the folders of the tree. The linter reads this table (`oxlint.config.ts` marks a wrong
 * import in the editor), and `tests/house.test.ts` follows every import to its file.
 *
 *   sync-protocol: schema ◄ wire ◄ rules, rest          ◄── client-sdk
 *         ▲
 *         ├── slices ◄── mutations: intake ► apply ► quarantine; jobs
 *         │                 ▲          ▲           ▲
 *         │               http       sync     replication: from-host ► to-host ► control        mail, sms
 *         │                 │                      │  ▲                              (wake-ups)
 *         │                 └────────► ops ────────┼──┘
 *         │                                        ▼
 *         │                                host: tools, reads, db2, connection ► files
 *         └── app.ts composes all of it. wire, db and runtime are below, without a domain.
 */

import { operatorParts } from './operator-directions.ts';
import { pages } from './page-directions.ts';
import { server, sliceFolders, slices } from './slice-folders.ts';

/** A part of the tree. A file belongs to the part with the longest `path` that its own path begins with. */
export type Part = {
  /** A folder (ends in `/`) or a file. */
  path: string;
  /** Path prefixes that its imports may reach. Its own folder is always allowed. */
  uses: string[];
  /** Path prefixes that only `import type` may reach. */
  usesTypes?: string[];
  /** The reason for the direction; a finding shows it. */
  why: string;
};

const protocol = (...names: string[]): string[] => names.map((name) => `sync-protocol/src/${name}`);

const sliceTools = [
  'object-store/object-store.ts',
  'db/arrays.ts',
  'db/cell.ts',
  'db/columns.ts',
  'db/gather.ts',
  'db/notify-sql.ts',
  'db/statement.ts',
  'db/without-flush.ts',
  'runtime/hidden-characters.ts',
];

const slice = (name: string): Part => ({
  path: `server/src/${name}/`,
  uses: ['sync-protocol/', ...sliceFolders, ...server(...sliceTools)],
  usesTypes: server('db/', 'mutations/change.ts', 'host/files/', 'host/reads/'),
  why: 'a slice holds rules: the database and the host reach it as types and arguments',
});

const mutations = (name: string, uses: string[], why: string): Part => ({
  path: `server/src/mutations/${name}`,
  uses: [
    'sync-protocol/',
    ...sliceFolders,
    ...server('acts/', 'db/', 'mutations/change.ts', 'mutations/item.ts', ...uses),
  ],
  why,
});

const edge = (path: string, uses: string[], why: string): Part => ({
  path: `server/src/${path}`,
  uses: ['sync-protocol/', ...sliceFolders, ...server(...uses)],
  usesTypes: server('config.ts', 'db/', 'mutations/change.ts'),
  why,
});

export const parts: Part[] = [
  { path: 'sync-protocol/', uses: [], why: 'the protocol depends on zod alone, by the name #schema' },
  { path: 'sync-protocol/src/schema/', uses: [], why: 'values and documents are the base of the protocol' },
  { path: 'sync-protocol/src/wire/', uses: protocol('schema/'), why: 'frames carry documents' },
  {
    path: 'sync-protocol/src/rules/',
    uses: protocol('schema/'),
    usesTypes: protocol('wire/'),
    why: 'rules take documents; a transport does not change them',
  },
  { path: 'sync-protocol/src/rest/', uses: protocol('schema/', 'wire/'), why: 'an operation names its values' },
  {
    path: 'client-sdk/',
    uses: ['sync-protocol/'],
    why: 'the SDK shares the protocol with the server and nothing else',
  },

  ...slices.map(slice),
  mutations('', ['wire/'], 'a change and the item that carries it: every edge builds them'),
  mutations('intake/', ['mutations/apply/', 'mutations/jobs/'], 'intake queues items and hands batches to apply'),
  mutations(
    'apply/',
    ['mutations/quarantine/', 'mutations/jobs/wakeups.ts', 'clock/server-clock.ts'],
    'apply loads, decides and saves a batch; it does not depend on how items arrive',
  ),
  mutations('quarantine/', [], 'quarantine keeps what the rules refuse'),
  mutations(
    'jobs/',
    ['mutations/apply/sql.ts', 'mutations/apply/changes.ts', 'runtime/interval.ts'],
    'jobs follow what a batch has changed',
  ),

  {
    path: 'server/src/wire/',
    uses: ['sync-protocol/', ...sliceFolders, ...server('db/unavailable.ts')],
    why: 'both edges share it: it depends on neither',
  },
  edge('http/answers/', ['wire/'], 'an answer is built from what a handler returns'),
  edge('http/server/', ['wire/', 'http/answers/', 'db/'], 'the server limits every connection, for any request'),
  edge(
    'http/endpoints/',
    ['wire/', 'http/answers/', 'http/server/', 'mutations/', 'runtime/single-flight.ts'],
    "the drivers' operations call the mutations and the slices, never another edge",
  ),
  edge('http/openapi/', [], 'the document is printed from the operations that it receives'),
  edge('http/docs/', ['wire/', 'http/answers/'], 'the page shows the document that it receives'),
  edge('http/log/', ['wire/', 'tlog/'], 'checkpoints and tiles for auditors: hashes, without credentials'),
  edge(
    'http/pages/',
    ['wire/', 'http/answers/', 'runtime/single-flight.ts'],
    'pages for people: built files from memory; a page reaches the data by the API alone',
  ),
  edge('http/', ['wire/', 'http/', 'ops/', 'db/'], 'build.ts and operations.ts compose the edge'),
  edge(
    'sync/',
    ['wire/', 'mutations/item.ts', 'mutations/intake/', 'db/'],
    'an edge calls the mutations and the slices, never another edge',
  ),
  edge(
    'sync/plain-http/',
    ['wire/', 'acts/', 'mutations/item.ts', 'mutations/intake/', 'db/', 'sync/'],
    'the same exchange without a socket',
  ),
  edge('sync/asyncapi/', ['sync/limits.ts'], 'the document of the channel is printed from the schemas of its frames'),
  edge(
    'sync/warm-up/',
    ['mutations/item.ts', 'mutations/intake/', 'mutations/apply/sql.ts', 'sync/'],
    'the warm-up runs the real path before the first phone',
  ),

  {
    path: 'server/src/replication/',
    uses: server('demo/', 'modes/', 'replication/', 'host/', 'runtime/'),
    usesTypes: ['sync-protocol/', ...server('stops/', 'config.ts', 'db/', 'mutations/change.ts')],
    why: 'composes the work with the host',
  },
  {
    path: 'server/src/replication/to-host/',
    uses: [
      'sync-protocol/',
      ...sliceFolders,
      ...server('mutations/jobs/', 'db/', 'host/', 'replication/control/', 'runtime/interval.ts'),
    ],
    usesTypes: server('config.ts'),
    why: 'the way out writes the state of the mirror; it never reads an office edit',
  },
  {
    path: 'server/src/replication/from-host/',
    uses: [
      'sync-protocol/',
      ...sliceFolders,
      ...server(
        'mutations/',
        'db/',
        'host/',
        'replication/to-host/',
        'replication/control/',
        'incidents/',
        'runtime/zone-clock.ts',
      ),
      ...server('runtime/cell-name.ts', 'runtime/interval.ts', 'runtime/start-error.ts'),
    ],
    usesTypes: server('config.ts'),
    why: 'an office edit becomes a mutation; the import leaves the service’s own columns to the way out',
  },
  {
    path: 'server/src/replication/control/',
    uses: ['sync-protocol/', ...server('db/', 'host/', 'runtime/interval.ts')],
    why: 'control decides whether the host may be used, not for which purpose',
  },
  {
    path: 'server/src/host/',
    uses: server('host/'),
    usesTypes: server('config.ts'),
    why: 'the host is a leaf: another program could use it',
  },
  {
    path: 'server/src/host/files/',
    uses: server('runtime/zone-clock.ts', 'runtime/cell-name.ts'),
    usesTypes: server('host/host.ts'),
    why: 'the files are definitions: no connection is needed to read them',
  },
  {
    path: 'server/src/host/reads/',
    uses: server('host/host.ts', 'host/files/'),
    why: 'requests to the host: rows, the doorbell, marks of change',
  },
  {
    path: 'server/src/host/connection/',
    uses: server(
      'host/host.ts',
      'host/files/',
      'host/db2/',
      'db/pg-internals/gathering-socket.ts',
      'runtime/cell-name.ts',
    ),
    usesTypes: server('config.ts', 'db/'),
    why: 'a connection uses the files and no domain; the stand-in is PostgreSQL and shares the socket',
  },
  {
    path: 'server/src/host/db2/',
    uses: server('host/host.ts', 'host/files/', 'host/connection/'),
    usesTypes: server('config.ts'),
    why: 'a connection depends on the files and no domain',
  },
  {
    path: 'server/src/host/doctor/',
    uses: server('host/host.ts', 'host/files/', 'runtime/zone-clock.ts'),
    usesTypes: server('runtime/log.ts'),
    why: 'the doctor asks any host, and judges its answers',
  },
  {
    path: 'server/src/host/exercise/',
    uses: server('host/host.ts', 'host/files/', 'host/reads/', 'host/doctor/'),
    why: 'the exercise sends what the service sends, to any host',
  },
  {
    path: 'server/src/host/tools/',
    uses: server('host/', 'runtime/'),
    why: 'tools for people at the host: they need no mirror',
  },

  {
    path: 'server/src/db/',
    uses: server('runtime/start-error.ts', 'runtime/cell-name.ts'),
    usesTypes: server('config.ts'),
    why: 'the database layer depends on no domain',
  },
  {
    path: 'server/src/embedded-postgres/',
    uses: server('runtime/'),
    usesTypes: server('config.ts', 'db/'),
    why: 'starts and stops a PostgreSQL; queries none of the service’s tables',
  },
  {
    path: 'server/src/backup/',
    uses: server('db/statement.ts', 'embedded-postgres/', 'runtime/start-error.ts'),
    why: 'copies a PostgreSQL and runs the copy; it queries no table',
  },
  {
    path: 'server/src/machine/',
    uses: server('backup/backups.ts', 'db/sqlstate.ts', 'db/statement.ts', 'host/doctor/verdict.ts'),
    usesTypes: server('db/', 'host/doctor/'),
    why: 'the doctor of this machine: it asks, and judges by the levels of the host’s doctor',
  },
  {
    path: 'server/src/incidents/',
    uses: server('db/'),
    why: 'every part may report an incident: it knows none of them',
  },
  {
    path: 'server/src/acts/',
    uses: server('db/'),
    why: 'every part may record an act: it knows none of them',
  },
  {
    path: 'server/src/tlog/',
    uses: [
      'sync-protocol/',
      ...server('db/', 'incidents/', 'runtime/kept-secret.ts', 'runtime/start-error.ts', 'runtime/give-way.ts'),
    ],
    usesTypes: server('config.ts'),
    why: 'a reader behind all others: it turns committed rows into leaves, and no part waits for it',
  },
  {
    path: 'server/src/tlog/format/',
    uses: [],
    why: 'formats of logs are public: pure functions, which a witness uses without a server',
  },
  {
    path: 'server/src/witness/',
    uses: server('tlog/format/', 'runtime/start-error.ts'),
    why: 'a program for other organisations: it knows nothing of the server that it watches',
  },
  {
    path: 'server/src/clock/',
    uses: server('db/', 'incidents/', 'runtime/interval.ts'),
    why: 'the clock of every stamp; it reads the times of rows alone',
  },
  {
    path: 'server/src/runtime/',
    uses: server('runtime/'),
    usesTypes: server('config.ts'),
    why: 'a process and its files, ports, timers and words; no domain',
  },
  {
    path: 'server/src/config.ts',
    uses: server(
      'backup-settings.ts',
      'host/files/',
      'modes/cell-directory.ts',
      'modes/host-mode.ts',
      'oidc-settings.ts',
      'setting-values.ts',
      'variables.ts',
    ),
    why: 'reading settings starts nothing',
  },
  ...['backup-settings.ts', 'oidc-settings.ts'].map((name) => ({
    path: `server/src/${name}`,
    uses: server('setting-values.ts', 'variables.ts'),
    why: 'a group of settings',
  })),
  { path: 'server/src/variables.ts', uses: server('runtime/start-error.ts'), why: 'a variable depends on nothing' },
  {
    path: 'server/src/setting-values.ts',
    uses: server('host/files/'),
    usesTypes: server('modes/cell-facilities.ts'),
    why: 'a value of a setting depends on no running part; the files of the host are definitions',
  },

  edge(
    'mail/',
    ['db/', 'mutations/jobs/', 'runtime/zone-clock.ts', 'runtime/hidden-characters.ts', 'tlog/read-log.ts'],
    'an edge: takes wake-ups and renders what the slices return',
  ),
  edge('alarms/', ['db/', 'runtime/interval.ts'], 'an edge: sends what incidents report to a webhook'),
  edge('sms/', ['db/', 'mutations/jobs/'], 'an edge: takes wake-ups and sends queued messages'),

  ...operatorParts,

  {
    path: 'server/src/telemetry/',
    uses: ['sync-protocol/', ...server('mutations/', 'replication/', 'runtime/', 'db/statement.ts')],
    usesTypes: server('db/', 'http/server/request-watch.ts', 'host/', 'tlog/witnesses.ts'),
    why: 'every part reports to it; it calls none',
  },
  {
    path: 'server/src/demo/',
    uses: server('host/', 'auth/', 'runtime/kept-secret.ts', 'tlog/'),
    usesTypes: server('db/', 'config.ts'),
    why: 'demo data enters as host rows',
  },
  {
    path: 'server/src/demo/day/',
    uses: [
      'sync-protocol/',
      ...sliceFolders,
      ...server('demo/', 'mutations/', 'sync/', 'replication/', 'host/', 'acts/', 'db/', 'runtime/'),
    ],
    usesTypes: server('config.ts'),
    why: 'composes a day of phones, clerks and a host, and changes state by the functions of the product alone',
  },

  ...pages,

  // Programs compose.
  {
    path: 'server/src/app-files.ts',
    uses: ['server/src/', 'sync-protocol/'],
    why: 'composition by hand',
  },
  {
    path: 'server/src/object-store/',
    uses: server('db/unavailable.ts', 'runtime/start-error.ts', 'setting-values.ts'),
    why: 'a store holds bytes by key, without a rule',
  },
  {
    path: 'server/src/app.ts',
    uses: ['server/src/', 'server/package.json', 'sync-protocol/'],
    why: 'composition by hand',
  },
  { path: 'server/src/main.ts', uses: ['server/src/'], why: 'the program' },
  { path: 'server/bin/', uses: ['server/src/', 'server/package.json'], why: 'a program' },
  {
    path: 'tests/',
    uses: ['server/', 'client-sdk/', 'sync-protocol/', 'oxlint.config.ts'],
    why: 'tests may import everything',
  },
];

/** Types that the whole server may name. */
export const commonTypes = server('runtime/log.ts');

/** The part a file belongs to: the longest matching path. */
export const partOf = (file: string): Part | undefined =>
  parts
    .filter((part) => file.startsWith(part.path))
    .reduce<Part | undefined>((best, part) => (best && best.path.length >= part.path.length ? best : part), undefined);
