import { expect } from 'vitest';
import { operations } from '../../server/web/office/api/operations.ts';
import type { OfficeWorld } from './desk.ts';

/** Operations of the door: they need no role. */
const ofTheDoor = [
  'beginOidcSignIn',
  'changeOperatorPassword',
  'finishOidcSignIn',
  'signInOperator',
  'signOutOperator',
];

/** Operations that change nothing, though they take a body: each clerk may call them. */
const ofReaders = ['verifyEvidence'];

/** The acts of the console, and the file whose tests click each of them. */
export const acts = {
  acts: [
    'beginHold',
    'dismissQuarantined',
    'endHold',
    'releaseQuarantined',
    'repairParked',
    'retryParked',
    'revokeDevice',
    'skipParked',
  ],
  evidence: ['makeEvidenceLink', 'placeLegalHold', 'releaseLegalHold', 'revokeEvidenceLink'],
  inbox: [
    'acknowledgeIncident',
    'dismissQuarantined',
    'repairParked',
    'retryParkedCause',
    'reviewFlags',
    'skipParkedCause',
  ],
  proof: ['sendProof'],
  rescue: ['rescueQueue'],
  shadow: ['askDoctor'],
} as const;

/** Every act that the console can send. */
export const allActs = (): string[] =>
  Object.entries(operations).flatMap(([name, [method]]) =>
    method === 'GET' || ofTheDoor.includes(name) || ofReaders.includes(name) ? [] : [name],
  );

/**
 * Repeats each request of a button with the token of a clerk who may only look. Each one is refused, and none names its
 * author: the server takes it from the session.
 *
 * @returns the names of the operations
 */
export async function repeatAsLook(world: OfficeWorld): Promise<string[]> {
  const names = new Set<string>();
  const sent = world.acts().filter(({ method, url }) => !ofReaders.includes(nameOf(method, new URL(url).pathname)));
  for (const { method, url, body } of sent) {
    const headers = { ...world.headers.look, 'content-type': 'application/json' };
    const answer = await fetch(url, { method, headers, ...(body !== null && { body }) });
    expect([method, url, answer.status]).toEqual([method, url, 403]);
    expect(body ?? '').not.toContain('"by"');
    names.add(nameOf(method, new URL(url).pathname));
  }
  return [...names].sort();
}

function nameOf(method: string, path: string): string {
  const [name = path] =
    Object.entries(operations).find(([, [wanted, form]]) => {
      const pattern = new RegExp(`^/api${form.replaceAll(/:\w+/g, '[^/]+')}$`);
      return wanted === method && pattern.test(path);
    }) ?? [];
  return name;
}
