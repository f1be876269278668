import type { Part } from './directions.ts';
import { server, sliceFolders } from './slice-folders.ts';

const operators = (name: string, uses: string[], why: string): Part => ({
  path: `server/src/ops/${name}`,
  uses: [
    'sync-protocol/',
    ...sliceFolders,
    ...server('wire/', 'http/answers/', 'http/openapi/described.ts', 'db/', 'mutations/change.ts'),
    ...server(
      'mutations/item.ts',
      'runtime/start-error.ts',
      'ops/contract.ts',
      'ops/csv.ts',
      'ops/pages.ts',
      'ops/acts/author.ts',
      'ops/acts/in-turn.ts',
      'acts/',
      ...uses,
    ),
  ],
  why,
});

/** The layout of a pack has one place: the package that checks it. */
const withVerifier = (part: Part): Part => ({ ...part, uses: [...part.uses, 'server/verify/'] });

/** Import directions of the subjects of the ops API, and of its commands. */
export const operatorParts: readonly Part[] = [
  operators('', ['ops/'], 'operations.ts lists every subject; the rest is shared by all'),
  operators('acts/', [], 'acts of the office: every subject records its own'),
  operators('clock/', ['clock/', 'incidents/'], 'heals stamps by the server clock'),
  operators('doctor/', ['replication/control/'], 'the host as the doctor found it'),
  operators('drills/', ['backup/', 'incidents/', 'ops/history/'], 'backups are restored on trial, and examined'),
  operators('devices/', ['mutations/intake/', 'sync/plain-http/rescue.ts'], 'devices, rescue, the end of an account'),
  operators('first-load/', ['replication/from-host/load-progress.ts'], 'new routes, while they come from the host'),
  operators('flags/', [], 'changes taken in with a flag'),
  operators('history/', ['replication/to-host/shadow.ts'], 'the history of a stop: ledger, host, mails'),
  operators('holds/', ['replication/control/'], 'files on hold'),
  operators('legal-holds/', [], 'records that retention leaves alone'),
  operators('incidents/', [], 'incidents and their ends'),
  operators('invitations/', [], 'invitations to sign up'),
  operators(
    'oidc/',
    ['http/server/rate-limits.ts', 'ops/operators/contract.ts', 'runtime/kept-secret.ts'],
    'the sign-in by an identity provider',
  ),
  operators('operators/', ['http/server/rate-limits.ts'], 'operators and their sessions'),
  operators('parked/', ['replication/to-host/parking.ts'], 'parked routes and their way out'),
  operators('quarantine/', ['mutations/quarantine/'], 'refused changes and their way out'),
  operators(
    'replication/',
    ['replication/control/', 'replication/to-host/', 'ops/holds/'],
    'how far the host is behind',
  ),
  operators('reconciliation/', ['replication/to-host/counts/'], 'the rows of the host, counted'),
  operators(
    'shadow/',
    [
      ...['host/files/', 'host/host.ts'],
      ...['host-writes.ts', 'row-fit.ts', 'shadow.ts'].map((file) => `replication/to-host/${file}`),
    ],
    'what the service would write, compared with what another system writes',
  ),
  operators('restore/', ['incidents/'], 'a restored database is announced here'),
  operators('retention/', ['ops/legal-holds/', 'tlog/logged-sql.ts'], 'old data leaves once host and log have it'),
  operators('routes/', ['host/files/local-time.ts'], 'routes of a day and their stops'),
  operators('feed/', ['ops/flags/'], 'what has changed, for pages that follow'),
  operators('cells/', [], 'cells of a database, and their nodes'),
  operators('files/', [], 'files for people at the office'),
  operators(
    'stops/',
    [
      ...['host/files/', 'mail/recipients.ts', 'ops/history/', 'ops/routes/'],
      ...['replication/from-host/earlier-stop.ts', 'replication/to-host/shadow.ts'],
    ],
    'one stop in full, and as phone, server and host have it',
  ),
  operators(
    'proofs/',
    ['mail/', 'mutations/jobs/wakeups.ts', 'ops/history/', 'ops/stops/contract.ts'],
    'the delivery summary on request: the mail of the drivers, to an address of an operator',
  ),
  withVerifier(
    operators(
      'evidence/',
      ['http/server/rate-limits.ts', 'mail/', 'ops/history/', 'ops/legal-holds/', 'runtime/', 'tlog/'],
      'the record of a stop as a document and its files',
    ),
  ),
  operators('search/', ['ops/routes/'], 'finds what the other subjects show'),
  operators(
    'commands/',
    ['ops/', 'backup/', 'object-store/', 'runtime/', 'setting-values.ts', 'tlog/', 'host/', 'replication/'],
    'the commands of `npm run ops`',
  ),
];
