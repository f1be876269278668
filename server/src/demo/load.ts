import { closeInOffice, dispatchRoute, isEmptyHost, writeMasters } from '../host/tools/dispatch.ts';
import type { Host } from '../host/host.ts';
import { hostMoment } from '../host/files/local-time.ts';
import { codes } from './codes.ts';
import catalogue from './catalogue.json' with { type: 'json' };
import { demoRoutes, weekEndOf } from './routes.ts';

const zone = 'America/Chicago';
const closedRoute = 'R300';

/**
 * Loads the demo data into a host that has neither employees nor routes. @param host connected under another program
 * name than the service, so that its rows reach the doorbell like any dispatch @returns whether it loaded them
 */
export async function loadDemo(host: Host, now: Date): Promise<boolean> {
  if (!(await isEmptyHost(host))) return false;
  await writeMasters(
    host,
    { user: 'DEMO', now },
    {
      facilities: [{ FAFAC: 'F01', FANAM: 'Chicago Distribution Ctr', FATZ: zone }],
      employees: catalogue.employees.map(({ id, name }) => ({
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
  // A route that was driven before the service started.
  await closeInOffice(host, closedRoute, hostMoment(now, zone));
  return true;
}
