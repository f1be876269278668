import type { Config, settings } from '../config.ts';

export interface StartedServer {
  /** The address for people and phones, e.g. `http://127.0.0.1:3000`; a worker has none. */
  url: string | undefined;
  /** Whether `/app/` and `/office/` have a page to show. */
  built: { readonly app: boolean; readonly office: boolean };
  /** The place of the database. */
  place: string;
  opsToken: { secret: string; fresh: boolean };
  /** The sign-in of the demo's operator, where there is one. */
  demoOperator: { id: string; password: string } | undefined;
  /** The drivers of the demo day and their password, where there is one. */
  demoDay?: { readonly drivers: readonly string[]; readonly password: string } | undefined;
  /** The endpoints without credentials, in a few words. */
  open: readonly string[];
}

/** The output of `npm start -- --help`. */
export const startHelp = (all: typeof settings): string =>
  [
    'npm start -- [--role api|worker|all]    serves phones and office, replicates to the host, or both (all)',
    '',
    'Everything else is a variable of the environment, more of each in docs/operations.md:',
    ...all.map(({ name, default: preset, description }) => {
      const defaultText = preset === null ? '' : ` (${preset})`;
      return `  ${name.padEnd(27)} ${description}${defaultText}`;
    }),
  ].join('\n');

/** The output of `npm start` for people once everything runs. Scripts wait for the first line. */
export function banner(
  config: Config,
  { url, built, place, opsToken, demoOperator, demoDay, open }: StartedServer,
): string {
  const { role, dataDir, demo, legacyUrl, smtpUrl, smsUrl } = config;
  const lines = [
    `Tailgate is ready${url === undefined ? '' : ` on ${url}`}${role === 'all' ? '' : ` (${role} only)`}`,
    '',
  ];
  const say = (label: string, text: string) => lines.push(`  ${label.padEnd(13)} ${text}`);

  if (url !== undefined) {
    const unbuilt = 'not built yet; `npm run build:web` builds it';
    say('Driver app', built.app ? `${url}/app/` : unbuilt);
    say('Office', built.office ? `${url}/office/` : unbuilt);
    say('API', `${url}/docs (to read and to try) · ${url}/docs/openapi.json`);
    say('Health', `${url}/api/health · dependencies: ${url}/api/health/ready`);
    say('Sync channel', `${url.replace(/^http/, 'ws')}/api/sync`);
    say('Open to all', `${open.join(' · ')} (ACCESS=${config.access}, SIGNUP=${config.signup})`);
  }
  say('Database', place);
  say(
    'Host',
    legacyUrl === undefined ? 'a stand-in in the same database, no Db2 (LEGACY_URL is unset)' : 'as LEGACY_URL says',
  );
  if (smtpUrl === undefined) say('Mails', `kept under ${dataDir}/mail (SMTP_URL is unset)`);
  if (smsUrl === undefined) say('SMS', `kept in ${dataDir}/sms.jsonl (SMS_URL is unset)`);
  if (config.opsToken === undefined) {
    const file = `${dataDir}/ops-token`;
    say('Ops token', opsToken.fresh ? `${opsToken.secret} (shown once, kept in ${file})` : `in ${file}`);
  }
  if (demoOperator)
    say(
      'Operator',
      `${demoOperator.id}, password ${demoOperator.password} (of the demo; others: npm run ops -- operator add ID --name NAME --role ROLE)`,
    );
  if (demo) say('Demo drivers', '1001 and 1002 on R100, 1003 on R200, 1005 and 1006 on R400, 1009 on R900');
  if (demoDay) {
    const [first = '', last = ''] = [demoDay.drivers[0], demoDay.drivers.at(-1)];
    say('Demo day', `facility D01, ready in some seconds; drivers ${first} to ${last}, password ${demoDay.password}`);
  }
  if (demo && url !== undefined) lines.push('', ...firstSteps(url));
  lines.push('', 'Ctrl-C stops everything.');
  return lines.join('\n');
}

function firstSteps(url: string): string[] {
  const driver = '{"employee_id":"1001","password":"on the road"}';
  return [
    'Try it: register a driver, then fetch the route with the api_token of the answer.',
    `  curl -s ${url}/api/auth/signup -H 'content-type: application/json' -d '${driver}'`,
    `  curl -s ${url}/api/route -H 'employee_id: 1001' -H 'api_token: TOKEN'`,
  ];
}
