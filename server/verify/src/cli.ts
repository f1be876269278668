#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { nodeHashing } from './node-hashing.ts';
import { outcomes, verifyPack, type Verification } from './verify-pack.ts';
import { lineOf, outcomeWords } from './words/words.ts';

// tailgate-verify FILE [--json]: a line for each check. The exit code is the position of the outcome: 0 proven,
// 1 tampered, 2 unreadable, 3 intact but the signer is unknown or no witness confirms it, 4 gaps.

const usage = 'usage: tailgate-verify FILE [--json]';
const unreadable = 2;

function readArguments(): { file: string; json: boolean } | undefined {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [file, ...others] = positionals;
    return file === undefined || others.length > 0 ? undefined : { file, json: values.json };
  } catch {
    return undefined;
  }
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

async function run(): Promise<number> {
  const given = readArguments();
  if (!given) {
    process.stderr.write(`${usage}\n`);
    return unreadable;
  }
  try {
    const verification = await verifyPack(createReadStream(given.file), nodeHashing);
    const report = given.json ? JSON.stringify(verification, null, 2) : textOf(verification);
    process.stdout.write(`${printable(report)}\n`);
    return outcomes.indexOf(verification.outcome);
  } catch (error) {
    process.stderr.write(`${given.file} cannot be read: ${error instanceof Error ? error.message : String(error)}\n`);
    return unreadable;
  }
}

process.exitCode = await run();
