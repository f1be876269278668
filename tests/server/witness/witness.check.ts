import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { request } from 'node:http';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { WitnessProcess } from '../../support/witness-process.ts';
import { addCheckpointText, checkpointText, cosignedAt } from '../../../server/src/tlog/format/checkpoint.ts';
import {
  ED25519,
  keyText,
  noteText,
  parseKey,
  parseNote,
  parseSignature,
  publicBytes,
  signText,
} from '../../../server/src/tlog/format/note.ts';
import { naiveGrowth, naiveRoot } from '../tlog/naive-tree.ts';

/** A log of its own: entries, and a key. */
class TestLog {
  readonly origin: string;
  readonly #key: KeyObject;
  readonly entries: Buffer[];

  constructor(origin = 'pod.example.com/log/F01', entries: readonly string[] = [], key = newKey()) {
    this.origin = origin;
    this.#key = key;
    this.entries = entries.map((entry) => Buffer.from(entry));
  }

  key(name = this.origin): string {
    return keyText({ name, algorithm: ED25519, key: publicBytes(this.#key) });
  }

  checkpoint(size: number): { text: string; note: string } {
    const root = naiveRoot(this.entries.slice(0, size));
    const text = checkpointText({ origin: this.origin, size, root });
    return { text, note: noteText({ text, signatures: [signText(text, this.origin, this.#key)] }) };
  }

  /** The growth from one size to another, as a request. */
  request(oldSize: number, size: number, proof = this.growth(oldSize, size)): string {
    return addCheckpointText({ oldSize, proof, checkpoint: this.checkpoint(size).note });
  }

  growth(oldSize: number, size: number): Buffer[] {
    return oldSize === 0 || oldSize > size ? [] : naiveGrowth(oldSize, this.entries.slice(0, size));
  }
}

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;
const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

async function post(
  witness: WitnessProcess,
  body: string | Buffer<ArrayBuffer>,
): Promise<[number, string, string | null]> {
  const answer = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body });
  return [answer.status, await answer.text(), answer.headers.get('content-type')];
}

async function newest(witness: WitnessProcess, origin: string): Promise<[number, string]> {
  const answer = await fetch(`${witness.url}/checkpoint/${encodeURIComponent(origin)}`);
  return [answer.status, await answer.text()];
}

describe('a witness', () => {
  const log = new TestLog('pod.example.com/log/F01', words);
  let witness: WitnessProcess;

  beforeEach(async () => {
    witness = await WitnessProcess.create([log.key()]);
    await witness.start();
  });

  test('signs a checkpoint and its consistent growth, and serves the newest one', async () => {
    for (const [from, to] of [
      [0, 3],
      [3, 3],
      [3, 7],
    ] as const) {
      const before = Math.floor(Date.now() / 1_000);
      const [status, line] = await post(witness, log.request(from, to));
      expect([status, line.endsWith('\n')]).toEqual([200, true]);
      const key = parseKey(witness.setting.replace(/@http.*/, ''));
      expect(key.name).toBe('witness.example.org/w1');
      const at = cosignedAt(key, log.checkpoint(to).text, parseSignature(line.trimEnd()));
      expect(at?.getTime()).toBeGreaterThanOrEqual(before * 1_000);
      expect(await newest(witness, log.origin)).toEqual([200, `${log.checkpoint(to).note}${line}`]);
    }
  });

  test('knows what it has signed after a power cut, and has the same key', async () => {
    await post(witness, log.request(0, 5));
    const { setting } = witness;
    await witness.kill9();
    await witness.start();
    expect(witness.setting).toBe(setting);
    expect(await post(witness, log.request(0, 5))).toEqual([409, '5\n', 'text/x.tlog.size']);
    expect((await post(witness, log.request(5, 7)))[0]).toBe(200);
    expect((await stat(join(witness.folder, 'key.pem'))).mode & 0o777).toBe(0o600);
  });

  test('refuses an earlier size, and names the roll-back', async () => {
    await post(witness, log.request(0, 5));
    expect(await post(witness, log.request(0, 3))).toEqual([409, '5\n', 'text/x.tlog.size']);
    expect(await post(witness, log.request(3, 7))).toEqual([409, '5\n', 'text/x.tlog.size']);
    expect(witness.output).toContain(
      'roll-back: pod.example.com/log/F01 has signed size 3 and, before or after it, size 5',
    );
    expect(witness.output).not.toContain('size 7');
    expect((await newest(witness, log.origin))[1]).toContain(log.checkpoint(5).text);
  });

  test('refuses a second history, and names the fork', async () => {
    await post(witness, log.request(0, 5));
    const other = new TestLog(log.origin, ['a', 'b', 'X', 'd', 'e', 'f', 'g']);
    await witness.knowLogs([log.key(), other.key()]);
    const [status, words5] = await post(witness, other.request(5, 5));
    expect([status, words5]).toEqual([409, `fork: ${log.origin} has signed two roots of size 5`]);
    expect((await post(witness, other.request(5, 7)))[0]).toBe(422);
    expect(witness.output).toContain('fork: pod.example.com/log/F01 has signed two roots of size 5');
    expect(witness.output).toContain('fork or wrong proof: pod.example.com/log/F01 of size 7');
    expect((await newest(witness, log.origin))[1]).toContain(log.checkpoint(5).text);
  });

  test('answers each fault with the status of the specification, and stores nothing', async () => {
    const stranger = new TestLog(log.origin, words);
    const unknown = new TestLog('pod.example.com/log/F02', words);
    const [proof = Buffer.alloc(0)] = log.growth(3, 7);
    await post(witness, log.request(0, 3));
    const before = await newest(witness, log.origin);
    const checkpoint = log.checkpoint(7).note;
    const cases: [number, string | Buffer<ArrayBuffer>][] = [
      [404, unknown.request(0, 7)],
      [403, stranger.request(3, 7)],
      [400, log.request(7, 3)],
      [422, log.request(3, 7, [])],
      [422, log.request(3, 7, [...log.growth(3, 7), proof])],
      [422, log.request(3, 3, [proof])],
      [400, ''],
      [400, `old 03\n\n${checkpoint}`],
      [400, `old x\n\n${checkpoint}`],
      [400, `old 3\nnot base64\n\n${checkpoint}`],
      [400, `old 3\n${`${proof.toString('base64')}\n`.repeat(64)}\n${checkpoint}`],
      [400, `old 3\n\n${log.checkpoint(7).text}`],
      [400, Buffer.concat([Buffer.from(log.request(3, 7)), Buffer.of(0xff, 10)])],
      [413, `${log.request(3, 7)}${'x'.repeat(20_000)}`],
    ];
    for (const [status, body] of cases) expect([(await post(witness, body))[0], body]).toEqual([status, body]);
    expect(await newest(witness, log.origin)).toEqual(before);
    expect((await newest(witness, unknown.origin))[0]).toBe(404);
    for (const path of ['', '/', '/add-checkpoint', '/checkpoint/', '/checkpoint/%', '/keys'])
      expect((await fetch(`${witness.url}${path}`)).status).toBe(404);
  });

  test('a proof from nothing has no lines', async () => {
    const [proof = Buffer.alloc(0)] = log.growth(3, 7);
    expect((await post(witness, log.request(0, 7, [proof])))[0]).toBe(422);
  });

  test('reads no endless body', async () => {
    const status = await new Promise((answered, fail) => {
      const endless = request(`${witness.url}/add-checkpoint`, { method: 'POST' }, (answer) => {
        answered(answer.statusCode);
        endless.destroy();
      });
      endless.once('error', fail);
      endless.write('x'.repeat(17_000));
    });
    expect(status).toBe(413);
  });

  test('never goes back, whichever of many requests comes first', async () => {
    await post(witness, log.request(0, 1));
    const answers = await Promise.all(
      [2, 3, 4, 5, 6, 7].flatMap((size) => [post(witness, log.request(1, size)), post(witness, log.request(1, size))]),
    );
    const signed = answers.filter(([status]) => status === 200);
    expect(signed).toHaveLength(1);
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200, 409]));
    const [, note] = await newest(witness, log.origin);
    expect(note.endsWith(signed[0]?.[1] ?? 'none')).toBe(true);
  });

  test('knows each log below an origin, and a new key without a restart', async () => {
    const second = new TestLog('pod.example.com/log/F02', words);
    expect((await post(witness, second.request(0, 2)))[0]).toBe(404);
    await witness.knowLogs([log.key(), second.key('pod.example.com/log/*')]);
    expect((await post(witness, second.request(0, 2)))[0]).toBe(200);
    const stored = parseNote((await newest(witness, second.origin))[1]);
    expect(stored.signatures).toHaveLength(2);
    const outside = new TestLog('pod.example.com/logs/F02', words);
    expect((await post(witness, outside.request(0, 2)))[0]).toBe(404);
  });
});

describe('a witness does not start', () => {
  const key = new TestLog().key();

  test('with a key whose checkpoints are lost', async () => {
    const witness = await WitnessProcess.create([key]);
    await witness.start();
    await witness.stop();
    const file = join(witness.folder, 'checkpoints.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({});
    await rm(file);
    await expect(witness.start()).rejects.toThrow('checkpoints.json or key.pem cannot be read');
    await writeFile(file, '{"a": 1}');
    await expect(witness.start()).rejects.toThrow('begin a new witness');
  });

  test.each([
    [{ WITNESS_NAME: 'a b' }, 'WITNESS_NAME: expected'],
    [{ WITNESS_PORT: '70000' }, 'WITNESS_PORT: expected a whole number'],
    [{ WITNESS_LOGS: '' }, 'WITNESS_LOGS: expected a file'],
  ])('with the setting %o', async (env, message) => {
    const witness = await WitnessProcess.create([key], env);
    await expect(witness.start()).rejects.toThrow(message);
  });

  test('with a list of logs that it cannot read', async () => {
    const witness = await WitnessProcess.create(['pod.example.com/log/F01+00000000+AAAA']);
    await expect(witness.start()).rejects.toThrow(/WITNESS_LOGS: line 3 of .*: the key of pod.example.com\/log\/F01/);
  });
});
