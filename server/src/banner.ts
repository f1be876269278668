import type { Config } from './config.ts';

export interface Standing {
  /** Where people and phones reach us, e.g. `http://127.0.0.1:3000`. */
  url: string;
  /** Where the database lies. */
  place: string;
  opsToken: { secret: string; fresh: boolean };
}

/** What `npm start` says to a person once everything runs. The first line is what scripts wait for. */
export function banner(
  { role, dataDir, demo, legacyUrl, smtpUrl, smsUrl, opsToken }: Config,
  standing: Standing,
): string {
  const { url, place } = standing;
  const lines = [
    `Tailgate is ready on ${url}${role === 'all' ? '' : ` (${role} only)`}`,
    '',
    row('Health', `${url}/api/health · dependencies: ${url}/api/health/ready`),
    row('Sync channel', `${url.replace(/^http/, 'ws')}/api/sync`),
    row('Database', place),
    row(
      'Host',
      legacyUrl === undefined ? 'a stand-in in the same database, no Db2 (LEGACY_URL is unset)' : 'as LEGACY_URL says',
    ),
  ];
  if (smtpUrl === undefined) lines.push(row('Mails', `kept under ${dataDir}/mail (SMTP_URL is unset)`));
  if (smsUrl === undefined) lines.push(row('SMS', `kept in ${dataDir}/sms.jsonl (SMS_URL is unset)`));
  if (opsToken === undefined) {
    const { secret, fresh } = standing.opsToken;
    lines.push(
      row('Ops token', fresh ? `${secret} (shown once, kept in ${dataDir}/ops-token)` : `in ${dataDir}/ops-token`),
    );
  }
  if (demo) lines.push(row('Demo drivers', '1001 and 1002 on R100, 1003 on R200, 1005 and 1006 on R400, 1009 on R900'));
  if (demo && role !== 'worker') lines.push('', ...firstSteps(url));
  lines.push('', 'Ctrl-C stops everything.');
  return lines.join('\n');
}

function firstSteps(url: string): string[] {
  return [
    'Try it: register a driver, then fetch the route with the api_token of the answer.',
    `  curl -s ${url}/api/auth/signup -H 'content-type: application/json' -d '{"employee_id":"1001","password":"on the road"}'`,
    `  curl -s ${url}/api/route -H 'employee_id: 1001' -H 'api_token: TOKEN'`,
  ];
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(13)} ${text}`;
}
