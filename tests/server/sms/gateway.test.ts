import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { fileGateway, GatewayError, webhookGateway } from '../../../server/src/sms/gateway.ts';
import { textOf } from '../../../server/src/sms/text-messages.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { reservePort } from '../../support/reserved-port.ts';
import type { SmsGateway } from '../../support/sms-gateway.ts';
import { startSmsGateway } from '../../support/sms-gateway.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const message = { to: '+13125550100', text: 'Grüße & more = 100 %' };
const neverAborted = (): AbortSignal => new AbortController().signal;

let server: SmsGateway;
beforeAll(async () => {
  server = await startSmsGateway();
});

/** Sends a message; resolves with the error, if any. */
const sending = (address: string, signal = neverAborted()): Promise<unknown> =>
  webhookGateway(address)
    .send(message, signal)
    .then(
      () => 'sent',
      (error: unknown) => error,
    );

describe('a message by webhook', () => {
  test('is a form with number and text in the fields of the common gateways', async () => {
    expect(await sending(server.url)).toBe('sent');
    const { form, headers, path } = await server.next(message.to);
    expect(headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect(Object.fromEntries(form)).toEqual({
      To: message.to,
      Body: message.text,
      to: message.to,
      text: message.text,
    });
    expect(path).toBe('/messages');
    expect(headers.authorization).toBeUndefined();
  });

  test('sends user and password as Basic authorization, and the fields behind #', async () => {
    const { host } = new URL(server.url);
    const address = `http://AC1:p%40ss@${host}/2010/Accounts/AC1/Messages.json?key=1#From=%2B13125550199&StatusCallback=none`;
    expect(await sending(address)).toBe('sent');
    const { form, headers, path } = await server.next(message.to);
    expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:p@ss').toString('base64')}`);
    expect(path).toBe('/2010/Accounts/AC1/Messages.json?key=1');
    expect(form.get('From')).toBe('+13125550199');
    expect(form.get('StatusCallback')).toBe('none');
  });

  test.each([
    [400, true],
    [404, true],
    [401, false],
    [408, false],
    [429, false],
    [500, false],
    [503, false],
  ])('with answer %i has failed permanently: %s', async (status, final) => {
    server.answers.push(status);
    const error = await sending(server.url);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ final, message: `the gateway answered ${status}` });
  });

  test('goes to the configured address only', async () => {
    const before = server.received.length;
    server.answers.push(307);
    expect(await sending(server.url)).toMatchObject({ final: false });
    expect(server.received.slice(before).map(({ path }) => path)).toEqual(['/messages']);
  });

  test('is sent again later if the gateway is unreachable or does not answer', async () => {
    const giveUp = new AbortController();
    const silent = createServer((socket) => {
      atFileEnd(async () => void socket.destroy());
      giveUp.abort();
    });
    const port = await reservePort();
    silent.listen(port, '127.0.0.1');
    await once(silent, 'listening');
    const address = `http://127.0.0.1:${port}/`;
    expect(await sending(address, giveUp.signal)).toMatchObject({ final: false });
    silent.close();
    expect(await sending(address)).toMatchObject({ final: false, message: 'the gateway cannot be reached' });
  });

  test('leaves neither number nor text nor password in an error', async () => {
    server.answers.push(500);
    const { host } = new URL(server.url);
    const error = await sending(`http://AC1:hidden@${host}/messages`);
    expect(String(error)).not.toMatch(/3125550100|Grüße|hidden/);
  });
});

describe('a message written to the file', () => {
  test('is a line of JSON with number, text and time, with mode 600', async () => {
    const file = join(await temporaryFolder(), 'sms.jsonl');
    const gateway = fileGateway(file, () => new Date('2026-11-21T16:00:00Z'));
    await Promise.all([1, 2, 3].map((n) => gateway.send({ ...message, text: `${n}\nnew line` }, neverAborted())));
    const lines = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toHaveLength(3);
    expect(lines).toContainEqual({ to: message.to, text: '2\nnew line', at: '2026-11-21T16:00:00.000Z' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('contract §2: the text of a message', () => {
  const asked_at = '2026-11-21T16:00:00Z';

  test('a one-time password is its only word of eight capitals and digits, for any employee', () => {
    for (const employee of ['1001', 'ABCDEFGH', '22334455']) {
      const text = textOf({ kind: 'one_time_password', employee, asked_at }, 'K7QZ2MNP');
      expect(text.match(/\b[A-Z2-9]{8}\b/g)).toEqual(['K7QZ2MNP']);
    }
  });

  test('fits one text message of 160 printable ASCII characters', () => {
    for (const kind of ['one_time_password', 'signed_up'] as const) {
      const text = textOf({ kind, employee: '1234567890', asked_at }, 'K7QZ2MNP');
      expect(text).toMatch(/^[\x20-\x7e]{40,160}$/);
    }
  });
});
