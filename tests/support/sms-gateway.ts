import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startHttpPeer } from './http-peer.ts';

export interface ReceivedSms {
  readonly to: string;
  readonly text: string;
  /** Every field of the form. */
  readonly form: URLSearchParams;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A real webhook as SMS gateways have it. It stores accepted messages; it also sees the refused ones. */
export class SmsGateway {
  readonly received: ReceivedSms[] = [];
  readonly url: string;
  /** Statuses of the next answers; then 201 as before. */
  readonly answers: number[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #taken = new Set<ReceivedSms>();

  constructor(url: string) {
    this.url = url;
  }

  take(message: ReceivedSms): number {
    this.received.push(message);
    for (const poll of [...this.#waiting]) poll();
    return this.answers.shift() ?? 201;
  }

  /** The first untaken message to this number, now or later. */
  async next(to: string): Promise<ReceivedSms> {
    return new Promise((resolve) => {
      const poll = (): void => {
        const message = this.received.find((one) => one.to === to && !this.#taken.has(one));
        if (!message) return;
        this.#taken.add(message);
        this.#waiting.delete(poll);
        resolve(message);
      };
      this.#waiting.add(poll);
      poll();
    });
  }
}

export async function startSmsGateway(): Promise<SmsGateway> {
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const [to, words] = [form.get('To') ?? '', form.get('Body') ?? ''];
    const { url: path = '', headers } = request;
    const status = gateway.take({ to, text: words, form, path, headers });
    // A client that follows a redirect is seen here.
    response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end('taken');
  };
  const url = await startHttpPeer((request, response) => void answerTo(request, response));
  const gateway = new SmsGateway(`${url}/messages`);
  return gateway;
}
