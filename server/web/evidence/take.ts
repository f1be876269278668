/** The pack of a link. */
export interface Taken {
  readonly name: string;
  readonly content: Blob;
}

/** Why there is no pack. `gone`: the link is used, revoked or expired. */
export type Refused = 'gone' | 'wait' | 'unreachable';

const secretForm = /^#([\w-]{43})$/;

/** The secret of the page's address; undefined for an incomplete one. */
export const secretOf = (hash: string): string | undefined => secretForm.exec(hash)?.[1];

/** Exchanges the secret. @param page the address of the page, whose folder the API is beside */
export async function takePack(page: string, secret: string): Promise<Taken | Refused> {
  try {
    const answer = await fetch(new URL('../api/evidence/take', page), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
    if (answer.status === 429) return 'wait';
    if (answer.status >= 500) return 'unreachable';
    if (!answer.ok) return 'gone';
    return { name: nameOf(answer.headers.get('content-disposition')), content: await answer.blob() };
  } catch {
    return 'unreachable';
  }
}

const nameOf = (disposition: string | null): string =>
  /filename="?([\w-]+\.zip)/.exec(disposition ?? '')?.[1] ?? 'evidence.zip';
