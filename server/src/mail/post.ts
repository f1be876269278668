import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { RenderedSummary } from './render-summary.ts';

export interface Letter extends RenderedSummary {
  /** Stays the same when the letter is sent again: mail readers show it once. */
  readonly id: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
}

/** Where letters go. */
export interface Post {
  /** Resolves when the letter is taken for good; with how many of its recipients were refused. */
  send(letter: Letter, signal: AbortSignal): Promise<{ refused: number }>;
  close(): void;
}

/** A server that is silent for so long is tried again later. */
const SILENCE_MS = 30_000;
const CONNECT_MS = 10_000;

/** Mails by SMTP. A letter that only some recipients were refused of counts as sent. */
export function smtpPost(url: string, from: string): Post {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A letter is made of what drivers wrote: none of it may name a file or an address to be read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (letter, signal) => {
      const { rejected } = await transport.sendMail({ ...messageOf(letter, from), signal });
      return { refused: rejected.length };
    },
    close: () => transport.close(),
  };
}

/** Mails as `.eml` files, for trials: any mail program opens them. */
export function folderPost(folder: string, from: string): Post {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (letter) => {
      const { message } = await transport.sendMail(messageOf(letter, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${letter.id}.eml`);
      // Whoever watches the folder sees whole letters only.
      await writeFile(`${file}.part`, message, { mode: 0o600 });
      await rename(`${file}.part`, file);
      return { refused: 0 };
    },
    close: () => transport.close(),
  };
}

function messageOf({ id, to, cc, subject, html, text }: Letter, from: string) {
  return {
    from,
    to: to.map(addressOnly),
    cc: cc.map(addressOnly),
    subject,
    html,
    text,
    messageId: `<${id}@${domainOf(from)}>`,
    // RFC 3834: no vacation notice comes back.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** Given as an object an address is not parsed again: it stays the one that was checked. */
const addressOnly = (address: string) => ({ name: '', address });

const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
