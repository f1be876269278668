import { createSignal } from '../ui/signal.ts';
import type { Api } from './api/api.ts';
import { Refusal } from './api/api.ts';
import type { DataOf } from './api/operations.ts';
import type { Fault } from './api/reads.ts';
import { faultOf, onForget } from './api/reads.ts';
import type { Change, Queue } from './model/rescue.ts';
import { contentsOf, piecesOf } from './model/rescue.ts';

/** The outcome of a change. `refused`: the server has not stored it. */
export type Outcome =
  | DataOf<'rescueQueue'>['results'][number]
  | { readonly result: 'refused'; readonly fault: Fault }
  | { readonly result: 'behind'; readonly wants: number | null; readonly fork: number | null };

/** A file at the rescue desk. It stays while the operator looks at other pages, and behind the lock. */
export interface Rescue {
  readonly name: string;
  readonly queues: readonly Queue[];
  readonly stage: 'ready' | 'sending' | 'waiting' | 'done';
  /** By the id of the change. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Files that the changes name and the server lacks; undefined until it is known. */
  readonly awaited: readonly string[] | undefined;
}

export const rescue = createSignal<Rescue | undefined>(undefined);
onForget(() => rescue.set(undefined));

export function beginRescue(name: string, queues: readonly Queue[]): void {
  const withChanges = queues.filter(({ mutations }) => mutations.length > 0);
  rescue.set({ name, queues: withChanges, stage: 'ready', outcomes: new Map(), awaited: undefined });
}

/** Between two attempts while the server is away. */
const retryMs = 3_000;
const waiting = new Set<() => void>();

/** Tries again at once. */
export const tryNow = (): void => waiting.forEach((go) => go());

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => go(), retryMs);
    const go = (): void => {
      clearTimeout(timer);
      waiting.delete(go);
      removeEventListener('online', go);
      resolve();
    };
    waiting.add(go);
    addEventListener('online', go);
  });

/** A failure that may pass: no answer, an overloaded server, a session that the operator takes up again. */
const mayPass = (fault: Fault): boolean =>
  !(fault instanceof Refusal) || fault.status >= 500 || fault.status === 429 || fault.status === 401;

/** Sends each change that has no outcome yet. A lost connection keeps the file: it goes on when the server answers. */
export async function sendRescue(api: Api): Promise<void> {
  const begun = rescue.current;
  if (!begun || begun.stage === 'sending' || begun.stage === 'waiting') return;
  /** False where the operator has taken another file. */
  const change = (more: Partial<Rescue>): boolean => {
    const { current } = rescue;
    if (current?.queues !== begun.queues) return false;
    rescue.set({ ...current, ...more });
    return true;
  };
  /** Repeats a request until the server answers; undefined where the file is gone meanwhile. */
  const insist = async <Value>(ask: () => Promise<Value>): Promise<Value | Fault | undefined> => {
    while (change({ stage: 'sending' }))
      try {
        return await ask();
      } catch (error) {
        const fault = faultOf(error);
        if (!mayPass(fault)) return fault;
        if (!change({ stage: 'waiting' })) return undefined;
        await pause();
      }
    return undefined;
  };
  const keep = (changes: readonly Change[], outcomeOf: (change: Change) => Outcome): boolean => {
    const outcomes = new Map(rescue.current?.outcomes);
    for (const each of changes) outcomes.set(each.id, outcomeOf(each));
    return change({ outcomes });
  };
  const send = async (queue: Queue, changes: readonly Change[]): Promise<boolean> => {
    const { client_id, employee_id: employee } = queue;
    const answer = await insist(() =>
      api.call('rescueQueue', { params: { client_id }, body: { employee, mutations: [...changes] } }),
    );
    if (answer === undefined) return false;
    if (answer instanceof Error) {
      // One unreadable change does not hold up the others.
      const isOfOne = answer instanceof Refusal && answer.status === 400 && changes.length > 1;
      if (!isOfOne) return keep(changes, () => ({ result: 'refused', fault: answer }));
      for (const each of changes) if (!(await send(queue, [each]))) return false;
      return true;
    }
    const { results, wants, fork } = answer.data;
    const byId = new Map(results.map((result) => [result.id, result]));
    return keep(changes, ({ id }) => byId.get(id) ?? { result: 'behind', wants, fork });
  };
  for (const queue of begun.queues)
    for (const piece of piecesOf(queue.mutations)) if (!(await send(queue, piece))) return;
  const awaited: string[] = [];
  for (const asset_id of begun.queues.flatMap((queue) => contentsOf(queue).files)) {
    const isHere = await insist(() => api.exists('readOpsAsset', { params: { asset_id } }));
    if (isHere === undefined) return;
    if (isHere !== true) awaited.push(asset_id);
  }
  change({ stage: 'done', awaited });
}
