import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig, settings } from '../../server/src/config.ts';
import { parseBackupCommand } from '../../server/src/ops/commands/backup-commands.ts';
import { parseDoctorCommand, opsManual } from '../../server/src/ops/commands/cli.ts';
import { readText, root } from '../house/source-file.ts';

const units = join(root, 'server/deploy/systemd');
const names = readdirSync(units);
const services = names.filter((name) => name.endsWith('.service'));
const timers = names.filter((name) => name.endsWith('.timer'));
const textOf = (name: string): string => readFileSync(join(units, name), 'utf8');
const valuesOf = (name: string, key: string): string[] =>
  [...textOf(name).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** The folder of the service in `docs/plain-machine.md`. */
const INSTALLED = '/opt/tailgate';
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tailgate-units-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The units as installed, with a program that exists on this machine. */
function installed(change: (text: string) => string = (text) => text): string[] {
  const place = mkdtempSync(join(folder, 'units-'));
  cpSync(units, place, { recursive: true });
  for (const name of services)
    writeFileSync(
      join(place, name),
      change(textOf(name)).replaceAll(`${INSTALLED}/node_modules/node/bin/node`, process.execPath),
    );
  return [...services, ...timers].map((name) => join(place, name));
}

function faultsOf(paths: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    encoding: 'utf8',
  });
  return status === 0 && stderr === '' ? '' : `${stderr}${stdout}`;
}

describe('the systemd units', () => {
  test('are valid for systemd', async ({ annotate }) => {
    if (!hasSystemd) {
      await annotate('NOT RUN: systemd-analyze is missing');
      return;
    }
    expect(faultsOf(installed())).toBe('');
    expect(faultsOf(installed((text) => text.replace('Restart=', 'Restrat=')))).toContain('Restrat');
  });

  test('run as an own user on a read-only system, without privileges', async ({ annotate }) => {
    for (const name of services) {
      expect.soft(valuesOf(name, 'User'), name).toEqual(['tailgate']);
      expect.soft(valuesOf(name, 'NoNewPrivileges'), name).toEqual(['yes']);
      expect.soft(valuesOf(name, 'ProtectSystem'), name).toEqual(['strict']);
      expect.soft(valuesOf(name, 'CapabilityBoundingSet'), name).toEqual(['']);
      expect.soft(valuesOf(name, 'LogNamespace'), name).toEqual(['tailgate']);
    }
    if (!hasSystemd) {
      await annotate('NOT RUN: systemd-analyze is missing');
      return;
    }
    const paths = installed().filter((path) => path.endsWith('.service'));
    const answer = execFileSync(
      'systemd-analyze',
      ['security', '--offline=true', '--threshold=25', '--no-pager', ...paths],
      {
        encoding: 'utf8',
      },
    );
    expect(answer.match(/Overall exposure level/g)).toHaveLength(services.length);
  });

  test('start programs and commands that exist, and each timer has its service', () => {
    for (const name of services) {
      const [node, conditions, program = '', ...words] = (valuesOf(name, 'ExecStart')[0] ?? '').split(' ');
      expect(node).toBe(`${INSTALLED}/node_modules/node/bin/node`);
      expect(conditions).toBe('--conditions=source');
      expect(readText(program)).not.toBe('');
      const isKnown = program.endsWith('main.ts') || parseDoctorCommand(words) || parseBackupCommand(words, opsManual);
      expect(isKnown).toBeTruthy();
    }
    expect(timers.map((name) => name.replace('.timer', '.service')).filter((name) => !services.includes(name))).toEqual(
      [],
    );
    expect(names).toContain('journald-tailgate.conf');
  });

  test('have an environment of real settings that the server accepts', () => {
    const known = settings.map(({ name }) => name);
    for (const name of ['tailgate.env', 'backup.env']) {
      const values = parseEnv(textOf(name));
      expect(Object.keys(values).filter((key) => !known.includes(key))).toEqual([]);
      expect(() => loadConfig({ ...values, OPS_TOKEN: 'a-token-of-32-random-characters' }, [])).not.toThrow();
    }
  });

  test('are on the page for a plain machine, and its commands name files that exist', () => {
    const page = readText('docs/plain-machine.md');
    for (const name of ['tailgate.service', ...timers]) expect.soft(page, name).toContain(name);
    expect(page).toContain('server/deploy/systemd/*.{service,timer}');
    expect(page).toContain('server/deploy/systemd/{tailgate,backup}.env');
  });
});

test('the commands of an upgrade exchange the folders each time, and the way back returns the former release', () => {
  const opt = mkdtempSync(join(folder, 'opt-'));
  const commands = readText('docs/plain-machine.md').match(/^.* && systemctl restart tailgate$/gm) ?? [];
  const [upgrade = '', back = ''] = commands.map((line) =>
    line.trim().replaceAll('/opt/', `${opt}/`).replace('systemctl restart tailgate', 'true'),
  );
  const unpack = (place: string, release: string) => {
    mkdirSync(join(opt, place));
    writeFileSync(join(opt, place, 'release'), release);
  };
  const releases = () =>
    readdirSync(opt).map((place) => `${place} ${readFileSync(join(opt, place, 'release'), 'utf8')}`);
  unpack('tailgate', '1');
  for (const release of ['2', '3', '4']) {
    unpack('tailgate-next', release);
    execFileSync('sh', ['-c', upgrade]);
  }
  expect(releases()).toEqual(['tailgate 4', 'tailgate-before 3']);
  execFileSync('sh', ['-c', back]);
  expect(releases()).toEqual(['tailgate 3', 'tailgate-next 4']);
});
