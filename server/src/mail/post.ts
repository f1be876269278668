import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import { createTransport } from 'nodemailer';
import type { Contents } from './contents.ts';
import type { Verdict } from './smtp-verdict.ts';
import { verdictOf } from './smtp-verdict.ts';

export interface Envelope {
  /** Stays the same when the mail is sent again: mail readers show it once. */
  readonly id: string;
  /** When it became due; stays the same, too. */
  readonly date: Date;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** Those of `to` and `cc` whom this try is for. */
  readonly recipients: readonly string[];
}

export interface Letter extends Envelope, Contents {}

/** Sends mails to an SMTP server, or to a folder. */
export interface Post {
  /** Resolves with the result for each recipient. @throws for a fault of the mail or of the server */
  send(letter: Letter, signal: AbortSignal): Promise<Verdict>;
  close(): void;
}

export interface SmtpTimeouts {
  /** A slower server is tried again later. */
  readonly connectMs: number;
  readonly idleMs: number;
  /** The whole of a mail; shorter than the queue's limit for its job. */
  readonly messageMs: number;
  /** Between two searches for deferred mails: the queue announces a new mail, but not a deferred one. */
  readonly pollSeconds: number;
}
export const defaultSmtpTimeouts: SmtpTimeouts = {
  connectMs: 10_000,
  idleMs: 30_000,
  messageMs: 120_000,
  pollSeconds: 2,
};

// A mail contains drivers' text: none of it may name a file or an address to read.
const localAccessDisabled = { disableFileAccess: true, disableUrlAccess: true };

/** Mails by SMTP. */
export function smtpPost(url: string, from: string, timeouts: SmtpTimeouts): Post {
  const transport = createTransport({
    url,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.idleMs,
    ...localAccessDisabled,
  });
  return {
    send: (letter, signal) => verdictOf(letter.recipients, transport.sendMail({ ...messageOf(letter, from), signal })),
    close: () => transport.close(),
  };
}

/** Mails as `.eml` files, for trials: any mail program opens them. */
export function folderPost(folder: string, from: string): Post {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    ...localAccessDisabled,
  });
  return {
    send: async (letter) => {
      const { message } = await transport.sendMail(messageOf(letter, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${letter.id}.eml`);
      // A program that watches the folder sees whole mails only.
      await writeFile(`${file}.part`, message, { mode: 0o600 });
      await rename(`${file}.part`, file);
      return { taken: letter.recipients, refused: [], deferred: [] };
    },
    close: () => transport.close(),
  };
}

function messageOf(letter: Letter, from: string): SendMailOptions {
  const { id, date, to, cc, recipients, subject, html, text, enclosures } = letter;
  return {
    from,
    to: to.map(addressOnly),
    cc: cc.map(addressOnly),
    envelope: { from, to: recipients.map(addressOnly) },
    subject,
    date,
    html,
    text,
    attachments: enclosures.map(({ cid, fileName, mime, open }) => ({
      cid,
      filename: fileName,
      contentType: mime,
      contentDisposition: 'inline',
      content: Readable.from(open()),
    })),
    messageId: `<${id}@${domainOf(from)}>`,
    // RFC 3834, and Exchange's own header: no vacation notice comes back.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** As an object an address is not parsed again: it stays the one that was checked. */
const addressOnly = (address: string) => ({ name: '', address });

const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
