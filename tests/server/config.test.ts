import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, settings } from '../../server/src/config.ts';
import { plainMap } from '../../server/src/host/files/library-map.ts';
import { ConfigError } from '../../server/src/variables.ts';

describe('settings', () => {
  test('an identity provider needs a client id, a page to return to, and TLS off this machine', () => {
    const load = (env: NodeJS.ProcessEnv) => loadConfig(env, []).oidc;
    const https = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'tailgate' };
    expect(load({ ...https, PUBLIC_URL: 'https://pod.example.com/x/' })).toEqual({
      issuer: 'https://id.example.com',
      clientId: 'tailgate',
      secretFile: undefined,
      redirectUrl: 'https://pod.example.com/x/office/',
      scopes: 'openid profile',
      claims: {
        id: 'preferred_username',
        role: 'groups',
        roles: { look: 'tailgate-look', repair: 'tailgate-repair', admin: 'tailgate-admin' },
      },
    });
    const page = { OIDC_REDIRECT_URL: 'http://127.0.0.1:3000/office/' };
    expect(load({ ...https, ...page, OIDC_ISSUER: 'http://127.0.0.1:9000' })?.issuer).toBe('http://127.0.0.1:9000');
    expect(() => load(https)).toThrow('OIDC_REDIRECT_URL: expected');
    expect(() => load({ ...page, OIDC_ISSUER: 'https://id.example.com' })).toThrow('OIDC_CLIENT_ID: expected');
    expect(() => load({ ...https, ...page, OIDC_ISSUER: 'http://id.example.com' })).toThrow(
      'OIDC_ISSUER: expected https',
    );
    expect(() => load({ ...https, ...page, OIDC_ROLES: 'look=a' })).toThrow('OIDC_ROLES: expected look=VALUE');
    expect(() => load({ ...https, ...page, OIDC_SCOPES: 'profile' })).toThrow('OIDC_SCOPES: expected openid');
  });

  test('an empty environment gives the documented defaults', () => {
    expect(loadConfig({}, [], resolve('/srv/pod'))).toEqual({
      role: 'all',
      port: 3000,
      listenHost: '127.0.0.1',
      databaseUrl: undefined,
      databaseListenUrl: undefined,
      cell: 'public',
      cells: undefined,
      dataDir: resolve('/srv/pod/.data'),
      backup: { dir: undefined, url: undefined, disks: [resolve('/srv/pod/.data')], certificates: [] },
      legacyUrl: undefined,
      objectStore: undefined,
      filesIn: 'objects',
      legacyLibrary: 'PODDTA',
      legacyDevLibrary: 'PODDEV',
      legacyMap: plainMap,
      legacyModes: { otherwise: 'live', facilities: new Map() },
      shadowRules: undefined,
      shadowMailTo: undefined,
      shadowSmsTo: undefined,
      smtpUrl: undefined,
      smsUrl: undefined,
      smsPerHour: 500,
      routeCloseMode: 'auto',
      autocloseSeconds: 600,
      access: 'documented',
      signup: 'documented',
      logLevel: 'info',
      logKeyFile: undefined,
      sealKeyFile: undefined,
      tsaUrl: undefined,
      witnesses: [],
      opsToken: undefined,
      operators: { idleMinutes: 30, sessionHours: 12 },
      oidc: undefined,
      metricsPort: undefined,
      metricsAccess: 'local',
      mailFrom: 'Tailgate <tailgate@localhost>',
      publicUrl: undefined,
      trustProxy: false,
      hostChanges: 'doorbell',
      hostPollSeconds: 2,
      importFrom: undefined,
      importRoutesPerMinute: undefined,
      maxFileMb: 25,
      maxFiles: 20,
      uploadQuotaMb: 10_240,
      reportQuotaMb: 64,
      maxJsonMb: 5,
      retention: {
        ledger: undefined,
        routes: undefined,
        files: undefined,
        mails: undefined,
        incidents: undefined,
        acts: undefined,
      },
      corsOrigins: [],
      otelEndpoint: undefined,
      traceShare: 1,
      warmsUp: true,
      demo: true,
      demoDay: false,
    });
  });

  test('FACILITIES names the facilities of a cell, each with its first week; CELL a schema', () => {
    const { cell, facilities } = loadConfig({ CELL: 'chicago', FACILITIES: '010, 020:20261205' }, []);
    expect([cell, facilities]).toEqual([
      'chicago',
      new Map([
        ['010', ''],
        ['020', '20261205'],
      ]),
    ]);
    for (const wrong of ['010,', '010,010', '020:2026', '020:20261345', '123456'])
      expect(() => loadConfig({ FACILITIES: wrong }, [])).toThrow('FACILITIES: expected ids of facilities');
    for (const wrong of ['Chicago', '1st', 'pgboss_x', 'pg_cell'])
      expect(() => loadConfig({ CELL: wrong }, [])).toThrow('CELL: expected');
  });

  test('CELLS has an address for all facilities, and others with one of their own', () => {
    expect(loadConfig({ CELLS: 'https://pod.example.com/, 030=https://denver.example.com/pod' }, []).cells).toEqual({
      otherwise: 'https://pod.example.com',
      facilities: new Map([['030', 'https://denver.example.com/pod']]),
    });
    for (const wrong of [
      'pod.example.com',
      '030=https://a.example.com',
      'https://a.example.com,030',
      'https://a.example.com,030=ftp://b.example.com',
      'https://a.example.com,030=https://b.example.com,030=https://c.example.com',
      'https://user:secret@a.example.com',
      'https://a.example.com?x=1',
    ])
      expect(() => loadConfig({ CELLS: wrong }, [])).toThrow('CELLS: expected an https:// or http:// address');
  });

  test('LEGACY_MODE has a default, and facilities with a mode of their own', () => {
    expect(loadConfig({ LEGACY_MODE: 'off, F01=shadow,F02=live' }, []).legacyModes).toEqual({
      otherwise: 'off',
      facilities: new Map([
        ['F01', 'shadow'],
        ['F02', 'live'],
      ]),
    });
    for (const wrong of ['on', 'live,F01', 'live,F01=on', 'F01=live', 'live,F01=off,F01=live', 'live,F00001=off'])
      expect(() => loadConfig({ LEGACY_MODE: wrong }, [])).toThrow(
        'LEGACY_MODE: expected off, shadow, live, then FACILITY=MODE',
      );
    expect(() => loadConfig({ SHADOW_MAIL_TO: 'nobody' }, [])).toThrow('SHADOW_MAIL_TO: expected a mail address');
    expect(() => loadConfig({ SHADOW_SMS_TO: 'me' }, [])).toThrow(
      'SHADOW_SMS_TO: expected a telephone number, or driver',
    );
  });

  test('the doctor checks the disks of data and backups and the public certificate, or the listed places', () => {
    const own = { DATA_DIR: 'data', BACKUP_DIR: '/backups', PUBLIC_URL: 'https://pod.example.com/x/' };
    expect(loadConfig(own, [], resolve('/srv/pod')).backup).toMatchObject({
      dir: resolve('/backups'),
      disks: [resolve('/srv/pod/data'), resolve('/backups')],
      certificates: ['https://pod.example.com/x'],
    });
    const listed = { ...own, CHECK_DISKS: '/a, b', CHECK_CERTIFICATES: 'https://other.example.com,pem/full.pem' };
    expect(loadConfig(listed, [], resolve('/srv/pod')).backup).toMatchObject({
      disks: [resolve('/a'), resolve('/srv/pod/b')],
      certificates: ['https://other.example.com', resolve('/srv/pod/pem/full.pem')],
    });
    expect(() => loadConfig({ CHECK_DISKS: '/a,,b' }, [])).toThrow('CHECK_DISKS: expected places, separated by commas');
    expect(() => loadConfig({ BACKUP_URL: 'mysql://x:secret@y' }, [])).toThrow(
      /^BACKUP_URL: expected postgres(?!.*secret)/,
    );
  });

  test('an empty variable is the same as an unset one', () => {
    const empty = Object.fromEntries(settings.map(({ name }) => [name, '']));
    expect(loadConfig(empty, [])).toEqual(loadConfig({}, []));
  });

  test('the table lists each variable with a default that is accepted when written out', () => {
    const written = Object.fromEntries(settings.flatMap((s) => (s.default === null ? [] : [[s.name, s.default]])));
    expect(loadConfig(written, [])).toEqual(loadConfig({}, []));
    expect(settings.every(({ description }) => description.length > 20)).toBe(true);
  });

  test('demo data is loaded by default only where the database and the host are embedded', () => {
    const database = { DATABASE_URL: 'postgres://db/tailgate' };
    expect(loadConfig(database, []).demo).toBe(false);
    expect(loadConfig({ LEGACY_URL: 'db2://host/POD' }, []).demo).toBe(false);
    expect(loadConfig({ ...database, DEMO: '1' }, []).demo).toBe(true);
    expect(loadConfig({ DEMO: '0' }, []).demo).toBe(false);
  });

  test('a demo day is for the embedded database and host alone', () => {
    expect(loadConfig({ DEMO: 'day' }, [])).toMatchObject({ demo: true, demoDay: true });
    const refused = { DATABASE_URL: 'postgres://db/tailgate', LEGACY_URL: 'db2://host/POD' };
    for (const [name, value] of Object.entries(refused))
      expect(() => loadConfig({ DEMO: 'day', [name]: value }, [])).toThrow(
        `DEMO: day runs on the embedded database and host alone; unset ${name}, or choose 1 or 0`,
      );
    expect(() => loadConfig({ DEMO: 'day' }, ['--role', 'api'])).toThrow('DEMO: day needs --role all, got api');
  });

  test('LISTEN uses the database itself unless a direct address is given', () => {
    const database = { DATABASE_URL: 'postgres://pooler/tailgate' };
    expect(loadConfig(database, []).databaseListenUrl).toBe('postgres://pooler/tailgate');
    const both = { ...database, DATABASE_LISTEN_URL: 'postgres://direct/tailgate' };
    expect(loadConfig(both, []).databaseListenUrl).toBe('postgres://direct/tailgate');
  });

  test('a proxy is trusted by number of hops or by address', () => {
    expect(loadConfig({ TRUST_PROXY: '2' }, []).trustProxy).toBe(2);
    expect(loadConfig({ TRUST_PROXY: '10.0.0.0/8, loopback' }, []).trustProxy).toEqual(['10.0.0.0/8', 'loopback']);
    for (const usable of ['10.0.0.1', '10.0.0.1/32', 'fd00::/8', '::1/128'])
      expect(loadConfig({ TRUST_PROXY: usable }, []).trustProxy).toEqual([usable]);
  });

  test('a password of an address has each % as %25', () => {
    const smsUrl = 'https://u:50%25off@sms.example';
    expect(loadConfig({ SMS_URL: smsUrl, LEGACY_URL: 'postgres://u:50%off@db/host' }, []).smsUrl).toBe(smsUrl);
  });

  test('the role comes from the command line', () => {
    expect(loadConfig({}, ['--role', 'worker']).role).toBe('worker');
    expect(loadConfig({}, ['--role=api']).role).toBe('api');
  });
});

describe('a wrong value stops the start with one line that names it', () => {
  test.each([
    ['PORT', 'seventy', 'PORT: expected a whole number from 0 to 65535, got "seventy"'],
    ['PORT', '65536', 'PORT: expected a whole number from 0 to 65535, got "65536"'],
    ['AUTOCLOSE_SECONDS', '-1', 'AUTOCLOSE_SECONDS: expected a whole number from 1 to 86400, got "-1"'],
    ['ACCESS', 'open', 'ACCESS: expected one of documented, strict, got "open"'],
    ['ROUTE_CLOSE_MODE', 'never', 'ROUTE_CLOSE_MODE: expected one of auto, legacy, arrival, got "never"'],
    ['PUBLIC_URL', 'pod.example', 'PUBLIC_URL: expected http://… or https://…, got "pod.example"'],
    ['MAIL_FROM', 'pod@', /^MAIL_FROM: expected a mail address, such as/],
    ['MAIL_FROM', 'a@x.example, b@x.example', /^MAIL_FROM: expected a mail address/],
    ['MAIL_FROM', 'Depot <pod@x.example>\r\nBcc: b@x.example', /^MAIL_FROM: expected a mail address/],
    ['TRUST_PROXY', 'yes', /^TRUST_PROXY: expected 0, a number of proxies, or addresses .* got "yes"$/],
    ['TRUST_PROXY', '10.0.0.0/33', /^TRUST_PROXY: expected 0, a number .* got "10.0.0.0\/33"$/],
    ['TRUST_PROXY', '::1/129', /^TRUST_PROXY: expected/],
    ['TRUST_PROXY', '10.0.0.0/0', /^TRUST_PROXY: expected/],
    ['SMS_URL', 'https://u:50%off@sms.example', /^SMS_URL: expected user and password with each % written as %25$/],
    ['ALARM_URL', 'https://u:50%off@pager.example', /^ALARM_URL: expected user and password .* %25$/],
    ['S3_URL', 'https://k:50%off@s3.example/pod-files', /^S3_URL: expected user and password .* %25$/],
    ['LEGACY_URL', 'db2://u:50%off@as400/POD', /^LEGACY_URL: expected user and password .* %25$/],
    ['SHADOW_LIBRARY', 'PODDTA', /^SHADOW_LIBRARY: expected another library than LEGACY_LIBRARY/],
    ['LEGACY_LIBRARY', 'POD"; drop', /^LEGACY_LIBRARY: expected a library name/],
    ['CCSID', '290', /^CCSID: expected one of 37, 500, 273, 297, 1140: other code pages lack letters .* got "290"$/],
    ['IMPORT_FROM', '20260231', /^IMPORT_FROM: expected a day that exists as YYYYMMDD, .* got "20260231"$/],
    ['IMPORT_FROM', '2026-11-28', /^IMPORT_FROM: expected a day/],
    ['DEMO', 'true', 'DEMO: expected one of 0, 1, day, got "true"'],
  ])('%s=%s', (name, value, message) => {
    expect(() => loadConfig({ [name]: value }, [])).toThrow(ConfigError);
    expect(() => loadConfig({ [name]: value }, [])).toThrow(message);
  });

  test('an error never repeats a value that may contain a password', () => {
    for (const name of ['DATABASE_URL', 'S3_URL', 'LEGACY_URL', 'SMTP_URL', 'SMS_URL', 'ALARM_URL', 'OPS_TOKEN']) {
      const load = () => loadConfig({ [name]: 'mysql:// user:hunter2' }, []);
      expect(load).toThrow(new RegExp(`^${name}: expected`));
      expect(load).not.toThrow(/hunter2/);
    }
  });

  test('the server does not listen on other machines’ addresses with a weak token', () => {
    const load = (LISTEN_HOST: string, OPS_TOKEN: string) => () => loadConfig({ LISTEN_HOST, OPS_TOKEN }, []);
    for (const host of ['0.0.0.0', '::', '192.168.1.7', 'pod.example'])
      expect(load(host, 'fifteen-letters')).toThrow(
        `OPS_TOKEN: expected 16 random characters or more where others are let in (LISTEN_HOST=${host}), got 15`,
      );
    expect(load('0.0.0.0', 'sixteen-letters!')).not.toThrow();
    // A trial; the start warns.
    for (const host of ['127.0.0.1', '::1', 'localhost']) expect(load(host, 'x')).not.toThrow();
  });

  test.each([[['--role', 'boss']], [['--role']], [['--rol', 'api']]])('%j', (argv) => {
    expect(() => loadConfig({}, argv)).toThrow(/^--role: .* \(npm start -- --role api\|worker\|all\)$/);
  });
});
