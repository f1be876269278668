import { expect, test } from 'vitest';
import { banner, startHelp } from '../../server/src/runtime/banner.ts';
import { loadConfig, settings } from '../../server/src/config.ts';

const standing = {
  built: { app: true, office: true },
  place: '/srv/pod/.data/postgres',
  opsToken: { secret: 'made-up', fresh: true },
  demoOperator: { id: 'DEMO', password: 'of-the-demo' },
  open: ['/auth/*', '/route/drivers'],
};
const url = 'http://127.0.0.1:3000';

test('a first start prints all addresses, the token once, and two commands to try', () => {
  const text = banner(loadConfig({}, [], '/srv/pod'), { ...standing, url });
  expect(text.split('\n')[0]).toBe('Tailgate is ready on http://127.0.0.1:3000');
  for (const line of [
    'http://127.0.0.1:3000/app/',
    'http://127.0.0.1:3000/office/',
    'http://127.0.0.1:3000/docs',
    'ws://127.0.0.1:3000/api/sync',
    standing.place,
    'made-up',
    'DEMO, password of-the-demo',
    'operator add ID --name NAME --role ROLE',
    '1001',
    'no Db2',
    '/srv/pod/.data/mail',
    '/auth/* · /route/drivers (ACCESS=documented, SIGNUP=documented)',
  ]) {
    expect(text).toContain(line);
  }
  expect(text.match(/^ {2}curl /gm)).toHaveLength(2);
});

test('a demo day prints its drivers and their password', () => {
  const demoDay = { drivers: ['2001', '2002', '2008'], password: 'of-the-drivers' };
  const text = banner(loadConfig({ DEMO: 'day' }, []), { ...standing, url, demoDay });
  expect(text).toContain('facility D01, ready in some seconds; drivers 2001 to 2008, password of-the-drivers');
  expect(banner(loadConfig({}, []), { ...standing, url })).not.toContain('Demo day');
});

test('without the output of its build, the driver app has no address', () => {
  const text = banner(loadConfig({}, []), { ...standing, url, built: { app: false, office: true } });
  expect(text).not.toContain('/app/');
  expect(text).toContain('npm run build:web');
});

test('a later start does not repeat the token; a token from the settings is never printed', () => {
  const later = banner(loadConfig({}, [], '/srv/pod'), {
    ...standing,
    url,
    opsToken: { secret: 'made-up', fresh: false },
  });
  expect(later).not.toContain('made-up');
  expect(later).toContain('/srv/pod/.data/ops-token');
  const given = banner(loadConfig({ OPS_TOKEN: 'chosen' }, []), {
    ...standing,
    url,
    opsToken: { secret: 'chosen', fresh: false },
  });
  expect(given).not.toContain('chosen');
});

test('a worker has no address; without demo data there are no demo drivers', () => {
  const text = banner(loadConfig({ DEMO: '0' }, ['--role', 'worker']), { ...standing, url: undefined });
  expect(text).toMatch(/^Tailgate is ready \(worker only\)\n/);
  expect(text).not.toMatch(/curl|1001|http/);
});

test('--help lists the role and every setting with its default', () => {
  const help = startHelp(settings);
  expect(help).toContain('--role api|worker|all');
  for (const { name } of settings) expect(help).toMatch(new RegExp(`^  ${name} .+$`, 'm'));
  expect(help).toMatch(/^ {2}PORT .+ \(3000\)$/m);
});
