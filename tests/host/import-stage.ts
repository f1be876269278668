import { randomUUID } from 'node:crypto';
import { importDeps, routeFile, routeKey } from './import-fixture.ts';

type Delivery = { at?: Date; status?: string };

/** An import by doorbell or by polling, and the actors around it: dispatchers, clerks, a driver. */
export async function openStage(by: 'doorbell' | 'polling', clock?: () => Date) {
  const deps = await importDeps(by, clock);
  const { clerk, changes, dispatch, read } = deps;
  const { imports, log } = deps.openImport();

  const sql = (statement: string) => clerk.transaction((tx) => tx.execute(statement));
  /** Reported changes that were not imported. */
  const waiting = async () => (await changes.poll()).changes;

  /** A dispatched route in the mirror. */
  const imported = async (id: string, options?: Parameters<typeof routeFile>[1]) => {
    await dispatch(routeFile(id, options));
    await imports.importNow();
    return read(id);
  };

  /** Acts as a driver's phone. */
  const deliver = async (id: string, stop: number, { at = new Date(), status = 'D' }: Delivery = {}): Promise<void> => {
    const key = routeKey(id);
    await deps.pipeline.submit({
      id: randomUUID(),
      name: 'stop.update',
      version: 1,
      args: { route: key, stop: { id: stop, updates: { status } } },
      route: key,
      stop,
      actor: { kind: 'driver', employee: '1001' },
      source: 'rest',
      paths: 'current',
      editTime: at,
      receivedAt: new Date(),
      dedupeByContent: false,
    });
  };

  return { ...deps, imports, log, sql, waiting, imported, deliver };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
