import type { Host } from '../../host/host.ts';

/** A host that refuses statements that write, while `mayWrite` is false: a second lock behind the choice of the work. */
export function readOnlyUnless(host: Host, mayWrite: () => boolean): Host {
  return {
    dialect: host.dialect,
    library: host.library,
    map: host.map,
    query: (sql, parameters) => host.query(sql, parameters),
    isAtomic: () => host.isAtomic(),
    ping: () => host.ping(),
    describe: (file) => host.describe(file),
    close: () => host.close(),
    transaction: (work) =>
      host.transaction((tx) =>
        work({
          query: (sql, parameters) => tx.query(sql, parameters),
          execute: (sql, parameters) => {
            if (mayWrite()) return tx.execute(sql, parameters);
            throw new TypeError('LEGACY_MODE: no facility is live, so the service writes nothing to the host');
          },
        }),
      ),
  };
}
