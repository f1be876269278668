import type { Api } from './api/api.ts';
import type { DataOf } from './api/operations.ts';

/** What the identity provider added to the address of the page. */
type ProviderAnswer = ReadonlyMap<string, string>;

/** A sign-in that this tab has begun: its secret, and the page to return to. */
interface Begun {
  readonly verifier: string;
  readonly hash: string;
}

const storageKey = 'tailgate-provider-sign-in';

/** The sign-in at the identity provider did not take place, or began elsewhere. */
export class NoProviderSignIn extends Error {
  override readonly name = 'NoProviderSignIn';
  readonly why: 'declined' | 'foreign' | 'insecure';

  constructor(why: 'declined' | 'foreign' | 'insecure') {
    super(why);
    this.why = why;
  }
}

/**
 * Leaves for the identity provider. The verifier stays in this tab, and its SHA-256 begins the sign-in: a code in a
 * foreign address signs no one in (decision 114).
 *
 * @throws Refusal, Unreachable, NoProviderSignIn
 */
export async function leaveForProvider(api: Api): Promise<void> {
  // Browsers hash on https and on this machine alone.
  if (!isSecureContext) throw new NoProviderSignIn('insecure');
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const { data } = await api.call('beginOidcSignIn', { body: { challenge: base64url(new Uint8Array(hash)) } });
  const begun: Begun = { verifier, hash: location.hash };
  sessionStorage.setItem(storageKey, JSON.stringify(begun));
  location.assign(data.url);
}

let answer: ProviderAnswer | undefined;

/** Takes the answer of the identity provider out of the address, once, before the router reads it. */
export function takeProviderAnswer(): void {
  const fields = new URLSearchParams(location.search);
  if (!fields.has('state') || !(fields.has('code') || fields.has('error'))) return;
  answer = new Map(fields);
  history.replaceState(history.state, '', `${location.pathname}${readBegun()?.hash ?? ''}`);
}

/** Whether the identity provider has just sent the browser back. */
export const isBackFromProvider = (): boolean => answer !== undefined;

/** Opens the session of the provider's answer. @throws Refusal, Unreachable, NoProviderSignIn */
export async function finishAtServer(api: Api): Promise<DataOf<'finishOidcSignIn'>> {
  const [given, own] = [answer, readBegun()];
  answer = undefined;
  sessionStorage.removeItem(storageKey);
  const [code, state] = [given?.get('code'), given?.get('state')];
  if (!own) throw new NoProviderSignIn('foreign');
  if (code === undefined || state === undefined) throw new NoProviderSignIn('declined');
  const body = { verifier: own.verifier, state, code, iss: given?.get('iss') };
  return (await api.call('finishOidcSignIn', { body })).data;
}

function readBegun(): Begun | undefined {
  const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
  const isBegun = kept instanceof Object && 'verifier' in kept && 'hash' in kept;
  return isBegun ? { verifier: String(kept.verifier), hash: String(kept.hash) } : undefined;
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
