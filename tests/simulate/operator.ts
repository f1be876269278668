import type { Chance } from './chance.ts';
import { members } from './model/members.ts';
import type { Rulings } from './model/rulings.ts';
import type { OfficeEdit } from './model/evidence.ts';
import { REFUSED_COMMENT } from './model/parked-stops.ts';
import type { RestNode } from './rest-node.ts';
import type { WorldTime } from './world-time.ts';

/** The name of an operator's program, as the acts contain it. */
const BY = 'kim';
const AUTHOR = `machine:${BY}`;

/** The code of a change of a kind that the server does not know. */
const UNKNOWN = 'UNKNOWN_MUTATION';

export interface OperatorDeps {
  readonly chance: Chance;
  readonly time: WorldTime;
  readonly rulings: Rulings;
  readonly route: string;
  readonly office: { readonly edits: OfficeEdit[]; readonly hasPlannedLateStop: boolean };
  /** Whether an employee belongs to this world. */
  readonly isOwn: (employee: string) => boolean;
}

/** A line for the log, and what is wrong with the answers. */
export interface Decision {
  readonly text: string;
  readonly wrong: readonly string[];
}

interface Entry {
  readonly quarantineId: string;
  readonly id: string;
  readonly code: string;
  readonly isOfQueue: boolean;
}

/** An operator of one route, by the operations that the console uses. */
export class Operator {
  readonly #deps: OperatorDeps;
  #notes = 0;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
  }

  /** Releases or dismisses one change. @returns the log, and what is wrong with the answer */
  async decide(node: RestNode): Promise<Decision> {
    const { chance } = this.#deps;
    const entries = await this.#open(node);
    if (entries.length === 0) return { text: '  nothing is in quarantine', wrong: [] };
    const entry = chance.one(entries);
    if (entry.isOfQueue && chance.odds(entry.code === UNKNOWN ? 0.7 : 0.2)) return this.#dismiss(node, entry);
    return this.#release(node, entry);
  }

  /** Releases every change, and dismisses those of a kind that the server does not know. @returns a decision for each */
  async releaseAll(node: RestNode): Promise<readonly Decision[]> {
    const decisions: Decision[] = [];
    for (const entry of await this.#open(node))
      decisions.push(await (entry.code === UNKNOWN ? this.#dismiss(node, entry) : this.#release(node, entry)));
    return decisions;
  }

  /** Repairs or skips a parked stop whose comment the host refuses. @returns the log, and what is wrong with the answer */
  async attend(node: RestNode): Promise<Decision> {
    const { chance, route, rulings, office, time } = this.#deps;
    const { data } = await node.asOperator('GET', '/parked?state=open&limit=100');
    if (!Array.isArray(data)) throw new Error('the parked rows are no list');
    const entries = data
      .map((each: unknown) => members(each, 'a parked entry'))
      .filter(({ route_id, payload }) => route_id === route && String(payload).includes(`"${REFUSED_COMMENT} `))
      .toSorted((a, b) => Number(a['stop_id']) - Number(b['stop_id']));
    if (entries.length === 0) return { text: '  nothing is parked', wrong: [] };
    const entry = chance.one(entries);
    const stop = Number(entry['stop_id']);
    const note = `decided ${++this.#notes}`;
    const path = `/parked/${String(entry['parked_id'])}`;
    if (chance.odds(0.4)) {
      const answer = await node.asOperator('POST', `${path}/skip`, { by: BY, reason: note });
      if (answer.status !== 200) return { text: '', wrong: [`a skip is answered ${answer.code}`] };
      rulings.skips.set(stop, { by: AUTHOR, note });
      return { text: `  ${BY} skips stop ${stop}`, wrong: [] };
    }
    const values = { driver_comments: `mended ${this.#notes}` };
    const body = { by: BY, reason: note, stop: { id: stop, updates: values } };
    const answer = await node.asOperator('POST', `${path}/repair`, body);
    if (answer.status !== 200) return { text: '', wrong: [`a repair is answered ${answer.code}`] };
    office.edits.push({ stop, values, at: time.now, by: AUTHOR });
    return { text: `  ${BY} repairs stop ${stop}: ${values.driver_comments}`, wrong: [] };
  }

  async #release(node: RestNode, { quarantineId, id, code }: Entry): Promise<Decision> {
    const { rulings, office } = this.#deps;
    const note = `released ${++this.#notes}`;
    const answer = await node.asOperator('POST', `/quarantine/${quarantineId}/release`, { by: BY, note });
    const text = `  ${BY} releases ${id}: ${answer.code ?? 'done'}`;
    if (answer.status === 200) rulings.releases.set(id, { by: AUTHOR, note });
    else if (answer.code !== code) return { text, wrong: [`a release is answered ${answer.code}`] };
    if (answer.status === 200 && !office.hasPlannedLateStop)
      return { text, wrong: [`${id} was released, and no stop is planned`] };
    return { text, wrong: [] };
  }

  async #dismiss(node: RestNode, { quarantineId, id }: Entry): Promise<Decision> {
    const note = `dismissed ${++this.#notes}`;
    const answer = await node.asOperator('POST', `/quarantine/${quarantineId}/dismiss`, { by: BY, reason: note });
    const text = `  ${BY} dismisses ${id}`;
    if (answer.status !== 200) return { text, wrong: [`a dismissal is answered ${answer.code}`] };
    this.#deps.rulings.dismissals.set(id, { by: AUTHOR, note });
    return { text, wrong: [] };
  }

  /** In the order of their ids: the ids of entries, and so the list's order, differ from run to run. */
  async #open(node: RestNode): Promise<Entry[]> {
    const { data } = await node.asOperator('GET', '/quarantine?state=open&limit=100');
    if (!Array.isArray(data)) throw new Error('the quarantine is no list');
    return data
      .map((each: unknown) => members(each, 'an entry'))
      .filter(({ employee }) => this.#deps.isOwn(String(employee)))
      .map(({ quarantine_id, id, client_id, code }) => {
        const isOfQueue = client_id !== null;
        return { quarantineId: String(quarantine_id), id: String(id), code: String(code), isOfQueue };
      })
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}
