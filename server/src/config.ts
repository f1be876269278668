import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { backupVariables, readBackupSettings } from './backup-settings.ts';
import { plainMap } from './host/files/library-map.ts';
import { cellDirectory } from './modes/cell-directory.ts';
import { legacyModes } from './modes/host-mode.ts';
import { oidcVariables, readOidcSettings } from './oidc-settings.ts';
import {
  ccsid,
  cellFacilities,
  cellName,
  flag,
  hostAddress,
  isThisMachine,
  legacyMap,
  library,
  mailAddress,
  oneOf,
  origins,
  postgresUrl,
  proxies,
  sender,
  share,
  storeAddress,
  telephoneOrDriver,
  urlOf,
  webhookUrl,
  wholeNumber,
  witnesses,
  word,
  yyyymmdd,
} from './setting-values.ts';
import { ConfigError, optional, withDefault, type Variable } from './variables.ts';

/** The shortest token of an operator's own where others can try tokens over the network. */
export const OPS_TOKEN_LENGTH = 16;

/** The only description of every variable: `docs/operations.md` prints this table. */
const table = {
  PORT: withDefault('3000', 'TCP port of the HTTP and WebSocket server; 0 chooses a free one', wholeNumber(0, 65_535)),
  LISTEN_HOST: withDefault(
    '127.0.0.1',
    'Address to listen on; 0.0.0.0 admits other machines',
    word('a host name or address'),
  ),
  DATABASE_URL: optional('PostgreSQL 18 to use; unset: an embedded one under DATA_DIR', postgresUrl(), 'secret'),
  DATABASE_LISTEN_URL: optional(
    'Direct PostgreSQL session for LISTEN where DATABASE_URL leads to a transaction pooler; unset: DATABASE_URL',
    postgresUrl(),
    'secret',
  ),
  CELL: withDefault('public', 'Schema of this cell; the roles of DATABASE_URL lead to it by search_path', cellName()),
  FACILITIES: optional(
    'Facilities that this cell takes from the host, separated by commas, ID or ID:WEEK with the first week; unset: all',
    cellFacilities(),
  ),
  CELLS: optional(
    'Addresses that GET /api/cell tells phones: ADDRESS,FACILITY=ADDRESS for others (scaling.md); unset: this server only',
    cellDirectory(),
  ),
  DATA_DIR: withDefault('.data', 'Folder of the embedded database and of mails and messages in files', z.string()),
  ...backupVariables,
  S3_URL: optional(
    'Bucket of an S3-compatible store for files, https://[KEY:SECRET@]HOST/BUCKET[?region=REGION]; unset: the database',
    storeAddress(),
    'secret',
  ),
  FILES_IN: withDefault('objects', 'rows: no new file goes to S3_URL, on the way back', oneOf('objects', 'rows')),
  LEGACY_URL: optional(
    'Legacy host: postgres://… (a stand-in), db2://…, odbc:… or an ibm_db connection string; unset: a stand-in in our own PostgreSQL',
    hostAddress(),
    'secret',
  ),
  LEGACY_LIBRARY: withDefault('PODDTA', 'Library (schema) of the host files', library()),
  LEGACY_DEV_LIBRARY: withDefault('PODDEV', 'Library whose routes close by arrival, see ROUTE_CLOSE_MODE', library()),
  CCSID: withDefault('37', 'Code page of texts on Db2 for i: 37, 500, 273, 297 or 1140', ccsid()),
  LEGACY_MAP: optional(
    'File with the library’s own names, lengths and codes (docs/adopting.md); unset: those of docs/host-files.md',
    legacyMap(),
  ),
  LEGACY_MODE: withDefault('live', 'off, shadow or live; by facility: off,F01=shadow (adopting.md)', legacyModes()),
  SHADOW_RULES: optional('File with rules that excuse a difference in shadow (adopting.md); unset: none', z.string()),
  SHADOW_LIBRARY: optional(
    'Library of the service on the host, for the table of the comparison in shadow (adopting.md); unset: none',
    library(),
  ),
  SHADOW_MAIL_TO: optional('Address for mails of facilities that are not live; unset: these are held', mailAddress()),
  SHADOW_SMS_TO: optional('Number for their text messages, or driver: as ever; unset: held', telephoneOrDriver()),
  ALARM_URL: optional('Webhook that receives each incident as JSON; unset: none', webhookUrl(), 'secret'),
  SMTP_URL: optional(
    'Mail server, smtp://… or smtps://…; unset: mails are files under DATA_DIR/mail',
    urlOf('smtp', 'smtps'),
    'secret',
  ),
  SMS_URL: optional(
    'Webhook of the SMS gateway; unset: messages are lines of DATA_DIR/sms.jsonl',
    webhookUrl(),
    'secret',
  ),
  SMS_PER_HOUR: withDefault('500', 'Limit of text messages an hour, for all drivers together', wholeNumber(1, 100_000)),
  ROUTE_CLOSE_MODE: withDefault(
    'auto',
    'How stop 999 closes a route: auto compares the two libraries',
    oneOf('auto', 'legacy', 'arrival'),
  ),
  AUTOCLOSE_SECONDS: withDefault(
    '600',
    'Seconds from the arrival at stop 999 to the automatic close',
    wholeNumber(1, 86_400),
  ),
  ACCESS: withDefault(
    'documented',
    'strict: every endpoint except sign-in, health, docs and pages requires a signed-in driver',
    oneOf('documented', 'strict'),
  ),
  SIGNUP: withDefault(
    'documented',
    'invited: a sign-up requires a code from the office',
    oneOf('documented', 'invited'),
  ),
  LOG_LEVEL: withDefault(
    'info',
    'Lowest level that is logged',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
  OPS_TOKEN: optional(
    'Bearer token of /api/ops and /metrics; unset: the first start generates one under DATA_DIR',
    word('printable characters without spaces'),
    'secret',
  ),
  OPERATOR_IDLE_MINUTES: withDefault(
    '30',
    'Minutes without a request after which an operator’s session ends',
    wholeNumber(1, 1_440),
  ),
  OPERATOR_SESSION_HOURS: withDefault(
    '12',
    'Hours after which an operator’s session ends in any case',
    wholeNumber(1, 168),
  ),
  ...oidcVariables,
  METRICS_PORT: optional(
    'Separate TCP port of /metrics, for example for a worker; unset: /metrics is on PORT, and a worker has none',
    wholeNumber(1, 65_535),
  ),
  METRICS_ACCESS: withDefault(
    'local',
    'token: /metrics always requires OPS_TOKEN; local: except for requests from this machine without a proxy’s headers',
    oneOf('local', 'token'),
  ),
  MAIL_FROM: withDefault('Tailgate <tailgate@localhost>', 'Sender of delivery mails', sender()),
  PUBLIC_URL: optional(
    'Address at which drivers and mail readers reach this server; unset: its listening address',
    urlOf('http', 'https'),
  ),
  LOG_KEY_FILE: optional(
    'File with the Ed25519 keys (PEM, the newest first) that sign the transparency log; unset: DATA_DIR/keys/log.pem',
    z.string(),
  ),
  SEAL_KEY_FILE: optional('File (PEM) of key and certificates of packs; unset: DATA_DIR/keys/seal.pem', z.string()),
  TSA_URL: optional('RFC 3161 authority that stamps evidence packs; unset: no stamps', urlOf('http', 'https')),
  WITNESSES: optional(
    'Witnesses that cosign the transparency log, KEY@URL separated by commas; unset: none, in the demo one of its own',
    witnesses(),
  ),
  TRUST_PROXY: withDefault(
    '0',
    'Proxies whose X-Forwarded-For the server accepts: their number, or a list of addresses and networks',
    proxies(),
  ),
  HOST_CHANGES: withDefault(
    'doorbell',
    'Detection of changes on the host: doorbell (triggers), or polling if the host permits no triggers',
    oneOf('doorbell', 'polling'),
  ),
  HOST_POLL_SECONDS: withDefault('2', 'Seconds between two polls of the host for changes', wholeNumber(1, 3_600)),
  IMPORT_FROM: optional('First imported week, by its last day (YYYYMMDD); unset: the week 8 weeks ago', yyyymmdd()),
  IMPORT_ROUTES_PER_MINUTE: optional(
    'Pace of routes that a start finds new on the host; unset: as fast as the host answers',
    wholeNumber(1, 10_000),
  ),
  MAX_FILE_MB: withDefault(
    '25',
    'Largest uploaded file in MiB; a request may be four times as large',
    wholeNumber(1, 1_024),
  ),
  MAX_FILES: withDefault('20', 'Limit of files in an upload', wholeNumber(1, 100)),
  UPLOAD_QUOTA_MB: withDefault(
    '10240',
    'Upload limit of an address in an hour, in MiB; a depot behind one address shares it',
    wholeNumber(1, 10_000_000),
  ),
  REPORT_QUOTA_MB: withDefault(
    '64',
    'Limit of load condition reports of an address (ACCESS=strict: a driver) in an hour, in MiB; each counts at least 16 KiB',
    wholeNumber(1, 1_000_000),
  ),
  MAX_JSON_MB: withDefault('5', 'Largest JSON body in MiB', wholeNumber(1, 64)),
  RETAIN_LEDGER_DAYS: optional(
    'Days to retain changes of closed routes that are on the host, at least 35; unset: no deletion',
    wholeNumber(35, 36_500),
  ),
  RETAIN_ROUTES_DAYS: optional(
    'Days to retain a route that the host has deleted and whose changes are deleted; unset: no deletion',
    wholeNumber(35, 36_500),
  ),
  RETAIN_FILES_DAYS: optional(
    'Days to retain the bytes of files that are on the host, at least 35; unset: no deletion',
    wholeNumber(35, 36_500),
  ),
  RETAIN_MAILS_DAYS: optional(
    'Days to retain the records of sent delivery mails, at least 35; unset: no deletion',
    wholeNumber(35, 36_500),
  ),
  RETAIN_INCIDENTS_DAYS: optional(
    'Days to retain acknowledged incidents and settled quarantine entries; unset: no deletion',
    wholeNumber(1, 36_500),
  ),
  RETAIN_ACTS_DAYS: optional(
    'Days to retain acts of the office, at least 35; unset: no deletion',
    wholeNumber(35, 36_500),
  ),
  RETAIN_HOST_LOG_DAYS: optional(
    'Days to retain lines of the log on the host (PODRPLP), at least 35; unset: no deletion',
    wholeNumber(35, 36_500),
  ),
  CORS_ORIGINS: optional(
    'Origins of web apps at other addresses that may call the API, separated by commas; unset: none',
    origins(),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'OpenTelemetry collector, http(s)://…; unset: no traces are exported',
    urlOf('http', 'https'),
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault('1', 'Share of the traces that are exported, from 0 to 1', share()),
  WARM_UP: withDefault(
    '1',
    '0 saves about 0.8 s of CPU at the start; the first thousands of changes then cost a fifth more',
    flag(),
  ),
  DEMO: optional(
    '1 loads demo data into an empty host, day a demo day, too, 0 none; unset: 1 where database and host are both embedded',
    oneOf('0', '1', 'day'),
  ),
};

type Values = { [Name in keyof typeof table]: (typeof table)[Name] extends Variable<infer T> ? T : never };
export type SettingName = keyof Values;
const variables: { [Name in SettingName]: Variable<Values[Name]> } = table;

/** Every variable the server reads, for the operator's page and for the check of docker-compose.yml. */
export const settings: readonly { name: string; default: string | null; description: string }[] = Object.entries(
  table,
).map(([name, variable]) => ({ name, default: variable.default, description: variable.description }));

export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads the environment and the command line (`--role api|worker|all`).
 * An empty variable counts as unset, as compose files write it. Relative folders start at `cwd`.
 * @throws ConfigError one line that names the first variable with an unusable value
 */
export function loadConfig(env: NodeJS.ProcessEnv, argv: readonly string[], cwd = process.cwd()) {
  const read = <Name extends SettingName>(name: Name): Values[Name] => readVariable(name, env[name]);
  const databaseUrl = read('DATABASE_URL');
  const legacyUrl = read('LEGACY_URL');
  const listenHost = read('LISTEN_HOST');
  const opsToken = read('OPS_TOKEN');
  if (opsToken !== undefined && isGuessable(opsToken) && !isThisMachine(listenHost))
    throw new ConfigError(
      `OPS_TOKEN: expected ${OPS_TOKEN_LENGTH} random characters or more where others are let in (LISTEN_HOST=${listenHost}), got ${opsToken.length}`,
    );
  const [legacyLibrary, shadowLibrary] = [read('LEGACY_LIBRARY'), read('SHADOW_LIBRARY')];
  if (shadowLibrary === legacyLibrary)
    throw new ConfigError(`SHADOW_LIBRARY: expected another library than LEGACY_LIBRARY, got ${shadowLibrary}`);
  const role = readRole(argv);
  const demo = read('DEMO') ?? (databaseUrl === undefined && legacyUrl === undefined ? '1' : '0');
  const dataDir = resolve(cwd, read('DATA_DIR'));
  const publicUrl = read('PUBLIC_URL')?.replace(/\/+$/, '');
  if (demo === 'day') checkDemoDay({ DATABASE_URL: databaseUrl, LEGACY_URL: legacyUrl }, role);
  return {
    role,
    port: read('PORT'),
    listenHost,
    databaseUrl,
    databaseListenUrl: read('DATABASE_LISTEN_URL') ?? databaseUrl,
    cell: read('CELL'),
    dataDir,
    backup: readBackupSettings(read, cwd, { dataDir, publicUrl }),
    facilities: read('FACILITIES'),
    cells: read('CELLS'),
    objectStore: read('S3_URL'),
    filesIn: read('FILES_IN'),
    legacyUrl,
    legacyLibrary,
    legacyDevLibrary: read('LEGACY_DEV_LIBRARY'),
    legacyMap: (read('LEGACY_MAP') ?? plainMap).inCcsid(read('CCSID')),
    legacyModes: read('LEGACY_MODE'),
    shadowRules: read('SHADOW_RULES'),
    shadowLibrary,
    shadowMailTo: read('SHADOW_MAIL_TO'),
    shadowSmsTo: read('SHADOW_SMS_TO'),
    smtpUrl: read('SMTP_URL'),
    smsUrl: read('SMS_URL'),
    alarmUrl: read('ALARM_URL'),
    smsPerHour: read('SMS_PER_HOUR'),
    routeCloseMode: read('ROUTE_CLOSE_MODE'),
    autocloseSeconds: read('AUTOCLOSE_SECONDS'),
    access: read('ACCESS'),
    signup: read('SIGNUP'),
    logLevel: read('LOG_LEVEL'),
    opsToken,
    operators: { idleMinutes: read('OPERATOR_IDLE_MINUTES'), sessionHours: read('OPERATOR_SESSION_HOURS') },
    oidc: readOidcSettings(read, publicUrl),
    metricsPort: read('METRICS_PORT'),
    metricsAccess: read('METRICS_ACCESS'),
    mailFrom: read('MAIL_FROM'),
    publicUrl,
    logKeyFile: read('LOG_KEY_FILE'),
    sealKeyFile: read('SEAL_KEY_FILE'),
    tsaUrl: read('TSA_URL'),
    witnesses: read('WITNESSES') ?? [],
    trustProxy: read('TRUST_PROXY'),
    hostChanges: read('HOST_CHANGES'),
    hostPollSeconds: read('HOST_POLL_SECONDS'),
    importFrom: read('IMPORT_FROM'),
    importRoutesPerMinute: read('IMPORT_ROUTES_PER_MINUTE'),
    maxFileMb: read('MAX_FILE_MB'),
    maxFiles: read('MAX_FILES'),
    uploadQuotaMb: read('UPLOAD_QUOTA_MB'),
    reportQuotaMb: read('REPORT_QUOTA_MB'),
    maxJsonMb: read('MAX_JSON_MB'),
    hostLogDays: read('RETAIN_HOST_LOG_DAYS'),
    retention: {
      ledger: read('RETAIN_LEDGER_DAYS'),
      routes: read('RETAIN_ROUTES_DAYS'),
      files: read('RETAIN_FILES_DAYS'),
      mails: read('RETAIN_MAILS_DAYS'),
      incidents: read('RETAIN_INCIDENTS_DAYS'),
      acts: read('RETAIN_ACTS_DAYS'),
    },
    corsOrigins: read('CORS_ORIGINS') ?? [],
    otelEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    traceShare: read('OTEL_TRACES_SAMPLER_ARG'),
    warmsUp: read('WARM_UP'),
    demo: demo !== '0',
    demoDay: demo === 'day',
  };
}

/** The demo day invents troubles, so it runs on nothing but the embedded database and its stand-in. @throws ConfigError */
function checkDemoDay(urls: Readonly<Record<string, string | undefined>>, role: string): void {
  for (const [name, url] of Object.entries(urls))
    if (url !== undefined)
      throw new ConfigError(`DEMO: day runs on the embedded database and host alone; unset ${name}, or choose 1 or 0`);
  if (role !== 'all') throw new ConfigError(`DEMO: day needs --role all, got ${role}`);
}

/** Whether others could try out an operator's own token. A server on the machine itself, as in a trial, accepts one. */
export const isGuessable = (token: string): boolean => token.length < OPS_TOKEN_LENGTH;

function readVariable<Name extends SettingName>(name: Name, raw: string | undefined): Values[Name] {
  const variable = variables[name];
  const written = raw?.trim() || undefined;
  try {
    return variable.parse(written);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    const seen = variable.secret ? '' : `, got ${JSON.stringify(written)}`;
    throw new ConfigError(`${name}: ${cause.issues[0]?.message ?? 'unusable value'}${seen}`, { cause });
  }
}

function readRole(argv: readonly string[]): 'api' | 'worker' | 'all' {
  try {
    const { values } = parseArgs({ args: [...argv], options: { role: { type: 'string', default: 'all' } } });
    return oneOf('api', 'worker', 'all').parse(values.role);
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? cause.issues[0]?.message : cause instanceof Error ? cause.message : '';
    throw new ConfigError(`--role: ${reason} (npm start -- --role api|worker|all)`, { cause });
  }
}
