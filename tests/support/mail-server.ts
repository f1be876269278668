import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { atFileEnd } from './file-end.ts';
import { reservePort } from './reserved-port.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly recipients: readonly string[];
  /** Folded header lines are joined. */
  readonly headers: ReadonlyMap<string, string>;
  /** The whole message, decoded as far as quoted-printable goes. */
  readonly source: string;
}

interface Refusal {
  readonly code: number;
  readonly text: string;
}

/** A real SMTP server that stores its mails. It can go down and come back at the same address, and fail on request. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Answers still to lose: the server has taken the mail, and the connection breaks. */
  answersToLose = 0;
  /** The size limit of a mail. */
  maxBytes = Number.POSITIVE_INFINITY;
  /** Gives no answer to a recipient. */
  silent = false;
  readonly #refusals = new Map<string, Refusal>();
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  readonly #waiting = new Set<() => void>();
  #server: SMTPServer | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, answer) => {
        if (!this.silent) answer(errorOf(this.#refusals.get(address)));
      },
      onData: (stream, session, answer) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const whole = Buffer.concat(chunks);
          if (whole.length > this.maxBytes) return answer(errorOf({ code: 552, text: '5.3.4 too large' }));
          this.#store(whole.toString(), session);
          if (this.answersToLose === 0) return answer();
          this.answersToLose -= 1;
          for (const socket of this.#sockets) socket.destroy();
        });
      },
    });
    server.server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    // A client that disconnects in the middle is no fault of the test's.
    server.on('error', () => undefined);
    server.listen(this.#port, '127.0.0.1');
    await once(server.server, 'listening');
    this.#server = server;
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  /** From now on it refuses mails for this recipient. */
  refuse(address: string, code = 550, text = '5.1.1 no such mailbox here'): void {
    this.#refusals.set(address, { code, text });
  }

  /** Accepts mails for every recipient again. */
  acceptAll(): void {
    this.#refusals.clear();
  }

  /** The first mail that matches, now or later. */
  async mail(matches: (mail: ReceivedMail) => boolean): Promise<ReceivedMail> {
    for (;;) {
      const found = this.received.find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #store(raw: string, { envelope }: SMTPServerSession): void {
    const [head = ''] = raw.split('\r\n\r\n', 1);
    const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
    this.received.push({
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      recipients: envelope.rcptTo.map(({ address }) => address),
      headers: new Map(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*:\s*/, '')]),
      ),
      source: decodeQuotedPrintable(raw),
    });
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

export async function startMailServer(): Promise<MailServer> {
  const server = new MailServer(await reservePort());
  await server.up();
  atFileEnd(() => server.down());
  return server;
}

const errorOf = (refusal: Refusal | undefined): Error | null =>
  refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null;

function decodeQuotedPrintable(text: string): string {
  const joined = text.replaceAll(/=\r\n/g, '');
  return joined.replaceAll(/(=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString());
}
