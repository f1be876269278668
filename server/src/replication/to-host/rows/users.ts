import { userRow } from '../../../auth/host.ts';
import { hostMoment } from '../../../host/files/local-time.ts';
import { putRows } from '../../../host/files/statements.ts';
import { hostFiles } from '../../../host/files/tables.ts';
import { namesOf, cachedByCount, putAll, stampAt, writeOwn } from '../host-writes.ts';
import type { PendingRow, RowFile, RowDeps } from './row-file.ts';
import { loadUsers, confirmUsers } from './sql.ts';

interface UserRow {
  readonly employee: string;
  readonly version: number;
  readonly created_at: Date;
  readonly unregistered_at: Date | null;
  readonly last_seen_at: Date | null;
  readonly active: boolean | null;
  readonly zone: string;
}

interface PendingUser extends PendingRow {
  readonly user: UserRow;
}

/** PODUSRP: the users of the driver service. */
export function userFile(deps: RowDeps): RowFile<PendingUser> {
  const { db, host, owner, clock } = deps;
  const put = cachedByCount((count) => putRows(host, 'PODUSRP', namesOf(hostFiles.PODUSRP.service), count));
  return {
    files: ['PODUSRP'],
    load: async (limit) => {
      const { rows } = await db.query<UserRow & Record<string, unknown>>(loadUsers, [limit]);
      return rows.map((user) => ({ key: [user.employee], version: user.version, zone: user.zone, user }));
    },
    describe: ({ user }) => JSON.stringify(rendered(user)),
    write: async ({ user }) => {
      await writeOwn(host, putAll('PODUSRP', put, [rendered(user)], stampAt(clock(), user.zone)));
      return 'hosted';
    },
    confirm: async ({ key, fence }, users) => {
      await db.query(confirmUsers, [key.id, owner, fence, ...confirmUsers.parameters(users)]);
    },
  };
}

function rendered({ employee, created_at, unregistered_at, last_seen_at, active, zone }: UserRow) {
  return userRow({
    employee,
    registeredAt: created_at,
    unregisteredAt: unregistered_at,
    lastSeenAt: last_seen_at,
    active,
    moment: (instant) => hostMoment(instant, zone),
  });
}
