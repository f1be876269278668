import { dispatchRoute } from '../../server/src/host/tools/dispatch.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import type { Service } from '../system/service.ts';
import { demoRoute } from '../system/service.ts';

export interface PlannedRoute {
  readonly id: string;
  readonly name: string;
  /** Customers of its stops, in driving order. */
  readonly customers: readonly string[];
}

/** Dispatches routes on the host, as its planning program does. */
export async function dispatchRoutes({ clerk }: Service, routes: readonly PlannedRoute[]): Promise<void> {
  const { facility, week_end } = demoRoute('R100');
  const files = parseRouteFile(
    routes.map(({ id, name, customers }) => ({
      id,
      facility,
      week_end,
      name,
      trailer: 'T1',
      drivers: [{ id: '1009', type: 'DRIVER' }],
      stops: customers.map((customer, place) => ({
        id: place + 1,
        type: 'delivery',
        customer: {
          id: `X${id.slice(1)}${place}`,
          name: customer,
          contact: { phone: '312-555-0599' },
          location: { address: ['1 Main St'], city: 'Chicago', state: 'IL', zip: '60601' },
        },
        products: [{ id: '110020', name: 'Cigarettes', quantity: 10 }],
      })),
    })),
  );
  for (const file of files) await dispatchRoute(clerk, file, { user: 'PLANNER', now: new Date() });
}
