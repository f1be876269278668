import type { RouteKey } from '@tailgate/sync-protocol';
import { signInRow } from '../../../auth/host.ts';
import { lastWriter } from '../../../host/files/last-writer.ts';
import { HostError, onFile, type HostRow } from '../../../host/host.ts';
import { hostMoment } from '../../../host/files/local-time.ts';
import { selectSigned, updateGuarded } from '../../../host/files/statements.ts';
import { hostFiles, type ServicePart } from '../../../host/files/tables.ts';
import { rowFit } from '../row-fit.ts';
import { namesOf, stampAt } from '../host-writes.ts';
import { partOfHostRow, servicePart } from '../service-part.ts';
import type { PendingRow, RowFile, RowDeps } from './row-file.ts';
import { loadSignIns, reportForeignSignIn, confirmSignIns } from './sql.ts';

type Part = ServicePart<'RTDRVP'>;

interface SignInRow {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly employee: string;
  readonly version: number;
  readonly signed_in: boolean;
  readonly signed_in_at: Date;
  readonly shadow: string | null;
  readonly zone: string;
}

interface PendingSignIn extends PendingRow {
  readonly signIn: SignInRow;
  /** The host's last confirmed columns. */
  readonly confirmed: Part | undefined;
}

const ROUNDS = 4;
const columns = namesOf(hostFiles.RTDRVP.service);
const keys = namesOf(hostFiles.RTDRVP.key);

/**
 * The sign-in columns of RTDRVP. The row is the host's: written by compare and set, like a stop (I11). Only the service
 * records who is signed in: it reports a foreign change there and corrects it.
 */
export function signInFile({ db, host, owner, clock, log }: RowDeps): RowFile<PendingSignIn> {
  const update = updateGuarded(host, 'RTDRVP', columns);
  const select = selectSigned(host, 'RTDRVP', keys);
  const fit = rowFit(host.map);
  const wanted = (signIn: SignInRow): Part => fit('RTDRVP', rendered(signIn));

  async function write({ key, signIn, confirmed }: PendingSignIn): Promise<void> {
    if (!host.map.writes('RTDRVP')) return;
    const row = wanted(signIn);
    const stamp = stampAt(clock(), signIn.zone);
    // Without a shadow the row is as a dispatch program inserts it.
    let was = confirmed ?? servicePart('RTDRVP', () => undefined);
    for (let round = 0; round < ROUNDS; round++) {
      const values = update.bind({ key: row, row, was, stamp });
      const count = await host.transaction((tx) => onFile('RTDRVP', tx.execute(update.sql, values)));
      if (count === 1) return;
      const place = keys.map((column) => row[column]);
      const [found] = await onFile('RTDRVP', host.query(select, place));
      // The host has taken the driver off the route: there is no row to write.
      if (!found) return;
      const part = partOfHostRow('RTDRVP', found);
      if (same(part, row)) return;
      const isForeign = confirmed !== undefined && !same(part, confirmed) && !isBlank(part) && !isOurs(found, part);
      if (round === 0 && isForeign) {
        log.warn(
          { file: 'RTDRVP', key, found: part },
          'another program has changed who is signed in: the worker corrects it',
        );
        await db.query(reportForeignSignIn, [JSON.stringify({ file: 'RTDRVP', found: part, wanted: row })]);
      }
      was = part;
    }
    throw new HostError('40001', 'the row of this driver keeps changing on the host');
  }

  return {
    files: ['RTDRVP'],
    load: async (limit) => {
      const { rows } = await db.query<SignInRow & Record<string, unknown>>(loadSignIns, [limit]);
      return rows.map((signIn) => ({
        key: [signIn.facility, signIn.route_id, signIn.week_end, signIn.employee],
        version: signIn.version,
        zone: signIn.zone,
        signIn,
        confirmed: signIn.shadow === null ? undefined : decode(signIn.shadow),
      }));
    },
    describe: ({ signIn }) => JSON.stringify(rendered(signIn)),
    write: async (row) => {
      await write(row);
      return 'hosted';
    },
    confirm: async ({ key, fence }, signIns) => {
      const hosted = signIns.map(({ signIn }) => ({ ...signIn, shadow: JSON.stringify(wanted(signIn)) }));
      await db.query(confirmSignIns, [key.id, owner, fence, ...confirmSignIns.parameters(hosted)]);
    },
  };
}

function rendered({ facility, route_id, week_end, employee, signed_in, signed_in_at, zone }: SignInRow): Part {
  const key: RouteKey = { facility, id: route_id, week_end };
  const moment = (instant: Date) => hostMoment(instant, zone);
  return signInRow({ key, employee, signedIn: signed_in, signedInAt: signed_in_at, moment });
}

const readShadow: (text: string) => { readonly [column: string]: string } = JSON.parse;

function decode(text: string): Part {
  const shadow = readShadow(text);
  return servicePart('RTDRVP', (column) => shadow[column]);
}

function same(one: Part, other: Part): boolean {
  return columns.every((column) => one[column] === other[column]);
}

/** The service wrote it last: a worker was killed before it confirmed this. */
function isOurs(row: HostRow, { RDSGNF }: Part): boolean {
  return lastWriter('RTDRVP', row) === '' && ['Y', 'N'].includes(RDSGNF);
}

/** As a dispatch program inserts it. */
function isBlank(part: Part): boolean {
  return same(
    part,
    servicePart('RTDRVP', () => undefined),
  );
}
