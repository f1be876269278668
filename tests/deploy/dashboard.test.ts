import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { faultsOf, wordsOf } from '../docs/promql.ts';
import { readText } from '../house/source-file.ts';
import { readCompose, serversOf } from './compose-file.ts';

const target = z.object({ expr: z.string(), legendFormat: z.string() });
const panel = z.object({
  id: z.number(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string(),
  description: z.string().optional(),
  datasource: z.object({ uid: z.string() }).optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(target).default([]),
});
const dashboard = z
  .object({ uid: z.string(), title: z.string(), panels: z.array(panel) })
  .parse(JSON.parse(readText('server/deploy/grafana/dashboards/tailgate.json')));
const rows = dashboard.panels.filter(({ type }) => type === 'row');
const shown = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = shown.flatMap(({ title, targets }) => targets.map((each) => ({ title, ...each })));

const compose = readCompose();
const mountOf = (service: string, path: string): string | undefined =>
  compose.services[service]?.volumes.find((volume) => volume.startsWith(`./${path}:`))?.split(':')[1];

describe('the dashboard', () => {
  test('has the rows of an operator’s questions, each with panels', () => {
    expect(rows.map(({ title }) => title)).toEqual([
      'Now',
      'Storms',
      'Lag of the host',
      'Queues of phones',
      'Disk and memory',
      'Errors',
    ]);
    expect(queries.length).toBeGreaterThan(30);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, description, targets } of shown)
      expect([title, description === undefined, targets.length > 0]).toEqual([title, false, true]);
  });

  test('no two panels overlap, and each fits the width', () => {
    const places = dashboard.panels.map(({ gridPos }) => gridPos);
    expect(places.filter(({ x, w }) => x + w > 24)).toEqual([]);
    const overlaps = places.flatMap((one, at) =>
      places
        .slice(at + 1)
        .filter(({ x, y, w, h }) => x < one.x + one.w && one.x < x + w && y < one.y + one.h && one.y < y + h),
    );
    expect(overlaps).toEqual([]);
  });

  test.each(queries)('$title: $expr uses existing figures and labels', ({ expr, legendFormat }) => {
    expect(faultsOf(expr)).toEqual([]);
    const labels = wordsOf(expr).get('LabelName') ?? [];
    const inLegend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(inLegend.filter((label) => label === undefined || !labels.includes(label))).toEqual([]);
  });

  test('a wrong query is found', () => {
    expect(faultsOf('max(tailgate_host_lag)')).toEqual(['no figure tailgate_host_lag']);
    expect(faultsOf('sum by (pod) (tailgate_parked)')).toEqual(['no label pod']);
    expect(faultsOf('max(tailgate_parked')).not.toEqual([]);
  });

  test('every alert that a panel names exists', () => {
    const alerts = readText('server/deploy/alerts.yml');
    const named = shown.flatMap(({ description = '' }) =>
      [...description.matchAll(/Tailgate\w+/g)].map(([name]) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !alerts.includes(`alert: ${name}\n`))).toEqual([]);
  });
});

describe('the profile `monitoring`', () => {
  const prometheus = z
    .object({
      rule_files: z.array(z.string()),
      scrape_configs: z.tuple([
        z.object({
          metrics_path: z.string(),
          authorization: z.object({ credentials_file: z.string() }),
          static_configs: z.tuple([z.object({ targets: z.array(z.string()) })]),
        }),
      ]),
    })
    .parse(parse(readText('server/deploy/prometheus.yml')));
  const [scrape] = prometheus.scrape_configs;

  test('reads each server with the token of its secret, and the rules that it mounts', () => {
    expect(scrape.static_configs[0].targets).toEqual(
      serversOf(compose).map(([name, { environment }]) => `${name}:${environment['PORT']}`),
    );
    const secrets = Object.keys(compose.secrets).map((name) => `/run/secrets/${name}`);
    expect(secrets).toContain(scrape.authorization.credentials_file);
    expect(prometheus.rule_files).toEqual([mountOf('prometheus', 'server/deploy/alerts.yml')]);
    expect(compose.services['prometheus']?.command).toContain(
      `--config.file=${mountOf('prometheus', 'server/deploy/prometheus.yml')}`,
    );
    expect(readText('server/deploy/make-secrets.sh')).toContain(`sed -n 's/^OPS_TOKEN=//p' server.env`);
  });

  test('gives Grafana the dashboard and its source', () => {
    const folder = 'server/deploy/grafana/provisioning';
    const { datasources } = z
      .object({ datasources: z.tuple([z.object({ uid: z.string(), url: z.string() })]) })
      .parse(parse(readText(`${folder}/datasources/prometheus.yml`)));
    const { providers } = z
      .object({ providers: z.tuple([z.object({ options: z.object({ path: z.string() }) })]) })
      .parse(parse(readText(`${folder}/dashboards/tailgate.yml`)));
    expect(new Set(shown.map(({ datasource }) => datasource?.uid))).toEqual(new Set([datasources[0].uid]));
    expect(compose.services).toHaveProperty(new URL(datasources[0].url).hostname);
    expect(providers[0].options.path).toBe(mountOf('grafana', 'server/deploy/grafana/dashboards'));
    expect(mountOf('grafana', folder)).toBe('/etc/grafana/provisioning');
  });

  test('is started on request only', () => {
    const monitoring = Object.entries(compose.services).filter(([, { profiles }]) => profiles.includes('monitoring'));
    expect(monitoring.map(([name]) => name)).toEqual(['prometheus', 'grafana']);
    for (const [, { image }] of monitoring) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
  });
});
