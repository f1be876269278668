import type { Host } from '../../server/src/host/host.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import type { LibraryMap } from '../../server/src/host/files/library-map.ts';
import { makeLibrary, openTestHost } from './driven-host.ts';
import { atFileEnd } from './file-end.ts';
import { createDatabase, type TestDatabase } from './postgres.ts';
import { recordedLog } from './recorded-log.ts';

export interface TestHost {
  database: TestDatabase;
  /** The connection of the service. */
  host: Host;
  /** Another program's connection to the same library: its changes insert doorbell rows. */
  clerk: Host;
}

/**
 * A database of the service with the stand-in's library beside its mirror, as an embedded start has it.
 *
 * @param map codes of the library, which the other programs there write as they are
 */
export async function createHost(map?: LibraryMap): Promise<TestHost> {
  const database = await createDatabase();
  await makeLibrary(database);
  const service = { url: database.url, library: 'PODDTA', program: 'TAILGATE', log: recordedLog(), map };
  const host = await (map ? openStandIn(service) : openTestHost(database.url, 'TAILGATE'));
  const clerk = await openTestHost(database.url, 'CLERK');
  // Before the database itself is dropped: hooks run in reverse order.
  atFileEnd(async () => {
    await host.close();
    await clerk.close();
  });
  return { database, host, clerk };
}
