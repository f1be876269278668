#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { readFile } from 'node:fs/promises';
import { readElsewhere } from './log/proof.ts';
import { bothTrusts, noTrust, readTrust } from './log/trust.ts';
import { nodeTools } from './node-tools.ts';
import { outcomes, verifyPack, type Settings, type Verification } from './verify-pack.ts';
import { lineOf, outcomeWords } from './words/words.ts';

// tailgate-verify FILE [--trust KEY|FILE]… [--checkpoint FILE] [--json]: a line for each check. The exit code is the position of the outcome: 0 proven,
// 1 tampered, 2 unreadable, 3 intact but the signer is unknown or no witness confirms it, 4 gaps.

const usage = 'usage: tailgate-verify FILE [--trust KEY|FILE]... [--checkpoint FILE] [--json]';
const unreadable = 2;

interface Arguments {
  readonly file: string;
  readonly json: boolean;
  readonly trust: readonly string[];
  readonly checkpoint: string | undefined;
}

function readArguments(): Arguments | undefined {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        trust: { type: 'string', multiple: true, default: [] },
        checkpoint: { type: 'string' },
      },
    });
    const [file, ...others] = positionals;
    const { json, trust, checkpoint } = values;
    return file === undefined || others.length > 0 ? undefined : { file, json, trust, checkpoint };
  } catch {
    return undefined;
  }
}

/** @throws Error that names the option */
async function settingsOf({ trust: given, checkpoint }: Arguments): Promise<Settings> {
  let trust = noTrust;
  for (const each of given) {
    // A key has two plus signs, the name of a file seldom one.
    const text = /^[^+\s]+\+[0-9a-f]{8}\+/.test(each) ? each : await readFile(each, 'utf8');
    trust = bothTrusts(trust, await readTrust(text, nodeTools));
  }
  if (checkpoint === undefined) return { trust };
  const elsewhere = readElsewhere(await readFile(checkpoint, 'utf8'));
  if (!elsewhere) throw new Error(`--checkpoint: ${checkpoint} is no signed checkpoint`);
  return { trust, elsewhere };
}

function textOf({ outcome, checks }: Verification): string {
  const lines = checks.flatMap((check) => {
    const { mark, text, details } = lineOf(check, 'en');
    return [`${mark.padEnd(12)} ${text}`, ...details.map((detail) => `${' '.repeat(13)}${detail}`)];
  });
  return [...lines, '', outcomeWords(outcome, 'en')].join('\n');
}

/** The text of a hostile pack moves no cursor of a terminal. */
const printable = (text: string): string => text.replaceAll(/[^\P{C}\n]/gu, '?');

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function run(): Promise<number> {
  const given = readArguments();
  if (!given) {
    process.stderr.write(`${usage}\n`);
    return unreadable;
  }
  let settings: Settings;
  try {
    settings = await settingsOf(given);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return unreadable;
  }
  try {
    const verification = await verifyPack(createReadStream(given.file), nodeTools, settings);
    const report = given.json ? JSON.stringify(verification, null, 2) : textOf(verification);
    process.stdout.write(`${printable(report)}\n`);
    return outcomes.indexOf(verification.outcome);
  } catch (error) {
    process.stderr.write(`${given.file} cannot be read: ${messageOf(error)}\n`);
    return unreadable;
  }
}

process.exitCode = await run();
