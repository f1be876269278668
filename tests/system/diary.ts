import type { Client, Receipt, SkipInput } from '@tailgate/client-sdk';
import type { RouteKey, StopObjectInput } from '@tailgate/sync-protocol';
import { expect } from 'vitest';
import { hostAfter, type Deed, type ModelRow } from './model.ts';
import { zone, type Service } from './service.ts';

/** What was done on one route, by whomever: recorded through the app, and remembered for the model. */
export class Diary {
  readonly route: RouteKey;
  readonly deeds: Deed[] = [];
  /** Ids of the changes, each once. */
  readonly ids = new Set<string>();

  constructor(route: RouteKey) {
    this.route = route;
  }

  /** @param at when it was, where the phone's clock is not ours */
  update(app: Client, stop: StopObjectInput, at = Date.now()): Receipt {
    const receipt = app.updateStop(this.route, stop);
    this.deeds.push({ kind: 'update', by: driverOf(app), at, stop });
    this.ids.add(receipt.id);
    return receipt;
  }

  skip(app: Client, stop: number, fields: SkipInput): Receipt {
    const receipt = app.skipStop(this.route, stop, fields);
    this.deeds.push({ kind: 'skip', by: driverOf(app), at: Date.now(), stop: { id: stop }, fields });
    this.ids.add(receipt.id);
    return receipt;
  }

  /** The host's rows of this route say what was done: all of it, once, and nothing else. */
  async expectOnHost({ show }: Service): Promise<void> {
    const { facility, id, week_end } = this.route;
    const where = (prefix: string): string =>
      `${prefix}FAC = '${facility}' and ${prefix}RTE = '${id}' and ${prefix}WKE = ${week_end}`;
    const [results, lines, exceptions] = [
      await show('RTSTUP', where('RU')),
      await show('RTPRUP', where('RQ')),
      await show('RTOSDP', where('OS')),
    ];
    const model = hostAfter(this.deeds, zone);
    expect(results.map(({ RUSTP }) => Number(RUSTP))).toEqual([...model.keys()].toSorted((a, b) => a - b));
    for (const [stop, expected] of model) {
      const of = (rows: typeof results, column: string) => rows.filter((row) => Number(row[column]) === stop);
      expect(of(results, 'RUSTP'), `RTSTUP of stop ${stop}`).toMatchObject([expected.result]);
      expectSameRows(of(lines, 'RQSTP'), expected.lines, `RTPRUP of stop ${stop}`);
      const live = of(exceptions, 'OSSTP').filter(({ OSDELF }) => OSDELF !== 'Y');
      expectSameRows(live, expected.exceptions, `RTOSDP of stop ${stop}`);
    }
  }
}

/** In any order: the host sorts by its keys, the model by the driver's doing. */
function expectSameRows(found: readonly object[], expected: readonly ModelRow[], what: string): void {
  expect(found, what).toHaveLength(expected.length);
  for (const row of expected) expect(found, what).toContainEqual(expect.objectContaining(row));
}

function driverOf({ driver }: Client): string {
  if (!driver.current) throw new Error('nobody is signed in on this device');
  return driver.current.employeeId;
}
