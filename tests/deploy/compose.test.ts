import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig, settings } from '../../server/src/config.ts';
import { errorCodes, operations } from '../../sync-protocol/src/index.ts';
import { readText, root } from '../house/source-file.ts';
import { filledCompose, readCompose, serversOf } from './compose-file.ts';

const compose = readCompose();
const servers = serversOf(compose);
/** All but Db2, whose image needs the privileged mode. */
const ours = Object.entries(compose.services).filter(([, { profiles }]) => !profiles.includes('db2'));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tailgate-compose-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The findings of `dclint` in a compose file: the official schema, then its rules, without those on style. */
function lint(text: string): string {
  const path = join(folder, 'docker-compose.yml');
  writeFileSync(path, text);
  const program = join(root, 'node_modules/dclint/bin/dclint.cjs');
  const options = ['--config', join(root, 'tests/deploy/dclint.json'), '--max-warnings', '0'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options, path], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

describe('docker-compose.yml', () => {
  test('fits the Compose schema', () => {
    expect(lint(filledCompose())).toBe('');
    expect(lint(filledCompose().replace('restart: unless-stopped', 'restarts: always'))).toContain('invalid-schema');
    expect(lint(filledCompose().replace('postgres:18-alpine', 'postgres'))).toContain('require-explicit-tag');
  });

  test('runs two servers behind the proxy, and the proxy uses both', () => {
    const upstreams = [...readText('server/deploy/nginx.conf').matchAll(/^\s*server (\S+):(\d+)/gm)];
    const expected = servers.map(([name, { environment }]) => [name, environment['PORT']]);
    expect(servers).toHaveLength(2);
    expect(upstreams.map(([, name, port]) => [name, port])).toEqual(expected);
  });

  test('sets only variables that the server reads', () => {
    const known = settings.map(({ name }) => name);
    const set = servers.flatMap(([, { environment }]) => Object.keys(environment));
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('its health checks request existing endpoints', () => {
    const asked = [...filledCompose().matchAll(/http:\/\/127\.0\.0\.1:\d+\/api(\/[\w/-]+)/g)].map(([, path]) => path);
    const answered = Object.values(operations).map(({ path }): string => path);
    expect(asked).toHaveLength(2);
    expect(asked.filter((path) => !answered.includes(path ?? ''))).toEqual([]);
  });

  test('its mounts and build contexts exist', () => {
    const mounted = Object.values(compose.services)
      .flatMap(({ volumes }) => volumes)
      .flatMap((volume) => (volume.startsWith('./') ? (volume.split(':')[0] ?? []) : []));
    const programs = servers.flatMap(([, { command }]) => command.filter((word) => word.endsWith('.ts')));
    const needed = [...mounted, ...programs, 'server/deploy/Dockerfile'];
    expect(programs).toHaveLength(servers.length);
    expect(needed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test.each(Object.entries(compose.services))('%s has a memory limit', (_, { mem_limit }) => {
    expect(mem_limit).toMatch(/^\d+[mg]$/);
  });

  test('its proxy limits the connections of an address to the number on the security page', () => {
    expect(readText('docs/security.md')).toContain('`limit_conn`');
    expect(readText('server/deploy/nginx.conf')).toMatch(
      /^\s*limit_conn_zone \$binary_remote_addr zone=(\w+):[^;]+;[^]*^\s*limit_conn \1 \d+;/m,
    );
  });

  test('its proxy refuses with the catalogue’s messages', () => {
    expect(readText('server/deploy/nginx.conf')).toContain(`"message":"${errorCodes.RATE_LIMITED.meaning}"`);
  });

  test.each(ours)('%s has no more rights than it needs', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // The proxy's image runs as its own user.
    const user = service.image.startsWith('nginxinc/nginx-unprivileged') ? 'nginx' : service.user;
    expect(user).toBeDefined();
    expect(user).not.toMatch(/^(root|0)\b/);
  });
});

describe('the secrets', () => {
  /** Runs the script in a copy of the folder, as an operator does in a clone. */
  function makeSecrets(): Record<string, string | undefined> {
    cpSync(join(root, 'server/deploy/make-secrets.sh'), join(folder, 'make-secrets.sh'));
    execFileSync('sh', [join(folder, 'make-secrets.sh')], { stdio: 'pipe' });
    return parseEnv(readFileSync(join(folder, 'secrets/server.env'), 'utf8'));
  }

  test('complete the server’s settings, which are then valid', () => {
    const secrets = makeSecrets();
    for (const [, { environment, command }] of servers) {
      const config = loadConfig({ ...environment, ...secrets }, command.slice(command.indexOf('--role')));
      expect(config).toMatchObject({ role: 'all', listenHost: '0.0.0.0', trustProxy: 1, demo: false });
      expect(config.databaseUrl).toMatch(/^postgres:\/\/tailgate:[0-9a-f]{48}@postgres:5432\/tailgate$/);
      expect(config.opsToken).toMatch(/^[0-9a-f]{48}$/);
    }
  });

  test('are made once, protected from other users, and never part of the file', () => {
    const secrets = makeSecrets();
    expect(makeSecrets()).toEqual(secrets);
    expect(readFileSync(join(folder, 'secrets/ops-token'), 'utf8')).toBe(secrets['OPS_TOKEN']);
    for (const { file } of Object.values(compose.secrets))
      expect(existsSync(join(folder, 'secrets', basename(file)))).toBe(true);
    expect(statSync(join(folder, 'secrets')).mode & 0o077).toBe(0);
    const inClear = Object.values(compose.services)
      .flatMap(({ environment }) => Object.keys(environment))
      .filter((name) => name in secrets || /(PASSWORD|TOKEN|SECRET|LEGACY_URL)$/.test(name));
    expect(inClear).toEqual([]);
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^server\/deploy\/secrets\//);
    expect(readText('.gitignore')).toContain('server/deploy/secrets/');
  });
});
