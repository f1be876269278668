import type { Client, Receipt, SkipInput } from '@tailgate/client-sdk';
import type { RouteKey, StopObjectInput } from '@tailgate/sync-protocol';
import { columns, hostAfter, sortedLines } from './model.ts';
import type { Edit, ModelFile, ModelRoute, ModelRow } from './model.ts';
import { zone, type Service } from './service.ts';

/** The edits of one route by all authors: recorded through the app, and repeated for the model. */
export class RouteHistory {
  readonly route: RouteKey;
  readonly edits: Edit[] = [];
  /** Ids of the changes, each once. */
  readonly ids = new Set<string>();

  constructor(route: RouteKey) {
    this.route = route;
  }

  /** @param at the time of the edit, where the phone's clock differs from the test's */
  update(app: Client, stop: StopObjectInput, at = Date.now()): Receipt {
    const receipt = app.updateStop(this.route, stop);
    this.edits.push({ kind: 'update', by: driverOf(app), at, stop });
    this.ids.add(receipt.id);
    return receipt;
  }

  skip(app: Client, stop: number, fields: SkipInput): Receipt {
    const receipt = app.skipStop(this.route, stop, fields);
    this.edits.push({ kind: 'skip', by: driverOf(app), at: Date.now(), stop: { id: stop }, fields });
    this.ids.add(receipt.id);
    return receipt;
  }

  /** The final state that the host must have of this route. */
  expected(): ModelRoute {
    return hostAfter(this.edits, zone);
  }
}

/** The host's state of this route, in the model's terms. */
export async function hostStateOf(
  service: Pick<Service, 'show'>,
  { facility, id, week_end }: RouteKey,
): Promise<ModelRoute> {
  const stops = new Map<number, { [File in ModelFile]: ModelRow[] }>();
  for (const [file, prefix] of [
    ['RTSTUP', 'RU'],
    ['RTPRUP', 'RQ'],
    ['RTOSDP', 'OS'],
  ] as const) {
    const rows = await service.show(
      file,
      `${prefix}FAC = '${facility}' and ${prefix}RTE = '${id}' and ${prefix}WKE = ${week_end}`,
    );
    for (const row of rows) {
      const stop = Number(row[`${prefix}STP`]);
      const rowsOfStop = stops.get(stop) ?? { RTSTUP: [], RTPRUP: [], RTOSDP: [] };
      if (row['OSDELF'] !== 'Y')
        rowsOfStop[file].push(Object.fromEntries(columns[file].map((name) => [name, row[name]])));
      stops.set(stop, rowsOfStop);
    }
  }
  return Object.fromEntries(
    [...stops].map(([stop, { RTSTUP, RTPRUP, RTOSDP }]) => [
      stop,
      { RTSTUP, RTPRUP: sortedLines(RTPRUP), RTOSDP: sortedLines(RTOSDP) },
    ]),
  );
}

function driverOf({ driver }: Client): string {
  if (!driver.current) throw new Error('nobody is signed in on this device');
  return driver.current.employeeId;
}
