import { dispatchRoute, writeMasters } from '../replication/host/dispatch.ts';
import type { Host } from '../replication/host/host.ts';
import { hostMoment } from '../replication/host/local-time.ts';
import { codes } from './codes.ts';
import { employees } from './catalogue.ts';
import { demoRoutes, weekEndOf } from './routes.ts';

const zone = 'America/Chicago';
const closedRoute = 'R300';

/**
 * Loads the demo data into a host that has neither employees nor routes.
 * @param host connected as another program than the service: what it writes rings the doorbell like any dispatch
 * @returns whether it was loaded
 */
export async function loadDemo(host: Host, now: Date): Promise<boolean> {
  if (!(await isEmpty(host))) return false;
  await writeMasters(
    host,
    { user: 'DEMO', now },
    {
      facilities: [{ FAFAC: 'F01', FANAM: 'Chicago Distribution Ctr', FATZ: zone }],
      employees: employees.map(([id, name]) => ({
        EMEMP: id,
        EMNAM: name,
        EMPHN: `312-555-${id.slice(-2).padStart(4, '01')}`,
        EMSTS: id === '1012' ? 'I' : 'A',
        EMFAC: 'F01',
        EMJOB: 'DRIVER',
      })),
      codes,
    },
  );
  for (const route of demoRoutes(weekEndOf(now))) await dispatchRoute(host, route, { user: 'DEMO', now });
  await close(host, now);
  return true;
}

async function isEmpty(host: Host): Promise<boolean> {
  const rows = await host.query(
    `select EMEMP as id from ${host.library}.EMPMSTP union all select RHRTE from ${host.library}.RTHDRP fetch first 1 rows only`,
  );
  return rows.length === 0;
}

/** A route that was driven before the service knew it. */
async function close(host: Host, now: Date): Promise<void> {
  const { library } = host;
  const { date, time } = hostMoment(now, zone);
  await host.transaction(async (tx) => {
    await tx.execute(`update ${library}.RTSTPP set RSSTS = 'D' where RSRTE = ? and RSSTP <> 999`, [closedRoute]);
    await tx.execute(`update ${library}.RTSTPP set RSSTS = 'C', RSARVF = 'Y' where RSRTE = ? and RSSTP = 999`, [
      closedRoute,
    ]);
    await tx.execute(
      `update ${library}.RTHDRP set RHPODS = 'C', RHRETM = 'Y', RHCLDT = ?, RHCLTM = ?, RHCLBY = 'D' where RHRTE = ?`,
      [date, time, closedRoute],
    );
  });
}
