import { randomBytes } from 'node:crypto';
import type { Agent } from 'node:http';
import { request } from 'node:http';

/** A photo as a phone sends it: a form with one file, in one piece. */
export function photoForms(count: number, bytes: number): Buffer[] {
  return Array.from({ length: count }, (_, n) =>
    Buffer.concat([
      Buffer.from(
        `--b\r\ncontent-disposition: form-data; name="files"; filename="photo-${n}.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`,
      ),
      Buffer.from('ffd8ffe000104a46494600010101006000600000', 'hex'),
      randomBytes(bytes - 20),
      Buffer.from('\r\n--b--\r\n'),
    ]),
  );
}

/** Runs `work` for each item, with this many in parallel. */
export async function inParallel<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (const [i, item] of remaining) results[i] = await work(item);
    }),
  );
  return results;
}

/** Sends a form. Returns the id of the file. */
export async function sendForm(url: string, agent: Agent, form: Buffer): Promise<string> {
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': form.length };
  const { data } = readAnswer(await exchange(url, agent, headers, form));
  return data.id;
}

/** Downloads a file. Returns its length. */
export const downloadFile = async (url: string, agent: Agent): Promise<number> => (await exchange(url, agent)).length;

const readAnswer: (text: string) => { data: { id: string } } = JSON.parse;

function exchange(url: string, agent: Agent, headers = {}, body?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body ? 'POST' : 'GET', agent, headers }, (response) => {
      let text = '';
      // Latin-1 has one character per byte, so the text length equals the file length.
      response.setEncoding('latin1').on('data', (part: string) => (text += part));
      response.once('error', reject);
      response.once('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${url}: ${response.statusCode} ${text}`)),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
